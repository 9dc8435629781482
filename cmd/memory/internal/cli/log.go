package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// recentRuns is how many runs are listed for people when no limit is given.
const recentRuns = 20

func logCommand() *command {
	return &command{
		args:    "[RUN] [options]",
		purpose: "show what was done, by whom and why",
		detail: `Without RUN, the runs are listed, the latest first. RUN is a run id or the
beginning of one. --verify checks that no entry was changed, removed or inserted
after it was written. With --quiet only the run ids are printed.`,
		example: "memory log --verify",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "verify", Usage: "check the chain of hashes"},
			limitFlag(fmt.Sprintf("list at most `N` runs [%d; all with --json]", recentRuns)),
		},
		most: 1, needs: needsStore, run: runLog, words: runIDs,
	}
}

func runLog(c *call) error {
	if c.flags.Bool("verify") {
		if len(c.args) > 0 {
			return usagef("--verify checks the whole log: leave out %q", c.args[0])
		}
		return c.verify()
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
			return c.printJSON(entry)
		}
		c.printEntry(entry)
		return nil
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
	entries := []oplog.Entry{}
	for i := len(log.Entries) - 1; i >= 0 && len(entries) < limit; i-- {
		entries = append(entries, log.Entries[i])
	}
	if c.json {
		return c.printJSON(entries)
	}
	c.printEntries(entries, len(log.Entries))
	return nil
}

// findRun finds the run that an id, or the beginning of one, names.
func findRun(log *oplog.Log, id string) (*oplog.Entry, error) {
	entry, candidates := app.FindRun(log, id)
	switch {
	case entry != nil:
		return entry, nil
	case len(candidates) > 0:
		return nil, withHint(fmt.Errorf("%s: %s begin so", id, quantity(len(candidates), "run")), "write more of it: "+some(candidates, 5))
	}
	return nil, withHint(failf(exitNotFound, "%s: no such run", id), `"memory log" lists the runs`)
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

// verify checks the chain of hashes.
func (c *call) verify() error {
	problems, n, head, err := c.store.Log().Verify()
	switch {
	case err != nil:
		return err
	case c.json:
		if err := c.printJSON(app.NewLogDocument(problems, n, head)); err != nil {
			return err
		}
	default:
		c.printChain(problems, n, head)
	}
	if len(problems) > 0 {
		return outcome(exitProblems)
	}
	return nil
}
