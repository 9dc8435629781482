package importing

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// RunOptions say how what was read is imported.
type RunOptions struct {
	PlanOptions
	DryRun  bool
	Started time.Time // for the log; may be zero
	Clock   func() time.Time
	// Comparing is told how far the planning of the first run is; an error of it ends that.
	Comparing func(done, total int) error
	Note      func(text string)
}

// Result is what an import did.
type Result struct {
	document.Import
	Commit *workspace.Result `json:"-"` // nil where nothing was committed
}

// Complete reports whether nothing was left out or refused.
func (r *Result) Complete() bool { return len(r.LeftOut) == 0 && r.Counts[Refused] == 0 }

// Run imports what was read from a store. What changed meanwhile in the workspace is left as it is, and reported in Result.Commit.
func Run(ctx context.Context, store *workspace.FileStore, snap *memory.Snapshot, source *Source, o RunOptions) (*Result, error) {
	check, notes, err := record.Checker(store)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		o.Note(note)
	}
	o.Check = func(old, raw []byte) error {
		_, err := check(old, raw)
		return err // warnings are left to "memory check"
	}
	actions, items, err := Plan(snap, source.Records, o.PlanOptions)
	if err != nil {
		return nil, err
	}
	result := &Result{Import: document.Import{
		DryRun: o.DryRun, Counts: map[string]int{}, Items: append([]document.ImportItem{}, items...), LeftOut: append([]foreign.Misfit{}, source.Misfits...),
	}}
	conflict := false
	if len(actions) > 0 && !o.DryRun {
		done, err := store.Commit(ctx, &workspace.Tx{Plan: memory.Command(snap, store.Log().Head(), actions...), Started: o.Started})
		if err != nil {
			return nil, err
		}
		result.Commit, result.RunID, conflict = done, done.RunID, len(done.Skipped) > 0
		result.refuse(done.Skipped)
	}
	for _, item := range result.Items {
		result.Counts[item.Status]++
	}
	if len(actions) > 0 && !conflict {
		then, err := after(snap, actions)
		if err != nil {
			return nil, err
		}
		if result.First, err = firstrun.Plan(then, rules.Request{Settings: o.Settings, Secrets: o.Secrets, Progress: o.Comparing}, o.Clock); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// refuse says of the records whose memories changed meanwhile that they were not imported.
func (r *Result) refuse(all []memory.Skip) {
	why := map[string]string{}
	for _, s := range all {
		why[s.MemoryID] = commit.Skipped(s)
	}
	for i := range r.Items {
		item := &r.Items[i]
		if text, ok := why[item.ID]; ok && (item.Status == Imported || item.Status == Updated) {
			item.Status, item.Reason = Refused, text
		}
	}
}

// after is the workspace as it is once some actions that write memories, and flag pairs of them, have happened.
func after(snap *memory.Snapshot, actions []memory.Action) (*memory.Snapshot, error) {
	var put []*memory.Memory
	var pairs []review.Pair
	for _, a := range actions {
		pairs = append(pairs, a.Pairs...)
		for _, op := range a.Ops {
			at := op.To
			if op.Kind == memory.Put {
				at = op.Ref
			}
			m, err := memory.OneRecord(at.File, op.Raw)
			if err != nil {
				return nil, err
			}
			m.Ref = at
			put = append(put, m)
		}
	}
	next := snap.With(put)
	return next.Suppose(next.At, next.Memories(), next.Archived(), pairs), nil
}
