package app

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// FindRun finds the log entry of a run: by its id, with or without "run_", by a unique
// beginning of it, or by "last", which leaves out background work. If there is none, it returns the ids that begin so.
func FindRun(log *oplog.Log, id string) (entry *oplog.Entry, candidates []string) {
	for _, name := range []string{id, "run_" + id} {
		if entry, ok := log.Find(name); ok {
			return entry, nil
		}
	}
	if last := NewestRun(log); id == "last" && last != nil {
		return last, nil
	}
	for _, e := range log.Entries {
		if id != "" && (strings.HasPrefix(e.RunID, id) || strings.HasPrefix(e.RunID, "run_"+id)) {
			candidates = append(candidates, e.RunID)
		}
	}
	return nil, candidates
}

// Concerns reports whether an action read or changed a memory.
func Concerns(a *oplog.Action, id string) bool {
	return a.MemoryID == id || a.ResultID == id || slices.Contains(a.MemoryIDs, id) || slices.Contains(a.SourceIDs, id)
}

// ActionsOn selects the actions of an entry that concern a memory, for an undo. It is
// nil if there are none.
func ActionsOn(entry *oplog.Entry, id string) func(int, oplog.Action) bool {
	if !slices.ContainsFunc(entry.Actions, func(a oplog.Action) bool { return Concerns(&a, id) }) {
		return nil
	}
	return func(_ int, a oplog.Action) bool { return Concerns(&a, id) }
}
