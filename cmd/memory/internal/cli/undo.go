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
"last": the newest change of a person, an agent or the rules that is not undone
yet. It is named first. "memory undo last" again takes back the change before
it. An undo is a run too: "memory undo" with its id redoes everything. --dry-run
shows what would be taken back, and what can't be. The last 100 runs and the
last 100 single changes can be undone (history.keep), and all of the last day.`,
		example: "memory undo run_20260301T090000Z_1f2e3d4c --action 2",
		flags: []urfave.Flag{
			&urfave.IntFlag{Name: "action", Usage: "only the `N`th action of the run, as \"memory log RUN\" lists them"},
			&urfave.StringFlag{Name: "memory", Usage: "only the actions that concern the memory `ID`"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be taken back, and change nothing"},
			waitFlag(),
		},
		least: 1, most: 1, run: runUndo, words: func(c *call) []string { return append([]string{"last"}, runIDs(c)...) },
	}
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

func (c *call) printUndone(snap *memory.Snapshot, run string, result *workspace.Result, doc app.UndoDocument) {
	for _, a := range doc.Actions {
		would := ""
		if doc.DryRun {
			would = "would be "
		}
		c.say("%s%s  %s\n", would, app.UndoneWord(&a), printable(app.Named(snap, &a)))
	}
	switch {
	case doc.DryRun && result.Applied > 0:
		c.say("nothing was changed. To do it: memory undo %s\n", printable(run))
	case result.Applied > 0:
		c.say("%s of %s taken back, as run %s\n", quantity(result.Applied, "action"), printable(run), printable(doc.RunID))
	case len(result.Skipped) == 0:
		c.say("nothing to undo: %s has changed no memory\n", printable(run))
	}
}
