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
	deferred []pairKey               // verdicts that were deferred, in the order of the log
	clusters map[string]oplog.Action // by clusterKey
}

// pairKey names what was asked about two memories.
type pairKey struct{ rule, older, newer string }

// ReadJudgements reads the verdicts in the log, the last about each. Those of runs that were undone are left out.
func ReadJudgements(store *workspace.FileStore) (Judgements, error) {
	all := Judgements{pairs: map[pairKey]oplog.Action{}, clusters: map[string]oplog.Action{}}
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
				key := pairKey{a.Rule, a.MemoryIDs[0], a.MemoryIDs[1]}
				if all.pairs[key] = a; a.Deferred {
					all.deferred = append(all.deferred, key)
				}
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

// Deferred lists the verdicts about pairs for which the runs so far had no room, each once, in the order of the log.
func (j Judgements) Deferred() (all []oplog.Action) {
	seen := map[pairKey]bool{}
	for _, key := range j.deferred {
		if a := j.pairs[key]; a.Deferred && !seen[key] {
			seen[key] = true
			all = append(all, a)
		}
	}
	return all
}

// RoomForDeferred is how many memories of a deep run are for verdicts that earlier runs deferred, as [rules.Request.Reserved].
func RoomForDeferred(store *workspace.FileStore) func(*memory.Snapshot) (int, error) {
	return func(snap *memory.Snapshot) (n int, err error) {
		judgements, err := ReadJudgements(store)
		for _, verdict := range judgements.Deferred() {
			if _, _, ok := refine.Waits(snap, &verdict); ok {
				n += len(verdict.MemoryIDs)
			}
		}
		return n, err
	}
}

// SaysPartly reports whether a model has said that the newer memory of a pair replaces a part of the older one.
func (j Judgements) SaysPartly(snap *memory.Snapshot, p review.Pair) bool {
	a, ok := j.OfPair(snap, p)
	return ok && a.Verdict == rules.VerdictPartial
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

		Deferred: judgements.Deferred(),
	}, nil
}

// Deepen asks the models that the settings allow about pairs of memories, and returns the plan with what comes of it. Without a
// model the plan is the one that it was given, with verdicts that an earlier run deferred, and the report says why.
func Deepen(ctx context.Context, store *workspace.FileStore, env func(string) string, request rules.Request, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, refine.Report, error) {
	models, err := OpenModel(store, request.Settings, env, plan.RunID)
	if err != nil {
		return plan, refine.Report{}, err
	}
	refiner, err := Refiner(store, request)
	if err != nil {
		return plan, refine.Report{}, err
	}
	if models == nil {
		refined, report, err := refiner.Refine(ctx, snap, plan)
		report.Degraded = append(report.Degraded, noModel(request.Settings.Model))
		return refined, report, err
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

// DeepApplied counts the changes that a run made because of verdicts of a model; nil: there was no run.
func DeepApplied(e *oplog.Entry) (n int) {
	if e == nil {
		return 0
	}
	for i := range e.Actions {
		switch a := &e.Actions[i]; {
		case a.Rule != memory.RuleDeep, a.Type == oplog.Judge, a.Type == oplog.Review, a.Type == oplog.Skip:
		default:
			n++
		}
	}
	return n
}
