package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/archive"
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
		least:   1, most: -1, needs: needsSnapshot, run: runArchive, words: liveIDs,
	}
}

func runArchive(c *call) error {
	if err := known(c.snap, c.args); err != nil {
		return err
	}
	actions, err := archive.Archive(c.snap, c.flags.String("reason"), c.args...)
	if err != nil {
		return err
	}
	return c.applyCommand(actions, func(done []oplog.Action) {
		for _, a := range done {
			c.say("archived %s: %s → %s\n", printable(a.MemoryID), printable(a.From), printable(a.To))
		}
	})
}

func restoreCommand() *command {
	return &command{
		args:    "ID…",
		purpose: "bring memories back out of the archive",
		detail: `A memory goes back to where it was, byte for byte. If its place is taken, it
becomes a file of its own in its scope, and the output says so.`,
		example: "memory restore mem_k3x9q0a7b2cd",
		least:   1, most: -1, needs: needsSnapshot, run: runRestore, words: archivedIDs,
	}
}

func runRestore(c *call) error {
	if err := known(c.snap, c.args); err != nil {
		return err
	}
	actions, err := archive.Restore(c.snap, c.args...)
	if err != nil {
		return err
	}
	return c.applyCommand(actions, func(done []oplog.Action) {
		for _, a := range done {
			c.say("restored %s: %s → %s", printable(a.MemoryID), printable(a.From), printable(a.To))
			if a.Detail != "" {
				c.say(" (%s)", printable(a.Detail))
			}
			c.say("\n")
		}
	})
}
