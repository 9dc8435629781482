package document

import (
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Change is one difference in the life of a memory.
type Change struct {
	RunID  string `json:"run_id,omitempty" jsonschema:"'' for an edit by hand"`
	At     string `json:"at,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Type   string `json:"type" jsonschema:"of the action; hand for an edit by hand, deleted for a file that somebody deleted"`
	UndoOf string `json:"undo_of,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Diff   string `json:"diff"`

	Time time.Time `json:"-" jsonschema:"that of At"`
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
