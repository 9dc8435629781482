package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// PlanStore is what planning needs of a workspace besides a snapshot.
type PlanStore interface {
	Cache() *workspace.Cache
	History(id string) ([]workspace.Version, error)
}

// RunStore is what a run needs of a workspace.
type RunStore interface {
	PlanStore
	Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error)
	Log() ops.Log
}

// Deriver makes, for a store, what rules ask of a memory's text.
var Deriver = workspace.Deriver{Version: fmt.Sprintf("rules %d", rules.DeriveVersion), Of: rules.Derive}

// Files below ops/cache.
const (
	memoFile   = "pairs"     // what comparing memories came to
	sketchFile = "summaries" // what a forecast knows of summaries to come and of how texts differ
)

// readMemo reads a file of the cache; nothing is known where it can't be read.
func readMemo(cache *workspace.Cache, name string) *rules.Memo {
	data, err := cache.Read(name)
	if err != nil {
		data = nil
	}
	return rules.ReadMemo(data)
}

// Forecast is [forecast.Of] with what the cache knows. With nil for wanted, it leaves there what
// the next one can use.
func Forecast(cache *workspace.Cache, snap *memory.Snapshot, request rules.Request, wanted func(*memory.Memory) bool) ([]forecast.Forecast, error) {
	request.Memo, request.Sketch = readMemo(cache, memoFile), readMemo(cache, sketchFile)
	all, err := forecast.Of(snap, request, wanted)
	if err == nil && wanted == nil {
		if data := request.Sketch.Bytes(); data != nil {
			_ = cache.Write(sketchFile, data)
		}
	}
	return all, err
}

// MakePlan plans what a run does: what the rules say, and before that merges of conflict copies. It uses what an earlier
// plan has left in the cache, and leaves there what the next one can use. A cache that can't be read or written, on a
// read-only disk say, costs time and nothing else: that is no error. Errors are those of request.Progress, and
// of records of runs that can't be read.
func MakePlan(store PlanStore, snap *memory.Snapshot, request rules.Request) (*memory.Plan, error) {
	cache := store.Cache()
	request.Memo = readMemo(cache, memoFile)
	plan, err := rules.PlanWithProgress(snap, request)
	if err != nil {
		return nil, err
	}
	_ = cache.SaveCatalog()
	if request.Whole() {
		if data := request.Memo.Bytes(); data != nil {
			_ = cache.Write(memoFile, data)
		}
	}
	return plan, mergeCopies(store, snap, request, plan)
}

// Runner runs consolidations on a store, one after the other.
type Runner struct {
	Store   RunStore
	Load    func() (*memory.Snapshot, error)
	Started func() time.Time        // when the run begins, for its duration
	Result  func(*workspace.Result) // told what became of each transaction
	Loaded  func(*memory.Snapshot)
	// Refine, if set, may add actions to a plan before it is applied.
	Refine func(ctx context.Context, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, error)
	// Reserve, if set, says how much of the run's limit is for what Refine adds.
	Reserve func(snap *memory.Snapshot) (int, error)

	// Reload, if set, brings a snapshot along by the names of what the runs have written
	// since, or gives nil: see [workspace.FileStore.Reload]. A run then begins with that, in place of
	// loading everything, while the last load is recent and what has become of the last run
	// is certain. What others write in these moments counts from a later run on; what a
	// plan relies on is compared when it is committed, as always, and only a workspace that
	// was loaded as a whole has nothing left to do.
	Reload func(from *memory.Snapshot, written []string) *memory.Snapshot

	last    *memory.Snapshot
	written []string  // by runs, since last
	doubt   bool      // whether that is all
	until   time.Time // when everything is loaded again
}

// minRecent is how long after a load its snapshot is updated, at least; and so many
// times what the load took.
const (
	minRecent  = 2 * time.Second
	recentLoad = 8
)

// Once plans and applies one run. With keep, which may leave actions out of the
// plan, the reads stay in the access log: the plan was made without them.
func (r *Runner) Once(ctx context.Context, request rules.Request, keep func(*memory.Plan)) (*memory.Plan, *workspace.Result, error) {
	started := r.Started()
	plan, snap, whole, err := r.plan(ctx, request, keep)
	if err == nil && plan.Empty() && !whole {
		r.doubt = true
		plan, snap, _, err = r.plan(ctx, request, keep)
	}
	if err != nil {
		return nil, nil, err
	}
	result, err := r.commit(ctx, &workspace.Tx{
		Plan: plan, Snapshot: snap, Pause: request.Settings.Run.Pause.Clock(), Started: started,
	})
	return plan, result, err
}

