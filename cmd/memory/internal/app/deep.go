package app

import (
	"context"
	"fmt"
	"maps"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Judgements are what models have said about pairs of memories, by the ids of the older and the newer.
type Judgements map[[2]string]oplog.Action

// ReadJudgements reads the verdicts in the log, the last of each pair. Those of runs that were undone are left out.
func ReadJudgements(store *workspace.FileStore) (Judgements, error) {
	log, err := store.Log()
	if err != nil {
		return nil, fmt.Errorf("read what models have judged: %w", err)
	}
	undone := map[string]bool{}
	for i := len(log.Entries) - 1; i >= 0; i-- {
		if e := &log.Entries[i]; e.UndoOf != "" && !undone[e.RunID] {
			undone[e.UndoOf] = true
		}
	}
	all := Judgements{}
	for i := range log.Entries {
		if undone[log.Entries[i].RunID] {
			continue
		}
		for _, a := range log.Entries[i].Actions {
			if a.Type == oplog.Judge && len(a.MemoryIDs) == 2 {
				all[[2]string{a.MemoryIDs[0], a.MemoryIDs[1]}] = a
			}
		}
	}
	return all, nil
}

// Of is what a model has said about two memories that say what they said then.
func (j Judgements) Of(a, b *memory.Memory) (oplog.Action, bool) {
	for _, ids := range [][2]string{{a.ID, b.ID}, {b.ID, a.ID}} {
		if said, ok := j[ids]; ok && maps.Equal(said.Digests, refine.Digests(a, b)) {
			return said, true
		}
	}
	return oplog.Action{}, false
}

// OfPair is [Judgements.Of] for a pair that waits for review.
func (j Judgements) OfPair(snap *memory.Snapshot, p review.Pair) (oplog.Action, bool) {
	a, b := snap.Live(p.A), snap.Live(p.B)
	if a == nil || b == nil {
		return oplog.Action{}, false
	}
	return j.Of(a, b)
}

// Refiner returns what asks a model about pairs; the model is for the caller to set.
func Refiner(store *workspace.FileStore, request rules.Request) (*refine.Refiner, error) {
	judgements, err := ReadJudgements(store)
	if err != nil {
		return nil, err
	}
	set := request.Settings
	return &refine.Refiner{
		Request: request,
		Reach:   func(m *memory.Memory) provider.Reach { return ModelReach(set.Model, m) },
		Judged:  func(a, b *memory.Memory) bool { _, ok := judgements.Of(a, b); return ok },
	}, nil
}

// Deepen asks the models that the settings allow about pairs of memories, and returns the plan with what comes of it. Without a
// model the plan is the one that it was given, and the report says why.
func Deepen(ctx context.Context, store *workspace.FileStore, env func(string) string, request rules.Request, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, refine.Report, error) {
	models, err := OpenModel(store, request.Settings, env, plan.RunID)
	if err != nil {
		return plan, refine.Report{}, err
	}
	if models == nil {
		return plan, refine.Report{Degraded: []string{noModel(request.Settings.Model)}}, nil
	}
	refiner, err := Refiner(store, request)
	if err != nil {
		return plan, refine.Report{}, err
	}
	refiner.Model = models
	return refiner.Refine(ctx, snap, plan)
}

func noModel(set config.Model) string {
	if !set.Enabled {
		return "models are off: set model.enabled = true in memory.toml"
	}
	return `no model is ready: "memory model status" says what each lacks`
}
