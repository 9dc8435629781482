package workspace

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// A note that can't be read for a moment, or that was another one for a moment, while a plan becomes bytes is never written from what
// was not read.
func TestNoteUnreadForAMoment(t *testing.T) {
	sc := scenarioNamed(t, "note archived")
	for _, how := range []string{"unreadable", "another"} {
		m := sc.disk(t)
		want := names(m)["note-1.md"]
		reads := 0
		hook := &faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if s.Op != "read" || s.Name != "note-1.md" {
				return nil
			}
			reads++
			switch {
			case reads == 1 && how == "unreadable":
				return syscall.EIO
			case reads == 1:
				return m.Overwrite("note-1.md", []byte("Another text.\n"))
			case reads == 2 && how == "another":
				return m.Overwrite("note-1.md", []byte(want))
			}
			return nil
		}}
		s := sc.store(m, 0)
		snap := mustLoad(t, s)
		b := snap.Live("md_note1")
		raw := []byte(strings.Replace(string(b.Raw()), `"tags": []`, `"tags": ["x"]`, 1))
		plan := &memory.Plan{At: day, Trigger: "manual", Actions: []memory.Action{{
			Action: oplog.Action{Type: oplog.Archive, Rule: "archive", MemoryID: b.ID, Reason: "stale"},
			Ops:    []memory.Op{snap.NewFiles().Archive(b, raw)},
		}}}
		plan.Seal(s.Log().Head())
		s = sc.store(hook, 0)
		if _, err := s.Commit(context.Background(), &Tx{Plan: plan, Snapshot: snap}); err == nil && how == "unreadable" {
			t.Error("no error")
		}
		var held []string
		for name, text := range visible(m) {
			if note.Is(name) && text == want {
				held = append(held, name)
			}
		}
		if slices.Sort(held); !slices.Equal(held, []string{"note-1.md"}) || reads == 0 {
			t.Errorf("%s: after %d reads the note is in %v", how, reads, held)
		}
	}
}

// A note whose entry could not be written gets it in the next run: nobody has taken it out.
func TestEntryThatWasNotWritten(t *testing.T) {
	sc := scenarioNamed(t, "note saved")
	m := sc.disk(t)
	index := names(m)["MEMORY.md"]
	met := false
	hook := &faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
		if s.To != "a-text-of-new-0.md" {
			return nil
		}
		met = true
		return m.Overwrite("MEMORY.md", []byte("<<<<<<< ours\n- [x](x.md)\n=======\n>>>>>>> theirs\n"))
	}}
	if err := sc.steps[0](sc.store(hook, 0)); err != nil {
		t.Fatal(err)
	}
	if now := names(m)["MEMORY.md"]; !met || !strings.HasPrefix(now, "<<<<<<<") {
		t.Fatalf("met %v:\n%s", met, now)
	}
	if err := m.Overwrite("MEMORY.md", []byte(index)); err != nil {
		t.Fatal(err)
	}
	if err := tendIndex(sc.store(m, 1)); err != nil {
		t.Fatal(err)
	}
	if now := names(m)["MEMORY.md"]; now != index+"- [A text of new-0](a-text-of-new-0.md)\n" {
		t.Error(now)
	}
}

// The redo of an undone save gives the note its entry again, also where the host has written the index since.
func TestRedoOfSavedNote(t *testing.T) {
	sc := scenarioNamed(t, "undo of a saved note")
	m := sc.disk(t)
	for i, step := range sc.steps {
		if err := step(sc.store(m, i)); err != nil {
			t.Fatal(err)
		}
		theirs := names(m)["MEMORY.md"] + "Theirs.\n"
		if err := m.Overwrite("MEMORY.md", []byte(theirs)); err != nil {
			t.Fatal(err)
		}
	}
	all := names(m)
	if now := all["MEMORY.md"] + all["more-project.md"]; !strings.Contains(now, "- [A text of new-0](a-text-of-new-0.md)\n") || strings.Count(now, "Theirs.") != 3 {
		t.Error(now)
	}
}
