// Package archiving makes the actions that move memories into the archive and out of it, and write those again whose files were deleted.
package archiving

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Archive archives memories on somebody's request, for a reason; "" for none that was given. No rule is asked.
func Archive(snap *memory.Snapshot, reason string, ids ...string) ([]memory.Action, error) {
	if err := find.Known(snap, ids...); err != nil {
		return nil, err
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "by hand"
	}
	return archive.Archive(snap, reason, ids...)
}

// Store is what restoring needs of a workspace besides a snapshot.
type Store interface {
	find.History
	Log() ops.Log
	Dir() string
}

// Restore brings memories back out of the archive. A memory whose file was deleted is written again, as the records of runs have it; an id that
// neither the workspace nor a run knows is not found.
func Restore(store Store, snap *memory.Snapshot, ids ...string) ([]memory.Action, error) {
	var archived []string
	var deleted []memory.Action
	files := snap.NewFiles()
	for _, id := range ids {
		if len(snap.Find(id)) > 0 {
			archived = append(archived, id)
			continue
		}
		if slices.ContainsFunc(deleted, func(a memory.Action) bool { return a.MemoryID == id }) {
			continue
		}
		a, err := again(store, snap, files, id)
		if err != nil {
			return nil, err
		}
		deleted = append(deleted, a)
	}
	actions, err := archive.Restore(snap, archived...)
	if err != nil {
		return nil, err
	}
	return append(actions, deleted...), nil
}

// again is the action that writes a memory again whose file was deleted. An id that no run knows is none; where the
// records don't have its text, the error names what may.
func again(store Store, snap *memory.Snapshot, files *memory.NewFiles, id string) (memory.Action, error) {
	if err := find.Unread(snap, id); err != nil {
		return memory.Action{}, err
	}
	past, err := store.History(id)
	if err != nil {
		return memory.Action{}, err
	}
	if a, ok := archive.RestoreDeleted(snap, files, id, past); ok {
		return a, nil
	}
	log, err := store.Log().Read()
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
		if _, err := os.Stat(filepath.Join(store.Dir(), kept)); err == nil {
			hint += "; earlier texts are in " + kept
		}
		return memory.Action{}, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s was deleted outside of memoryd after %s, and no record of a run has its text any more", id, e.RunID), hint)
	}
	return memory.Action{}, find.Missing(snap, id)
}
