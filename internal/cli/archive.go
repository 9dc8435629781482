package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
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
	if err := find.Known(c.snap, c.args...); err != nil {
		return err
	}
	actions, err := archive.Archive(c.snap, c.flags.String("reason"), c.args...)
	if err != nil {
		return err
	}
	return c.applyCommand(actions, func(done []oplog.Action) {
		for _, a := range done {
			c.say("archived %s: %s → %s\n", term.Printable(a.MemoryID), term.Printable(a.From), term.Printable(a.To))
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
		least:   1, most: -1, needs: needsSnapshot, run: runRestore, words: archivedIDs,
	}
}

func runRestore(c *call) error {
	var archived []string
	var deleted []memory.Action
	files := c.snap.NewFiles()
	for _, id := range c.args {
		if len(c.snap.Find(id)) > 0 {
			archived = append(archived, id)
			continue
		}
		if slices.ContainsFunc(deleted, func(a memory.Action) bool { return a.MemoryID == id }) {
			continue
		}
		a, err := c.deleted(files, id)
		if err != nil {
			return err
		}
		deleted = append(deleted, a)
	}
	actions, err := archive.Restore(c.snap, archived...)
	if err != nil {
		return err
	}
	actions = append(actions, deleted...)
	return c.applyCommand(actions, func(done []oplog.Action) {
		for _, a := range done {
			c.say("restored %s: %s → %s", term.Printable(a.MemoryID), cmp.Or(term.Printable(a.From), "deleted"), term.Printable(a.To))
			if a.Detail != "" {
				c.say(" (%s)", term.Printable(a.Detail))
			}
			c.say("\n")
		}
	})
}

// deleted is the action that writes a memory again whose file was deleted. An id that no run knows is none; where the
// records don't have its text, the error names what may.
func (c *call) deleted(files *memory.NewFiles, id string) (memory.Action, error) {
	if err := find.Unread(c.snap, id); err != nil {
		return memory.Action{}, err
	}
	past, err := c.store.History(id)
	if err != nil {
		return memory.Action{}, err
	}
	if a, ok := archive.RestoreDeleted(c.snap, files, id, past); ok {
		return a, nil
	}
	log, err := c.store.Log().Read()
	if err != nil {
		return memory.Action{}, err
	}
	for i := range slices.Backward(log.Entries) {
		e := &log.Entries[i]
		n := slices.IndexFunc(e.Actions, func(a oplog.Action) bool { return app.Concerns(&a, id) })
		if n < 0 {
			continue
		}
		a := &e.Actions[n]
		file, _, _ := strings.Cut(a.To, "#")
		if a.MemoryID != id || file == "" {
			file, _, _ = strings.Cut(a.From, "#")
		}
		hint := "look for its text in version control or in a backup"
		if file != "" && a.MemoryID == id {
			hint = "look for its text in version control (git log --all -- " + file + ") or in a backup"
		}
		kept := memory.OriginalDir + "/" + memory.FileName(id)
		if _, err := os.Stat(filepath.Join(c.store.Dir(), kept)); err == nil {
			hint += "; earlier texts are in " + kept
		}
		return memory.Action{}, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s was deleted outside of memoryd after %s, and no record of a run has its text any more", id, e.RunID), hint)
	}
	return memory.Action{}, find.Missing(c.snap, id)
}
