package app

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// mergeCopies adds to a plan that those conflict copies are merged of which the records of runs know what both sides began from. The others
// wait for a person.
func mergeCopies(store PlanStore, snap *memory.Snapshot, request rules.Request, plan *memory.Plan) error {
	var merges []memory.Action
	taken := map[string]bool{} // two copies of one memory are merged one run after the other
	for _, c := range snap.Copies {
		if reason, _ := rules.Untouchable(c.Of, request.Settings.Exclude); reason != "" || taken[c.ID] || plan.Covers != nil && !plan.Covers(c.Of) {
			continue
		}
		versions, err := store.History(c.ID)
		if err != nil {
			return err
		}
		a, ok, err := archive.MergeCopy(snap, c, versions)
		if err != nil {
			return err
		}
		if ok {
			taken[c.ID], merges = true, append(merges, a)
		}
	}
	if len(merges) == 0 {
		return nil
	}
	plan.Actions = append(merges, plan.Actions...)
	plan.Skipped = slices.DeleteFunc(plan.Skipped, func(sk memory.Skip) bool { return sk.Reason == rules.ReasonCopy && taken[sk.MemoryID] })
	plan.Seal(request.LogHead)
	return nil
}
