package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// TestPoll: what changes a file, its name or its place is found; nothing else is, but for an
// index that isn't there.
func TestPoll(t *testing.T) {
	w := newReusing(t, false)
	w.write(t, "global/a.json", record("a", "text"))
	w.write(t, "global/b.json", record("b", "text"))
	w.write(t, "global/"+memory.IndexFile, `{"entries": []}`)
	at := func(name string) string { return filepath.Join(w.dir, name) }
	info, err := os.Stat(at("global/a.json"))
	if err != nil {
		t.Fatal(err)
	}
	w.tick(t)
	p := NewPoll(w.store)
	for _, step := range []struct {
		name string
		do   func() error
		told string
	}{
		{"the first", func() error { return nil }, "[]"},
		{"nothing", func() error { return nil }, "[]"},
		{"other files", func() error {
			return errors.Join(os.WriteFile(at("global/note.txt"), nil, 0o644), os.MkdirAll(at("ops"), 0o755), os.WriteFile(at("ops/x.json"), nil, 0o644), os.WriteFile(at(".x.json"), nil, 0o644))
		}, "[]"},
		{"an edit that keeps size and time", func() error {
			return errors.Join(os.WriteFile(at("global/a.json"), []byte(record("a", "TEXT")), 0o644), os.Chtimes(at("global/a.json"), info.ModTime(), info.ModTime()))
		}, "[global/a.json]"},
		{"another name", func() error { return os.Rename(at("global/a.json"), at("global/c.json")) }, "[global/a.json global/c.json]"},
		{"an edit of what changed before", func() error { return os.WriteFile(at("global/c.json"), []byte(record("a", "once more")), 0o644) }, "[global/c.json]"},
		{"another file over it", func() error {
			return errors.Join(os.WriteFile(at("x"), []byte(record("b", "over")), 0o644), os.Rename(at("x"), at("global/b.json")))
		}, "[global/b.json]"},
		{"another directory", func() error {
			return errors.Join(os.Mkdir(at("teams"), 0o755), os.Rename(at("global/c.json"), at("teams/c.json")))
		}, "[global/c.json teams]"},
		{"in it", func() error { return os.Mkdir(at("teams/t"), 0o755) }, "[teams/t]"},
		{"two files for each other", func() error {
			return errors.Join(os.Rename(at("teams/c.json"), at("x")), os.Rename(at("global/b.json"), at("teams/c.json")), os.Rename(at("x"), at("global/b.json")))
		}, "[global/b.json teams/c.json]"},
		{"a directory moved", func() error { return os.Rename(at("teams"), at("agents")) }, "[agents teams]"},
		{"settings", func() error { return os.WriteFile(at(memory.ConfigFile), nil, 0o644) }, "[memory.toml]"},
		{"a link", func() error { return os.Symlink("b.json", at("global/l.json")) }, "[global/l.json]"},
		{"a directory for a file", func() error {
			return errors.Join(os.Remove(at("agents/c.json")), os.Mkdir(at("agents/c.json"), 0o755))
		}, "[agents/c.json]"},
		{"all removed", func() error { return os.RemoveAll(at("agents")) }, "[agents]"},
	} {
		w.tick(t)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		w.tick(t)
		if got := fmt.Sprint(present(p.Scan())); got != step.told {
			t.Errorf("%s: found %s, want %s", step.name, got, step.told)
		}
		if got := fmt.Sprint(present(p.Scan())); got != "[]" {
			t.Errorf("%s: found once more: %s", step.name, got)
		}
	}
}

// present leaves out indexes of which there is none.
func present(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return path.Base(name) == memory.IndexFile })
}

// TestPollTellsAgain: a file that has just changed may change again and leave the same
// times, so that it is told until it is old enough.
func TestPollTellsAgain(t *testing.T) {
	w := newReusing(t, false)
	w.store.Racy = catalog.HalfSaved
	w.write(t, "global/a.json", record("a", "text"))
	p := NewPoll(w.store)
	for i := range 3 {
		if got := fmt.Sprint(present(p.Scan())); (got == "[global/a.json]") != (i > 0) {
			t.Errorf("look %d: told %s", i, got)
		}
	}
	w.store.Racy = 0
	if got := fmt.Sprint(present(p.Scan()), p.Scan()); got != "[global/a.json] []" {
		t.Errorf("old enough: told %s", got)
	}
}

// TestPollTellsAll: whatever is done to the files, looking at what a poll tells leaves
// what a full reindex leaves.
func TestPollTellsAll(t *testing.T) {
	checks(t, 100, func(r *rapid.T) {
		w := newReusing(t, false)
		w.store.Reuse = false
		v, p := NewInventory(w.store), NewPoll(w.store)
		v.Patience = 0
		p.Scan()
		if _, err := v.Compare(context.Background(), day); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			h := &hands{r: r, disk: realDisk{t, w.dir}, told: map[string]bool{}}
			var told []string
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				h.do()
				w.tick(t)
				if rapid.Bool().Draw(r, "scan") { // what it finds no later one finds again
					told = append(told, p.Scan()...)
				}
			}
			told = append(told, p.Scan()...)
			if _, err := v.Update(context.Background(), day, told); err != nil {
				r.Fatal(err)
			}
			written, err := w.store.Reindex(context.Background(), day)
			if err != nil || len(written) > 0 {
				r.Fatalf("after %v, told %q, a reindex finds differences: %v, %+v", h.told, told, err, written)
			}
			w.tick(t)
		}
	})
}
