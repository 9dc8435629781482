package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Judgements are what models have said about memories.
type Judgements struct {
	pairs    map[pairKey]oplog.Action
	clusters map[string]oplog.Action // by clusterKey
}

// pairKey names what was asked about two memories.
type pairKey struct{ rule, older, newer string }

// ReadJudgements reads the verdicts in the log, the last about each. Those of runs that were undone are left out.
func ReadJudgements(store *workspace.FileStore) (Judgements, error) {
	all := Judgements{map[pairKey]oplog.Action{}, map[string]oplog.Action{}}
	log, err := store.Log().Read()
	if err != nil {
		return all, fmt.Errorf("read what models have judged: %w", err)
	}
	undone := map[string]bool{}
	for i := len(log.Entries) - 1; i >= 0; i-- {
		if e := &log.Entries[i]; e.UndoOf != "" && !undone[e.RunID] {
			undone[e.UndoOf] = true
		}
	}
	for i := range log.Entries {
		if undone[log.Entries[i].RunID] {
			continue
		}
		for _, a := range log.Entries[i].Actions {
			switch {
			case a.Type != oplog.Judge:
			case a.Verdict == enrich.VerdictCluster:
				all.clusters[clusterKey(a.Digests)] = a
			case len(a.MemoryIDs) == 2:
				all.pairs[pairKey{a.Rule, a.MemoryIDs[0], a.MemoryIDs[1]}] = a
			}
		}
	}
	return all, nil
}

// clusterKey names memories by what they say.
func clusterKey(digests map[string]string) string {
	parts := make([]string, 0, len(digests))
	for id, digest := range digests {
		parts = append(parts, id+" "+digest)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// Cluster tells which of some memories a model has taken for something else than the others, if it was asked about just these as they are.
func (j Judgements) Cluster(members []*memory.Memory) (leftOut []string, ok bool) {
	a, ok := j.clusters[clusterKey(enrich.Digests(members))]
	return a.LeftOut, ok
}

// Of is what a model has said by a rule about two memories that say what they said then.
func (j Judgements) Of(rule string, a, b *memory.Memory) (oplog.Action, bool) {
	for _, key := range []pairKey{{rule, a.ID, b.ID}, {rule, b.ID, a.ID}} {
		if said, ok := j.pairs[key]; ok && maps.Equal(said.Digests, refine.Digests(a, b)) {
			return said, true
		}
	}
	return oplog.Action{}, false
}

// OfPair is what a model has said about a pair that waits for review.
func (j Judgements) OfPair(snap *memory.Snapshot, p review.Pair) (oplog.Action, bool) {
	a, b := snap.Sides(p)
	if a == nil || b == nil {
		return oplog.Action{}, false
	}
	for _, rule := range []string{memory.RuleDeep, rules.RuleSupersede} {
		if said, ok := j.Of(rule, a, b); ok {
			return said, true
		}
	}
	return oplog.Action{}, false
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
		Judged:  func(a, b *memory.Memory) bool { _, ok := judgements.Of(memory.RuleDeep, a, b); return ok },
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
	near, why, err := nearBy(ctx, store, request.Settings, env, snap)
	if err != nil {
		return plan, refine.Report{}, err
	}
	refiner.Near = near
	refined, report, err := refiner.Refine(ctx, snap, plan)
	if err != nil {
		return plan, report, err
	}
	if why != "" {
		report.Degraded = append(report.Degraded, "pairs by words alone: "+why)
	}
	use := ModelUse(models.Ledger)
	use.Deferred, use.Degraded = report.Deferred, report.Degraded
	refined.Model = &use
	return refined, report, nil
}

func noModel(set config.Model) string {
	if !set.Enabled {
		return "models are off: set model.enabled = true in memory.toml"
	}
	return `no model is ready: "memory model status" says what each lacks`
}
