package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// recentRuns is how many runs are listed for people when no limit is given.
const recentRuns = 20

func logCommand() *command {
	return &command{
		args:    "[RUN] [options]",
		purpose: "show what was done, by whom and why",
		detail: `Without RUN, the runs are listed, the latest first. RUN is a run id or the
beginning of one. The counting of reads, which happens by itself, is listed with
--verbose only. --verify checks that no entry was changed, removed or inserted
after it was written. With --quiet only the run ids are printed.`,
		example: "memory log --verify",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "verify", Usage: "check the chain of hashes"},
			sinceFlag(), untilFlag(),
			limitFlag(fmt.Sprintf("list at most `N` runs [%d; all with --json]", recentRuns)),
		},
		most: 1, needs: needsStore, run: runLog, words: runIDs,
	}
}

func runLog(c *call) error {
	period := c.flags.IsSet("since") || c.flags.IsSet("until")
	if period && (len(c.args) > 0 || c.flags.Bool("verify")) {
		return fail.Usagef("--since and --until choose among all runs: leave out RUN and --verify")
	}
	if c.flags.Bool("verify") {
		if len(c.args) > 0 {
			return fail.Usagef("--verify checks the whole log: leave out %q", c.args[0])
		}
		return verifyLog(c)
	}
	log, err := c.store.Log().Read()
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		entry, err := findRun(log, c.args[0])
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(document.NewRun(entry))
		}
		if !c.ids(membersOf(entry.Actions)...) {
			printEntry(c, entry)
		}
		return nil
	}
	in, err := inPeriod(c)
	if err != nil {
		return err
	}
	limit, err := c.limit()
	switch {
	case err != nil:
		return err
	case limit == 0 && c.json:
		limit = len(log.Entries)
	case limit == 0:
		limit = recentRuns
	}
	entries, all, others := []oplog.Entry{}, 0, 0
	for i := range slices.Backward(log.Entries) {
		if !in(log.Entries[i].Timestamp) {
			others++
			continue
		}
		if app.Background(&log.Entries[i]) && !c.verbose && !c.json {
			continue
		}
		if all++; len(entries) < limit {
			entries = append(entries, log.Entries[i])
		}
	}
	if c.json {
		doc := document.Runs{Runs: []*document.Run{}, Page: document.Page{Total: all}}
		for i := range entries {
			run := document.NewRun(&entries[i])
			doc.Runs = append(doc.Runs, &run)
		}
		return c.printJSON(doc)
	}
	if period && all == 0 && !c.quiet {
		c.printf("no runs in that time\n")
	} else {
		printEntries(&c.printer, entries, all)
	}
	if left := len(log.Entries) - all - others; left > 0 {
		c.say("%s\n", c.style.Dim(fmt.Sprintf("%s that only counted reads: --verbose lists them", quantity(left, "run"))))
	}
	return nil
}

// findRun finds the run that an id, or the beginning of one, names.
func findRun(log *oplog.Log, id string) (*oplog.Entry, error) {
	entry, candidates := app.FindRun(log, id)
	switch {
	case entry != nil:
		return entry, nil
	case len(candidates) > 0:
		return nil, fail.WithHint(fmt.Errorf("%s: %s begin so", id, quantity(len(candidates), "run")), "write more of it: "+some(candidates, 5))
	}
	return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no such run", id), `"memory log" lists the runs`)
}

func runIDs(c *call) (ids []string) {
	store, err := c.open()
	if err != nil {
		return nil
	}
	log, err := store.Log().Read()
	if err != nil {
		return nil
	}
	for i := len(log.Entries) - 1; i >= 0; i-- {
		ids = append(ids, log.Entries[i].RunID)
	}
	return ids
}

// verifyLog checks the chain of hashes.
func verifyLog(c *call) error {
	problems, n, head, err := c.store.Log().Verify()
	switch {
	case err != nil:
		return err
	case c.json:
		if err := c.printJSON(document.NewLogCheck(problems, n, head)); err != nil {
			return err
		}
	default:
		printChain(&c.printer, problems, n, head)
	}
	if len(problems) > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

// printEntries lists runs, the latest first.
func printEntries(p *printer, entries []oplog.Entry, all int) {
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].RunID
	}
	if p.ids(ids...) {
		return
	}
	if all == 0 {
		p.printf("no runs yet\n")
		return
	}
	t := &term.Table{Head: []string{"RUN", "WHEN", "WHO", "TRIGGER", "SCOPE", "WHAT"}}
	for i := range entries {
		e := &entries[i]
		t.Row(cmp.Or(e.RunID, "-"), p.when(e.Timestamp), cmp.Or(app.Who(e), "-"), cmp.Or(e.Trigger, "-"), cmp.Or(e.Scope, "-"), app.WhatWasDone(e))
	}
	p.printf("%s", t.Format("", p.style))
	if len(entries) < all {
		p.printf("%s\n", p.style.Dim(fmt.Sprintf("%s of %s: --limit N lists more", thousands(len(entries)), quantity(all, "run"))))
	}
}

// printEntry prints one run.
func printEntry(c *call, e *oplog.Entry) {
	if _, _, err := c.load(); err != nil {
		c.note("the memories can't be read, so only ids are shown: %v", err)
	}
	c.printf("%s\n", c.style.Bold(term.Printable(e.RunID)))
	t := c.facts()
	t.Fact("when", c.when(e.Timestamp))
	t.Fact("trigger", e.Trigger)
	t.Fact("scope", e.Scope)
	t.Fact("actor", app.Who(e))
	t.Fact("machine", e.Machine)
	t.Fact("undo of", e.UndoOf)
	t.Fact("status", e.Status)
	if e.DurationMS > 0 {
		t.Fact("took", (time.Duration(e.DurationMS) * time.Millisecond).String())
	}
	t.Fact("result", totals(e.Stats))
	if c.verbose {
		t.Fact("hash", e.Hash)
		t.Fact("after", cmp.Or(e.PrevHash, "nothing"))
	}
	c.printf("%s\n", t.Format("  ", c.style))
	printActions(c, &document.Run{Actions: e.Actions}, "--verbose shows them")
	if len(e.Skipped) > 0 {
		t := &term.Table{Right: map[int]bool{1: true}}
		for _, reason := range slices.Sorted(maps.Keys(e.Skipped)) {
			t.Row(reasonWords(reason), thousands(e.Skipped[reason]))
		}
		c.printf("\n%s\n%s", c.style.Bold("Left alone"), t.Format("  ", c.style))
	}
	printDeferred(&c.printer, e.Deferred, e.Stats.MemoriesDeferred)
}

func printChain(out *printer, problems []oplog.Problem, n int, head string) {
	for _, p := range problems {
		out.printf("%s %s\n", out.style.Red("error"), term.Printable(p.String()))
	}
	entries := quantity(n, "entry")
	switch {
	case len(problems) > 0 && n == 0:
		out.printf("the chain can't be verified\n")
	case len(problems) > 0:
		out.printf("chain broken: %s in %s\n", quantity(len(problems), "problem"), entries)
	case n == 0:
		out.printf("chain intact: no entries yet\n")
	default:
		out.printf("chain intact: %s, head %s\n", entries, head)
	}
}
