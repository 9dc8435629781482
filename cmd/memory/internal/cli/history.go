package cli

import (
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memoryd/memoryd/pkg/workspace"
)

func historyCommand() *command {
	return &command{
		name: "history", group: groupWrite, args: "ID",
		purpose: "show each change of a memory by a run",
		detail: `For each run that changed the memory: when, by which rule, and the difference
it made. What was edited by hand between two runs shows as a difference of its
own. Runs are remembered as long as they can be undone.`,
		example: "memory history mem_k3x9q0a7b2cd",
		least:   1, most: 1, run: runHistory, words: allIDs,
	}
}

// change is one difference in the life of a memory.
type change struct {
	RunID  string `json:"run_id,omitempty"` // "" for an edit by hand
	At     string `json:"at,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Type   string `json:"type"` // of the action; hand for an edit by hand
	UndoOf string `json:"undo_of,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Diff   string `json:"diff"`

	at time.Time
}

func runHistory(c *call) error {
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	id := c.args[0]
	versions, err := store.History(id)
	if err != nil {
		return err
	}
	if len(versions) == 0 && len(snap.Find(id)) == 0 {
		return notFound(snap, id)
	}
	changes := changesOf(versions, snap.Find(id))
	if c.json {
		return c.printJSON(changes)
	}
	if len(changes) == 0 {
		c.say("no run has changed %s, as far as runs are remembered\n", printable(id))
		return nil
	}
	for i, v := range changes {
		if i > 0 {
			c.printf("\n")
		}
		c.printChange(v)
	}
	return nil
}

// changesOf puts the versions in a row, with the edits by hand between them.
func changesOf(versions []workspace.Version, now []*workspace.Memory) []change {
	changes := []change{}
	hand := func(before, after []byte) {
		if d := diff(before, after); d != "" {
			changes = append(changes, change{Type: "hand", Diff: d})
		}
	}
	for i, v := range versions {
		if i > 0 {
			hand(versions[i-1].After, v.Before)
		}
		changes = append(changes, change{
			RunID: v.RunID, At: workspace.FormatTime(v.At), at: v.At, Rule: v.Action.Rule, Type: v.Action.Type, UndoOf: v.UndoOf,
			From: place(v.From, v.Before), To: place(v.To, v.After), Diff: diff(v.Before, v.After),
		})
	}
	if len(versions) > 0 && len(now) == 1 {
		hand(versions[len(versions)-1].After, now[0].Raw())
	}
	return changes
}

// place is where a record stood; "" when there was none.
func place(ref workspace.Ref, record []byte) string {
	if record == nil {
		return ""
	}
	return ref.String()
}

// diff is the difference of two records by lines; "" when there is none.
func diff(before, after []byte) string {
	text := func(raw []byte) string {
		if raw == nil {
			return ""
		}
		return string(raw) + "\n"
	}
	return udiff.Unified("before", "after", text(before), text(after))
}

func (c *call) printChange(v change) {
	if v.RunID == "" {
		c.printf("%s\n", c.style.bold("edited by hand"))
	} else {
		c.printf("%s\n", c.style.bold(printable(v.RunID)))
		t := c.facts()
		t.fact("when", when(v.at))
		t.fact("what", v.Type)
		t.fact("rule", v.Rule)
		t.fact("undo of", v.UndoOf)
		switch {
		case v.From == v.To:
			t.fact("place", v.To)
		case v.From == "":
			t.fact("place", "new: "+v.To)
		case v.To == "":
			t.fact("place", v.From+", taken away")
		default:
			t.fact("place", v.From+" → "+v.To)
		}
		c.printf("%s", t.format("  ", c.style))
	}
	if v.Diff == "" {
		c.printf("  the same bytes\n")
		return
	}
	c.printf("%s", printable(v.Diff))
}
