package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/planfile"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// applyFile does what a plan file lists: it plans afresh, as of the same moment,
// and keeps the actions that come out as listed. Those that don't are stale.
func (r *consolidation) applyFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fail.File("--plan", err)
	}
	listed, at, err := planfile.Parse(text)
	if err != nil {
		return fmt.Errorf("--plan: %s: %w", name, err)
	}
	r.at = at
	store, snap, err := r.load()
	if err != nil {
		return err
	}
	log, err := store.Log().Read()
	if err != nil {
		return err
	}
	since, err := planfile.Since(log.Entries, snap, listed)
	if err != nil {
		return fmt.Errorf("--plan: %w", err)
	}
	if err := planfile.Request(&r.request, listed, r.flags.IsSet("max")); err != nil {
		return fmt.Errorf("--plan: %s: %w", name, err)
	}
	var stale []oplog.Action
	plan, result, err := r.once(func(p *memory.Plan) {
		stale = planfile.KeepListed(p, listed.Actions)
		p.Refused = planfile.ChangedSince(snap, since, stale)
		p.Seal(r.request.LogHead)
	})
	if err != nil {
		return err
	}
	doc := document.NewPlan(plan, result)
	doc.Stale = stale
	if r.JSON {
		err = r.PrintJSON(doc)
	} else {
		printer.Done(&r.Printer, r.snap, doc, result)
	}
	if err != nil || len(stale) == 0 {
		return err
	}
	var lines []error
	for i := range stale {
		lines = append(lines, errors.New("stale: "+printer.ActionHead(&stale[i])))
	}
	return fail.WithHint(&fail.Error{Err: errors.Join(lines...), Code: fail.ExitStale}, "the memories, the settings or --max have changed since this plan was made: run \"memory plan\" again")
}
