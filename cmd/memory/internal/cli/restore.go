package cli

import (
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/oplog"
)

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
