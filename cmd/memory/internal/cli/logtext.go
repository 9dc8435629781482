package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// printEntries lists runs, the latest first.
func (c *call) printEntries(entries []oplog.Entry, all int) {
	if c.quiet {
		for i := range entries {
			c.printf("%s\n", printable(entries[i].RunID))
		}
		return
	}
	if all == 0 {
		c.printf("no runs yet\n")
		return
	}
	t := &table{head: []string{"RUN", "WHEN", "TRIGGER", "SCOPE", "WHAT"}}
	for i := range entries {
		e := &entries[i]
		what := totals(e.Stats)
		if e.Status == oplog.Failed {
			what = "failed"
		}
		if e.UndoOf != "" {
			what = "undid " + e.UndoOf + ": " + what
		}
		t.row(or(e.RunID, "-"), c.when(e.Timestamp), or(e.Trigger, "-"), or(e.Scope, "-"), what)
	}
	c.printf("%s", t.format("", c.style))
	if len(entries) < all {
		c.printf("%s\n", c.style.dim(fmt.Sprintf("%s of %s: --limit N lists more", thousands(len(entries)), quantity(all, "run"))))
	}
}

// printEntry prints one run.
func (c *call) printEntry(e *oplog.Entry) {
	c.printf("%s\n", c.style.bold(printable(e.RunID)))
	t := c.facts()
	t.fact("when", c.when(e.Timestamp))
	t.fact("trigger", e.Trigger)
	t.fact("scope", e.Scope)
	t.fact("actor", e.Actor)
	t.fact("machine", e.Machine)
	t.fact("undo of", e.UndoOf)
	t.fact("status", e.Status)
	if e.DurationMS > 0 {
		t.fact("took", (time.Duration(e.DurationMS) * time.Millisecond).String())
	}
	t.fact("result", totals(e.Stats))
	if c.verbose {
		t.fact("hash", e.Hash)
		t.fact("after", or(e.PrevHash, "nothing"))
	}
	c.printf("%s\n", t.format("  ", c.style))
	c.printActions(&app.RunDocument{Actions: e.Actions}, "--verbose shows them")
	if len(e.Skipped) > 0 {
		t := &table{right: map[int]bool{1: true}}
		for _, reason := range slices.Sorted(maps.Keys(e.Skipped)) {
			t.row(reasonWords(reason), thousands(e.Skipped[reason]))
		}
		c.printf("\n%s\n%s", c.style.bold("Left alone"), t.format("  ", c.style))
	}
	c.printDeferred(e.Deferred, e.Stats.MemoriesDeferred)
}

func (c *call) printChain(problems []oplog.Problem, n int, head string) {
	for _, p := range problems {
		c.printf("%s %s\n", c.style.red("error"), printable(p.String()))
	}
	entries := quantity(n, "entry")
	switch {
	case len(problems) > 0 && n == 0:
		c.printf("the chain can't be verified\n")
	case len(problems) > 0:
		c.printf("chain broken: %s in %s\n", quantity(len(problems), "problem"), entries)
	case n == 0:
		c.printf("chain intact: no entries yet\n")
	default:
		c.printf("chain intact: %s, head %s\n", entries, head)
	}
}
