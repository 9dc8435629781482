package cli

import (
	"cmp"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/archiving"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/oplog"
)

func archiveCommand() *command {
	return &command{
		args:    "ID… [--reason TEXT]",
		purpose: "move memories into the archive",
		detail: `The memory's file moves to archive/, byte for byte. The rules are not asked.
"memory restore" brings it back.`,
		example: `memory archive mem_k3x9q0a7b2cd --reason "the project has ended"`,
		flags:   []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "why, for the log and the archive's index", Value: "by hand"}},
		least:   1, most: -1, needs: needsSnapshot, writes: true, run: runArchive, words: liveIDs,
	}
}

func runArchive(c *call) error {
	actions, err := archiving.Archive(c.snap, c.flags.String("reason"), c.args...)
	if err != nil {
		return err
	}
	return applyCommand(c, actions, func(done []oplog.Action) {
		for _, a := range done {
			c.Say("archived %s: %s → %s\n", term.Printable(a.MemoryID), term.Printable(a.From), term.Printable(a.To))
		}
	})
}

func restoreCommand() *command {
	return &command{
		args:    "ID…",
		purpose: "restore archived memories",
		detail: `A memory goes back to where it was, byte for byte. If its place is taken, it
becomes a file of its own in its scope, and the output says so. A memory whose
file was deleted is written again from the records of runs, as the last run had
it.`,
		example: "memory restore mem_k3x9q0a7b2cd",
		least:   1, most: -1, needs: needsSnapshot, writes: true, run: runRestore, words: archivedIDs,
	}
}

func runRestore(c *call) error {
	actions, err := archiving.Restore(c.store, c.snap, c.args...)
	if err != nil {
		return err
	}
	return applyCommand(c, actions, func(done []oplog.Action) {
		for _, a := range done {
			c.Say("restored %s: %s → %s", term.Printable(a.MemoryID), cmp.Or(term.Printable(a.From), "deleted"), term.Printable(a.To))
			if a.Detail != "" {
				c.Say(" (%s)", term.Printable(a.Detail))
			}
			c.Say("\n")
		}
	})
}
