// Package consolidate applies the rules to a workspace: it is what a command and a
// trigger have in common. One run counts the reads first, plans, and commits.
//
// Limits: it says nothing to people; whoever calls it does.
package consolidate

import (
	"context"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Store is what a run needs of a workspace.
type Store interface {
	Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error)
	LogHead() string
	Cache
}

// Deriver makes, for a store, what rules ask of a memory's text.
var Deriver = workspace.Deriver{Version: fmt.Sprintf("rules %d", rules.DeriveVersion), Of: rules.Derive}

// Cache keeps for the next plan what this one has read and found.
type Cache interface {
	SaveCache(snap *workspace.Snapshot, findings func() []byte, anew bool) error
}

// Plan plans, with what an earlier plan has left in the cache, and leaves there what the
// next one can use. A cache that can't be written, on a read-only disk say, costs time
// and nothing else: that is no error.
func Plan(cache Cache, snap *workspace.Snapshot, request rules.Request) *workspace.Plan {
	plan, findings := rules.PlanKnowing(snap, request, snap.Findings())
	if findings == nil {
		_ = cache.SaveCache(snap, nil, false)
	} else {
		_ = cache.SaveCache(snap, findings.Bytes, findings.Grown())
	}
	return plan
}

// Runner runs consolidations on a store.
type Runner struct {
	Store   Store
	Load    func() (*workspace.Snapshot, error)
	Started func() time.Time        // when the run begins, for its duration
	Result  func(*workspace.Result) // told what became of each transaction
	Loaded  func(*workspace.Snapshot)
}

// Once plans and applies one run. With keep, which may leave actions out of the
// plan, the reads stay in the access log: the plan was made without them.
func (r *Runner) Once(ctx context.Context, request rules.Request, keep func(*workspace.Plan)) (*workspace.Plan, *workspace.Result, error) {
	started := r.Started()
	snap, err := r.Load()
	if err == nil && keep == nil {
		snap, err = r.fold(ctx, request, snap)
	}
	if err != nil {
		return nil, nil, err
	}
	r.Loaded(snap)
	request.LogHead = r.Store.LogHead()
	plan := Plan(r.Store, snap, request)
	if keep != nil {
		keep(plan)
	}
	result, err := r.Store.Commit(ctx, &workspace.Tx{
		Plan: plan, Snapshot: snap, Pause: request.Settings.Run.Pause.Clock(), Started: started,
	})
	if err != nil {
		return nil, nil, err
	}
	r.Result(result)
	return plan, result, nil
}

// fold brings the reads in the access log into the records first, so that the run
// works on counts that everybody can see. A memory that somebody is changing keeps
// its reads in the log until the next time.
func (r *Runner) fold(ctx context.Context, request rules.Request, snap *workspace.Snapshot) (*workspace.Snapshot, error) {
	held := func(m *workspace.Memory) bool {
		reason, _ := rules.Untouchable(m, request.Settings.Exclude)
		return reason != ""
	}
	plan := snap.Fold(r.Store.LogHead(), held)
	if plan.Empty() {
		return snap, nil
	}
	result, err := r.Store.Commit(ctx, &workspace.Tx{Plan: plan, Started: r.Started()})
	if err != nil {
		return nil, err
	}
	r.Result(result)
	return r.Load()
}
