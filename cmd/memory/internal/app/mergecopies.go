package app

import (
	"context"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TriggerCopies is the trigger of runs that merge conflict copies.
const TriggerCopies = "conflict_copy"

// mergeCopies merges those conflict copies of which the records of runs know what both sides began from. The others wait for a person.
func (r *Runner) mergeCopies(ctx context.Context, request rules.Request, snap *memory.Snapshot, whole bool) (*memory.Snapshot, bool, error) {
	past, ok := r.Store.(interface {
		History(id string) ([]workspace.Version, error)
	})
	if !ok {
		return snap, whole, nil
	}
	var actions []memory.Action
	taken := map[string]bool{} // two copies of one memory are merged one run after the other
	for _, c := range snap.Copies {
		if reason, _ := rules.Untouchable(c.Of, request.Settings.Exclude); reason != "" || taken[c.ID] {
			continue
		}
		versions, err := past.History(c.ID)
		if err != nil {
			return nil, whole, err
		}
		a, ok, err := archive.MergeCopy(snap, c, versions)
		if err != nil {
			return nil, whole, err
		}
		if ok {
			taken[c.ID], actions = true, append(actions, a)
		}
	}
	if len(actions) == 0 {
		return snap, whole, nil
	}
	plan := memory.Command(snap, r.Store.Log().Head(), actions...)
	plan.Trigger = TriggerCopies
	plan.Seal(r.Store.Log().Head())
	if _, err := r.commit(ctx, &workspace.Tx{Plan: plan, Started: r.Started()}); err != nil {
		return nil, whole, err
	}
	return r.snapshot()
}
