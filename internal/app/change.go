package app

import (
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
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

// KeptOf is the side of a pair that is named: by its id, its place, or the name of its file.
func KeptOf(snap *memory.Snapshot, p review.Pair, name string) string {
	if name == p.A || name == p.B {
		return name
	}
	names := func(m *memory.Memory) bool {
		return m != nil && (name == m.Ref.String() || name == m.File || name == path.Base(m.File))
	}
	switch older, newer := snap.Sides(p); {
	case names(older):
		return p.A
	case names(newer):
		return p.B
	}
	return name
}

// FindPairs returns the pairs with an id: their own, or that of a memory in them.
func FindPairs(open []review.Pair, id string) (found []review.Pair) {
	for _, p := range open {
		if p.ID() == id || p.A == id || p.B == id {
			found = append(found, p)
		}
	}
	return found
}
