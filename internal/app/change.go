package app

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Change is one difference in the life of a memory.
type Change struct {
	RunID  string `json:"run_id,omitempty"` // "" for an edit by hand
	At     string `json:"at,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Type   string `json:"type"` // of the action; hand for an edit by hand, deleted for a file that somebody deleted
	UndoOf string `json:"undo_of,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Diff   string `json:"diff"`

	Time time.Time `json:"-"` // that of At
}

// Deleted is the type of a change that took a memory away without memoryd.
const Deleted = "deleted"

// Changes puts the versions in a row, with the edits by hand between them.
func Changes(versions []workspace.Version, now []*memory.Memory) []Change {
	changes := []Change{}
	hand := func(before, after []byte) {
		if d := RecordDiff(before, after); d != "" {
			changes = append(changes, Change{Type: "hand", Diff: d})
		}
	}
	for i, v := range versions {
		if i > 0 {
			hand(versions[i-1].After, v.Before)
		}
		changes = append(changes, Change{
			RunID: v.RunID, At: timestamp.Format(v.At), Time: v.At, Rule: v.Action.Rule, Type: v.Action.Type, UndoOf: v.UndoOf,
			From: place(v.From, v.Before), To: place(v.To, v.After), Diff: RecordDiff(v.Before, v.After),
		})
	}
	if n := len(versions) - 1; n >= 0 && len(now) == 0 && versions[n].After != nil {
		changes = append(changes, Change{Type: Deleted, From: versions[n].To.String(), Diff: RecordDiff(versions[n].After, nil)})
	}
	if len(versions) > 0 && len(now) == 1 {
		hand(versions[len(versions)-1].After, now[0].Raw())
	}
	return changes
}

// place is where a record was; "" when there was none.
func place(ref memory.Ref, record []byte) string {
	if record == nil {
		return ""
	}
	return ref.String()
}

// RecordDiff is the difference of two records by lines; "" when there is none.
func RecordDiff(before, after []byte) string {
	text := func(raw []byte) string {
		if raw == nil {
			return ""
		}
		return string(raw) + "\n"
	}
	return udiff.Unified("before", "after", text(before), text(after))
}

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
