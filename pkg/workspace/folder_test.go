package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// adoptedFolder is a folder of Claude Code with so many notes, which the index lists, and that was adopted.
func adoptedFolder(t *testing.T, notes int, at time.Time) (string, *workspace.FileStore) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".claude", "memory")
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	index := "# Memory\n\n"
	for i := range notes {
		name := fmt.Sprintf("note_%03d.md", i)
		put(name, fmt.Sprintf("---\nname: Note %d\ndescription: what note %d says\nmetadata:\n  type: project\n---\n\nThe machine %d stands in room %d.\n", i, i, i, 3*i))
		index += fmt.Sprintf("- [Note %d](%s) — what note %d says\n", i, name, i)
	}
	put("MEMORY.md", index)
	looked, survey, err := workspace.Look(dir, "", at)
	if err != nil {
		t.Fatal(err)
	}
	if err := looked.Close(); err != nil {
		t.Fatal(err)
	}
	if err := workspace.Adopt(survey, config.Template("seed")); err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(filepath.Join(dir, note.OwnDir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.Reindex(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A note that is saved has its entry in the same run, and where the index has no room for it, others move to a page. Undo gives back
// every byte.
func TestSaveIntoFolder(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for _, notes := range []int{3, 198} {
		dir, s := adoptedFolder(t, notes, at.Add(-time.Hour))
		before := noteTree(t, dir, false)
		snap, err := s.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		action, err := memory.New(snap, memory.Draft{Type: memory.Procedural, Scope: memory.Global, CreatedBy: "DEV-001", Content: []byte(`"Restart the mill before the shift. Then wait."`)})
		if err != nil {
			t.Fatal(err)
		}
		result, err := s.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), action), Save: true})
		if err != nil || result.Applied != 1 || len(result.Warnings) > 0 {
			t.Fatalf("%d notes: %+v, %v", notes, result, err)
		}
		index := read(t, filepath.Join(dir, "MEMORY.md"))
		if lines := strings.Count(index, "\n"); !strings.Contains(index, "(feedback-restart") && !strings.Contains(index, "(restart-the-mill") || lines > 170 {
			t.Errorf("%d notes: %d lines\n%s", notes, lines, index)
		}
		if text := read(t, filepath.Join(dir, "restart-the-mill-before-the-shift.md")); !strings.Contains(text, "metadata:\n  type: feedback\n---\n\nRestart the mill before the shift. Then wait.\n") {
			t.Error(text)
		}
		_, survey, err := workspace.Look(dir, "", at)
		if err != nil || len(survey.Hidden)+len(survey.Orphans) > 0 {
			t.Errorf("%d notes: not reached: %v %v, %v", notes, survey.Hidden, survey.Orphans, err)
		}
		checked := func() {
			t.Helper()
			if problems, err := s.Check(at); err != nil || len(problems) > 0 {
				t.Errorf("%d notes: %v, %v", notes, problems, err)
			}
		}
		checked()
		if _, err := s.Undo(t.Context(), result.RunID, nil, at.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		sameTree(t, "undone", noteTree(t, dir, false), before)
		checked()
	}
}

// The entry of a note goes with the undo of its save, even if the host has written its index since.
func TestUndoSaveWithLaterIndex(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	dir, s := adoptedFolder(t, 3, at.Add(-time.Hour))
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	action, err := memory.New(snap, memory.Draft{Type: memory.Factual, CreatedBy: "DEV-001", Content: []byte(`"The mill has two stones."`)})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), action), Save: true})
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "MEMORY.md")
	theirs := "Read this first.\n\n" + read(t, index)
	if err := os.WriteFile(index, []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context(), result.RunID, nil, at.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if is := read(t, index); strings.Contains(is, "two stones") || !strings.HasPrefix(is, "Read this first.\n\n# Memory\n") || strings.Count(is, "note_") != 3 {
		t.Error(is)
	}
	if problems, err := s.Check(at); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// What changes among the notes is found by looking, too.
func TestPollFindsNotes(t *testing.T) {
	dir, s := adoptedFolder(t, 3, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	p := workspace.NewPoll(s)
	p.Scan()
	for name, text := range map[string]string{"note_001.md": "Changed.", "new.md": "New.", "other.txt": "Nothing of ours."} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found := p.Scan(); !slices.Contains(found, "note_001.md") || !slices.Contains(found, "new.md") || slices.Contains(found, "other.txt") {
		t.Errorf("found %v", found)
	}
}
