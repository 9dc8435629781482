package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
)

func historyCommand() *command {
	return &command{
		args:    "ID [options]",
		purpose: "show each change of a memory",
		detail: `For each run that changed the memory: when, by which rule, and the difference.
Edits by hand between two runs are shown as differences of their own. The
history goes back as far as runs can be undone. An edit by hand has the time of
the run after it, or is of now.`,
		example: "memory history mem_k3x9q0a7b2cd",
		flags:   []urfave.Flag{sinceFlag(), untilFlag()},
		least:   1, most: 1, needs: needsSnapshot, run: runHistory, words: allIDs,
	}
}

func runHistory(c *call) error {
	id := c.args[0]
	in, err := inPeriod(c)
	if err != nil {
		return err
	}
	versions, err := c.store.History(id)
	if err != nil {
		return err
	}
	if len(versions) == 0 && len(c.snap.Find(id)) == 0 {
		return find.Missing(c.snap, id)
	}
	changes := document.Changes(versions, c.snap.Find(id))
	known := len(changes)
	next := c.at
	for i, v := range slices.Backward(changes) {
		if !v.Time.IsZero() {
			next = v.Time
		}
		if !in(next) {
			changes = slices.Delete(changes, i, i+1)
		}
	}
	if c.JSON {
		return c.PrintJSON(document.History{ID: id, Changes: changes, Page: document.Page{Total: len(changes)}})
	}
	if len(changes) == 0 && known > 0 {
		c.Say("no change of %s in that time\n", term.Printable(id))
		return nil
	}
	if len(changes) == 0 {
		c.Say("no run has changed %s, as far as runs are remembered\n", term.Printable(id))
		return nil
	}
	runs := make([]string, len(changes))
	for i, v := range changes {
		runs[i] = v.RunID
	}
	if c.IDs(runs...) {
		return nil
	}
	for i, v := range changes {
		if i > 0 {
			c.Printf("\n")
		}
		printer.Change(&c.Printer, id, v)
	}
	return nil
}
