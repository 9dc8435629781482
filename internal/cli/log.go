package cli

import (
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/printer"
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
		if c.JSON {
			return c.PrintJSON(document.NewRun(entry))
		}
		if !c.IDs(printer.Members(entry.Actions)...) {
			if _, _, err := c.load(); err != nil {
				c.Note("the memories can't be read, so only ids are shown: %v", err)
			}
			printer.LogEntry(&c.Printer, c.snap, entry)
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
	case limit == 0 && c.JSON:
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
		if app.Background(&log.Entries[i]) && !c.Verbose && !c.JSON {
			continue
		}
		if all++; len(entries) < limit {
			entries = append(entries, log.Entries[i])
		}
	}
	if c.JSON {
		doc := document.Runs{Runs: []*document.Run{}, Page: document.Page{Total: all}}
		for i := range entries {
			run := document.NewRun(&entries[i])
			doc.Runs = append(doc.Runs, &run)
		}
		return c.PrintJSON(doc)
	}
	if period && all == 0 && !c.Quiet {
		c.Printf("no runs in that time\n")
	} else {
		printer.LogEntries(&c.Printer, entries, all)
	}
	if left := len(log.Entries) - all - others; left > 0 {
		c.Say("%s\n", c.Style.Dim(fmt.Sprintf("%s that only counted reads: --verbose lists them", app.Quantity(left, "run"))))
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
		return nil, fail.WithHint(fmt.Errorf("%s: %s begin so", id, app.Quantity(len(candidates), "run")), "write more of it: "+app.First(candidates, 5))
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
	case c.JSON:
		if err := c.PrintJSON(document.NewLogCheck(problems, n, head)); err != nil {
			return err
		}
	default:
		printer.Chain(&c.Printer, problems, n, head)
	}
	if len(problems) > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}