// plan makes the plan of a run, and tells whether everything was loaded for it.
func (r *Runner) plan(ctx context.Context, request rules.Request, keep func(*memory.Plan)) (_ *memory.Plan, snap *memory.Snapshot, whole bool, err error) {
	if request.Progress == nil {
		request.Progress = func(int, int) error { return ctx.Err() }
	}
	snap, whole, err = r.snapshot()
	if err == nil && keep == nil {
		snap, whole, err = r.fold(ctx, request, snap, whole)
	}
	if err != nil {
		return nil, nil, whole, err
	}
	r.Loaded(snap)
	if r.Reserve != nil {
		if request.Reserved, err = r.Reserve(snap); err != nil {
			return nil, nil, whole, err
		}
	}
	request.LogHead = r.Store.Log().Head()
	plan, err := MakePlan(r.Store, snap, request)
	if err != nil {
		return nil, nil, whole, err
	}
	if r.Refine != nil {
		if plan, err = r.Refine(ctx, snap, plan); err != nil {
			return nil, nil, whole, err
		}
	}
	if keep != nil {
		keep(plan)
	}
	return plan, snap, whole, nil
}

// snapshot is the workspace as it is, and whether all of it was loaded.
func (r *Runner) snapshot() (snap *memory.Snapshot, whole bool, err error) {
	begun := time.Now()
	if r.Reload != nil && r.last != nil && !r.doubt && !begun.After(r.until) {
		snap = r.Reload(r.last, r.written)
	}
	if whole = snap == nil; whole {
		r.last, r.written = nil, nil // names are parts of what was read, and there is no need for both in memory
		snap, err = r.Load()
		r.until = time.Now().Add(max(minRecent, recentLoad*time.Since(begun)))
	}
	r.last, r.written, r.doubt = snap, nil, err != nil
	return snap, whole, err
}

func (r *Runner) commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error) {
	result, err := r.Store.Commit(ctx, tx)
	if err != nil {
		r.doubt = true
		return nil, err
	}
	r.written, r.doubt = append(r.written, result.Changed...), r.doubt || len(result.Skipped) > 0
	r.Result(result)
	return result, nil
}

// fold brings the reads in the access log into the records first, so that the run
// works on counts that everybody can see. A memory that somebody is changing keeps
// its reads in the log until the next time.
func (r *Runner) fold(ctx context.Context, request rules.Request, snap *memory.Snapshot, whole bool) (*memory.Snapshot, bool, error) {
	held := func(m *memory.Memory) bool {
		reason, _ := rules.Untouchable(m, request.Settings.Exclude)
		return reason != ""
	}
	plan := memory.Fold(snap, r.Store.Log().Head(), held)
	if plan.Empty() {
		return snap, whole, nil
	}
	if _, err := r.commit(ctx, &workspace.Tx{Plan: plan, Started: r.Started()}); err != nil {
		return nil, whole, err
	}
	return r.snapshot()
}

// MaxRuns bounds the runs for one trigger: a workspace that needs more is not
// converging.
const MaxRuns = 10_000

// UntilEmpty makes run after run until a plan made right after would hold nothing, though not more than that many runs, and sums up
// what was done.
func (r *Runner) UntilEmpty(ctx context.Context, request rules.Request, most int) (sum oplog.Stats, runs int, err error) {
	_, err = r.Runs(ctx, request, most, func(_ *memory.Plan, result *workspace.Result) error {
		if runs++; result.Entry != nil {
			AddStats(&sum, result.Entry.Stats)
		}
		return nil
	})
	return sum, runs, err
}

// StuckError is of runs that could change no memory, one after the other.
type StuckError struct{ Skip memory.Skip }

func (e *StuckError) Error() string {
	return "two runs in a row could change no memory: " + e.Skip.MemoryID + ": " + Reason(e.Skip.Reason)
}

func stuck(result *workspace.Result) error {
	if len(result.Skipped) == 0 {
		return errors.New("two runs in a row could change no memory")
	}
	return &StuckError{result.Skipped[0]}
}

// Runs makes run after run until a plan is empty, which it returns, though not more than most, and tells done of each. What one of
// them has changed the next one looks at, as a run a moment later would: so nothing is left to do right after. With a most of 1 it
// makes one run, and returns nil unless that had nothing to do.
func (r *Runner) Runs(ctx context.Context, request rules.Request, most int, done func(*memory.Plan, *workspace.Result) error) (last *memory.Plan, err error) {
	request.Again = most > 1
	idle := 0
	for range most {
		plan, result, err := r.Once(ctx, request, nil)
		switch {
		case err != nil:
			return nil, err
		case plan.Empty():
			return plan, nil
		}
		if err := done(plan, result); err != nil {
			return nil, err
		}
		if idle++; result.Applied > 0 {
			idle = 0
		}
		if idle == 2 {
			return nil, stuck(result)
		}
	}
	if most > 1 {
		return nil, fmt.Errorf("stopped after %s: there is always more to do", Quantity(most, "run"))
	}
	return nil, nil
}

// AddStats adds what a run did.
func AddStats(sum *oplog.Stats, s oplog.Stats) {
	sum.MemoriesMerged += s.MemoriesMerged
	sum.MemoriesPromoted += s.MemoriesPromoted
	sum.MemoriesSummarized += s.MemoriesSummarized
	sum.MemoriesArchived += s.MemoriesArchived
	sum.MemoriesFlagged += s.MemoriesFlagged
}
