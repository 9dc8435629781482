package cli

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func showCommand() *command {
	return &command{
		args:    "ID… [--original | --at-run RUN]",
		purpose: "print memories, also archived ones",
		detail: `This counts as a read, once a day for each memory. Memories that are read are not
archived as stale. With --json the record is printed as in its file, byte for
byte; several records are the list "records" of one document.`,
		example: "memory show mem_k3x9q0a7b2cd",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "original", Usage: "print the record before its last summary, or before a save gave it another text"},
			&urfave.BoolFlag{Name: "no-count", Usage: "don't count this as a read"},
			&urfave.StringFlag{Name: "at-run", Usage: "print it as the run `RUN` left it"},
		},
		least: 1, most: -1, needs: needsSnapshot, text: true, run: runShow, words: allIDs,
	}
}

func runShow(c *call) error {
	var (
		all []find.Shown
		err error
	)
	run := c.flags.String("at-run")
	switch {
	case run != "" && c.flags.Bool("original"):
		return fail.Usagef("--original and --at-run: give one of them")
	case run != "":
		all, err = atRun(c.store, c.snap, c.args, run)
	case c.flags.Bool("original"):
		all, err = find.Originals(c.store, c.snap, c.args)
	default:
		if all, err = find.Records(c.snap, c.args); err == nil && !c.flags.Bool("no-count") {
			noteRead(c, c.store, c.args)
		}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printer.Records(&c.Printer, all)
	}
	for i, s := range all {
		if i > 0 {
			c.Printf("\n")
		}
		printer.Memory(&c.Printer, *c.scored(), c.snap, s)
	}
	return nil
}

// noteRead notes that memories were read. That it can't, on a read-only disk say, is no
// reason not to show them.
func noteRead(c *call, store *workspace.FileStore, ids []string) {
	if err := store.Ops().NoteRead(ops.Use{At: c.at, Session: hook.NamedSession(c.env), From: c.cmd.name}, ids...); err != nil && c.Verbose {
		c.Note("%v", err)
	}
}

// atRun finds the records as a run left them.
func atRun(store *workspace.FileStore, snap *memory.Snapshot, ids []string, run string) (all []find.Shown, err error) {
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	entry, err := findRun(log, run)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		m, err := store.RecordAt(id, entry.RunID)
		if errors.Is(err, workspace.ErrNoRun) {
			return nil, fail.WithHint(&fail.Error{Err: err, Code: fail.ExitNotFound}, "the records of the last runs are kept: see history.keep in \"memory config\"")
		}
		if err != nil {
			return nil, err
		}
		if m == nil { // no run has changed it
			if m, err = find.One(snap, id); err != nil {
				return nil, err
			}
		}
		all = append(all, find.Shown{Memory: m, Version: "as " + entry.RunID + " left it"})
	}
	return all, nil
}
