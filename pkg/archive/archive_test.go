package archive_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

func open(t interface {
	Fatal(...any)
}, dir string, files map[string]string) *workspace.FileStore {
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// memories reads back every file that holds, or held, memories.
func memories(t interface{ Fatal(...any) }, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == memory.IndexFile || strings.Contains(filepath.ToSlash(name), "/ops/") {
			return err
		}
		text, err := os.ReadFile(name)
		out[strings.TrimPrefix(name, dir)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compact(text string) string {
	return string(jsonedit.Compact([]byte(strings.TrimPrefix(text, "\ufeff"))))
}

func apply(t interface{ Fatal(...any) }, s *workspace.FileStore, build func(*memory.Snapshot) ([]memory.Action, error)) *workspace.Result {
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	actions, err := build(snap)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Commit(context.Background(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), actions...)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Archiving any memories one by one and restoring them in any order gives back
// every file, byte for byte.
func TestRestoreUndoesArchive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "archive")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := random.Workspace(t)
		s := open(t, dir, files)
		defer s.Close()
		before := memories(t, dir)
		snap, err := s.Load(random.At)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, m := range snap.Memories() {
			if len(ids) < 5 && rapid.Bool().Draw(t, "archive "+m.ID) && m.Locked == "" {
				ids = append(ids, m.ID)
			}
		}
		left, emptied := map[string]int{}, map[string]bool{}
		for _, m := range snap.Memories() {
			if !m.Whole() {
				left["/"+m.File]++
			}
		}
		for _, id := range ids {
			if m := snap.Live(id); !m.Whole() {
				left["/"+m.File]--
				emptied["/"+m.File] = emptied["/"+m.File] || left["/"+m.File] == 0
			}
		}
		// The last one out is the first one back: positions in a collection are
		// those at the time of archiving.
		for _, id := range ids {
			if res := apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", id) }); res.Applied != 1 {
				t.Fatalf("archive %s: %+v", id, res)
			}
		}
		for i := range ids {
			id := ids[len(ids)-1-i]
			if res := apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, id) }); res.Applied != 1 {
				t.Fatalf("restore %s: %+v", id, res)
			}
		}
		after := memories(t, dir)
		for name := range before {
			if emptied[name] { // the layout inside [] can't be known any more
				before[name], after[name] = compact(before[name]), compact(after[name])
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestErrors(t *testing.T) {
	s := open(t, t.TempDir(), map[string]string{
		"global/a.json":  `{"id":"a","type":"x","content":"1"}`,
		"archive/b.json": `{"id":"b","type":"x","content":"2"}`,
	})
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Archive(snap, "", "nobody"); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := archive.Archive(snap, "", "b"); err == nil || !strings.Contains(err.Error(), "archived already") {
		t.Errorf("archived id: %v", err)
	}
	if _, err := archive.Restore(snap, "a"); err == nil || !strings.Contains(err.Error(), "not archived") {
		t.Errorf("live id: %v", err)
	}
}

// A memory whose old place is taken, or unknown, comes back as a file of its own.
func TestRestoreWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, map[string]string{
		"archive/b.json": `{"id":"b","type":"x","scope":"team","scope_id":"qa","content":"2"}`,
		"global/a.json":  `{"id":"a","type":"x","content":"1"}`,
	})
	apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", "a") })
	if err := os.WriteFile(filepath.Join(dir, "global/a.json"), []byte(`{"taken":true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, "a", "b") })
	got := memories(t, dir)
	for name, want := range map[string]string{
		"/global/a.json": `{"taken":true}`, "/teams/qa/b.json": `{"id":"b","type":"x","scope":"team","scope_id":"qa","content":"2"}`,
	} {
		if got[name] != want {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	if m := snap.Live("a"); m == nil || m.File != "global/a-2.json" {
		t.Errorf("a: %+v", m)
	}
}

// Elements archived together come back together, in their order.
func TestRestoreSeveralElements(t *testing.T) {
	const before = `{"entries":[{"id":"a","type":"x"},{"id":"b","type":"x"},{"id":"c","type":"x"},{"id":"d","type":"x"},{"id":"e","type":"x"}]}`
	for _, ids := range [][]string{{"b", "c"}, {"d", "b", "c"}, {"e", "a"}, {"e", "d", "c", "b"}} {
		dir := t.TempDir()
		s := open(t, dir, map[string]string{"l.json": before})
		apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", ids...) })
		apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, ids...) })
		if got := memories(t, dir)["/l.json"]; got != before {
			t.Errorf("%v: %s", ids, got)
		}
	}
}
