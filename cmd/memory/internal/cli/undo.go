package cli

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func undoCommand() *command {
	return &command{
		args:    "RUN [options]",
		purpose: "take back a run, or one of its actions",
		detail: `Restores what the run changed, byte for byte. A memory that has been changed
since then is left alone, and so is the whole action it belongs to; the output
says so. RUN is a run id or the beginning of one, as "memory log" lists them, or
"last". An undo is a run too: undo it to redo everything. The last 100 runs can
be undone (history.keep).`,
		example: "memory undo run_20260301T090000Z_1f2e3d4c --action 2",
		flags: []urfave.Flag{
			&urfave.IntFlag{Name: "action", Usage: "only the `N`th action of the run, as \"memory log RUN\" lists them"},
			&urfave.StringFlag{Name: "memory", Usage: "only the actions that concern the memory `ID`"},
			waitFlag(),
		},
		least: 1, most: 1, run: runUndo, words: func(c *call) []string { return append([]string{"last"}, runIDs(c)...) },
	}
}

func runUndo(c *call) error {
	if c.flags.IsSet("action") && c.flags.Int("action") < 1 {
		return usagef("--action: write a number above 0")
	}
	if _, err := c.openToWrite(); err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	log, err := store.Log().Read()
	if err != nil {
		return err
	}
	entry, err := findRun(log, c.args[0])
	if err != nil {
		return err
	}
	only, err := c.undoOnly(snap, entry)
	if err != nil {
		return err
	}
	result, err := store.Undo(c.ctx, entry.RunID, only, c.at)
	if errors.Is(err, workspace.ErrNoRun) {
		if entry.Machine != "" && entry.Machine != store.Machine() {
			return withHint(failf(exitNotFound, "%s ran on %s, which has its record", entry.RunID, entry.Machine), "take it back there, then share the result: \"memory sync\"")
		}
		return withHint(&failure{err: err, code: exitNotFound}, "the records of the last runs are kept: see history.keep in \"memory config\"")
	}
	if err != nil {
		return err
	}
	c.warn(result)
	if c.json {
		if err := c.printJSON(app.NewUndoDocument(result)); err != nil {
			return err
		}
	} else {
		c.printUndone(entry.RunID, result)
	}
	return changedMeanwhile(result)
}

// undoOnly is which actions of the run are meant; nil for all.
func (c *call) undoOnly(snap *memory.Snapshot, entry *oplog.Entry) (func(int, oplog.Action) bool, error) {
	n, id := c.flags.Int("action"), c.flags.String("memory")
	switch {
	case c.flags.IsSet("action") && id != "":
		return nil, usagef("--action and --memory: give one of them")
	case c.flags.IsSet("action"):
		if n > len(entry.Actions) {
			return nil, withHint(failf(exitNotFound, "%s has no action %d: it has %s", entry.RunID, n, quantity(len(entry.Actions), "action")), "memory log "+entry.RunID)
		}
		return func(i int, _ oplog.Action) bool { return i == n-1 }, nil
	case id != "":
		only := app.ActionsOn(entry, id)
		if only == nil {
			if len(snap.Find(id)) == 0 {
				return nil, notFound(snap, id)
			}
			return nil, withHint(failf(exitNotFound, "%s did nothing to %s", entry.RunID, id), "memory log "+entry.RunID)
		}
		return only, nil
	}
	return nil, nil
}

func (c *call) printUndone(run string, result *workspace.Result) {
	doc := app.NewUndoDocument(result)
	for _, a := range doc.Actions {
		c.say("undid %s\n", printable(a.Detail))
	}
	switch {
	case result.Applied > 0:
		c.say("%s of %s taken back, as run %s\n", quantity(result.Applied, "action"), printable(run), printable(doc.RunID))
	case len(result.Skipped) == 0:
		c.say("nothing to undo: %s has changed no memory\n", printable(run))
	}
}
