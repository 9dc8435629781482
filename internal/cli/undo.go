package cli

import (
	"cmp"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
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
it. A change that can't be taken back stays the last one: the output says what
blocks it, and names the change before it. An undo is a run too: "memory undo"
with its id redoes everything. --dry-run shows what would be taken back, and
what can't be. The last 100 runs and the last 100 single changes can be undone
(history.keep), and all of the last day.`,
		example: "memory undo run_20260301T090000Z_1f2e3d4c --action 2",
		flags: []urfave.Flag{
			&urfave.IntFlag{Name: "action", Usage: "only the `N`th action of the run, as \"memory log RUN\" lists them"},
			&urfave.StringFlag{Name: "memory", Usage: "only the actions that concern the memory `ID`"},
		},
		least: 1, most: 1, writes: true, run: runUndo, words: func(c *call) []string { return append([]string{"last"}, runIDs(c)...) },
	}
}

func runUndo(c *call) error {
	if c.flags.IsSet("action") && c.flags.Int("action") < 1 {
		return fail.Usagef("--action: write a number above 0")
	}
	dry := c.flags.Bool("dry-run")
	if !dry {
		if _, err := c.open(); err != nil {
			return err
		}
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	log, err := store.Log().Read()
	if err != nil {
		return err
	}
	entry := app.LastChange(log, store.Machine())
	if c.args[0] != "last" {
		if entry, err = findRun(log, c.args[0]); err != nil {
			return err
		}
	}
	if entry == nil {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "there is no change to undo"), `"memory log" lists the runs; an undo is redone by its run id`)
	}
	only, err := undoOnly(c, snap, entry)
	if err != nil {
		return err
	}
	named := app.NamedActions(snap, entry) // before what is undone moves
	undoing := term.Printable(app.Undoing(named, entry, only)) + ", run " + term.Printable(entry.RunID)
	result, err := app.Undo(c.ctx, store, cmp.Or(c.actor(), "USER"), log, entry, only, c.at, dry)
	if undone := (*app.UndoneError)(nil); errors.As(err, &undone) {
		return fail.WithHint(&fail.Error{Err: err, Code: fail.ExitStale}, "nothing was changed; to redo it: memory undo "+undone.By[len(undone.By)-1])
	}
	if blocked := (*app.BlockedError)(nil); errors.As(err, &blocked) {
		if c.JSON {
			if err := c.PrintJSON(document.NewUndo(result)); err != nil {
				return err
			}
		}
		return cantUndo(snap, undoing, blocked, result)
	}
	if errors.Is(err, workspace.ErrNoRun) {
		if entry.Machine != "" && entry.Machine != store.Machine() {
			return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s ran on %s, which has its record", entry.RunID, entry.Machine), "take it back there, then share the result: \"memory sync\"")
		}
		return fail.WithHint(&fail.Error{Err: err, Code: fail.ExitNotFound}, "the records of the last runs are kept: see history.keep in \"memory config\"")
	}
	if err != nil {
		return err
	}
	printer.Warnings(&c.Printer, result)
	if c.args[0] == "last" && !c.JSON {
		verb := "taking back"
		if dry {
			verb = "would take back"
		}
		c.Say("%s: %s\n", verb, undoing)
	}
	doc := document.NewUndo(result)
	if doc.DryRun = dry; dry {
		doc.Applied, doc.RunID = new(false), ""
	}
	if c.JSON {
		if err := c.PrintJSON(doc); err != nil {
			return err
		}
	} else {
		printer.Undone(&c.Printer, named, entry.RunID, result, doc)
	}
	if len(result.Skipped) > 0 {
		why, by := app.Since(log, entry, result.Skipped)
		hint := "what is listed was left as it is"
		if len(by) > 0 {
			hint += "; undo first: memory undo " + by[0]
		}
		return fail.WithHint(&fail.Error{Err: errors.New(term.Printable(strings.Join(why, "\n"))), Code: fail.ExitStale}, hint)
	}
	return nil
}

// cantUndo is the failure of an undo that changed nothing: what blocks it, and what to do.
func cantUndo(snap *memory.Snapshot, undoing string, blocked *app.BlockedError, result *workspace.Result) error {
	hint := "nothing was changed"
	if len(blocked.By) > 0 {
		hint += "; undo first: memory undo " + blocked.By[0]
	}
	for _, s := range result.Skipped {
		if len(snap.Find(s.MemoryID)) == 0 {
			hint += "; to bring back the deleted file: memory restore " + s.MemoryID
			break
		}
	}
	if blocked.Older != "" {
		hint += "; to undo the change before it: memory undo " + blocked.Older
	}
	text := "can't take back " + undoing + ":\n" + term.Printable(strings.Join(blocked.Why, "\n"))
	return fail.WithHint(&fail.Error{Err: errors.New(text), Code: fail.ExitStale}, hint)
}

// undoOnly is which actions of the run are meant; nil for all.
func undoOnly(c *call, snap *memory.Snapshot, entry *oplog.Entry) (func(int, oplog.Action) bool, error) {
	n, id := c.flags.Int("action"), c.flags.String("memory")
	switch {
	case c.flags.IsSet("action") && id != "":
		return nil, fail.Usagef("--action and --memory: give one of them")
	case c.flags.IsSet("action"):
		if n > len(entry.Actions) {
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s has no action %d: it has %s", entry.RunID, n, app.Quantity(len(entry.Actions), "action")), "memory log "+entry.RunID)
		}
		return func(i int, _ oplog.Action) bool { return i == n-1 }, nil
	case id != "":
		only := app.ActionsOn(entry, id)
		if only == nil {
			if len(snap.Find(id)) == 0 {
				return nil, find.Missing(snap, id)
			}
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s did nothing to %s", entry.RunID, id), "memory log "+entry.RunID)
		}
		return only, nil
	}
	return nil, nil
}
