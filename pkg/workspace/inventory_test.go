package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// TestUpdatesEqualReindex: whatever is done to the files, looking at what changed
// leaves the bytes that a full reindex leaves, and tells the same of it.
func TestUpdatesEqualReindex(t *testing.T) {
	checks(t, 5000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		v := NewInventory(anyStore(m, 0))
		for step := range rapid.IntRange(1, 8).Draw(r, "steps") {
			h := &hands{r: r, disk: m, told: map[string]bool{}}
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				h.do()
			}
			now := day.Add(time.Duration(step) * time.Hour)
			full := m.Clone()
			want, err := anyStore(full, 0).Reindex(context.Background(), now)
			if err != nil {
				r.Fatal(err)
			}
			look := func() (*Refreshed, error) { return v.Update(context.Background(), now, h.names()) }
			if rapid.IntRange(0, 9).Draw(r, "all") == 0 {
				look = func() (*Refreshed, error) { return v.Compare(context.Background(), now) }
			}
			got, err := look()
			if err != nil || got.Standing != nil {
				r.Fatalf("%v, %v", err, got)
			}
			if diff := gocmp.Diff(visible(full), visible(m)); diff != "" {
				r.Fatalf("after %v, a reindex and an update differ:\n%s", h.told, diff)
			}
			if diff := gocmp.Diff(want, got.Written, gocmp.Comparer(sameDrifts)); diff != "" {
				r.Fatalf("a reindex and an update tell different things:\n%s", diff)
			}
			counted(r, v, full)
		}
	})
}

// sameDrifts leaves out what an update doesn't come by: entries that are left alone.
func sameDrifts(a, b []indexfile.Drift) bool {
	left := func(d indexfile.Drift) bool { return strings.Contains(d.Message, "holds content") }
	return slices.Equal(slices.DeleteFunc(slices.Clone(a), left), slices.DeleteFunc(slices.Clone(b), left))
}

// counted compares what the inventory counts with what a snapshot holds.
func counted(r *rapid.T, v *Inventory, disk *faultfs.Mem) {
	snap, err := anyStore(disk, 0).Load(day)
	if err != nil {
		r.Fatal(err)
	}
	want, working := map[string]int{}, 0
	for _, x := range snap.Indexes {
		want[x.File] = len(x.Owned())
	}
	for _, m := range snap.Memories() {
		if m.Type == memory.Working {
			working++
		}
	}
	got, live, n := v.Counts()
	for _, p := range snap.Problems { // one that is damaged counts for those that it would own
		if path.Base(p.File) == memory.IndexFile {
			delete(want, p.File)
			delete(got, p.File)
		}
	}
	if diff := gocmp.Diff(want, got); len(v.damaged()) == 0 && diff != "" || n != working || live != len(snap.Memories()) {
		r.Fatalf("counted %d memories and %d working ones, there are %d and %d; indexes: %s", live, n, len(snap.Memories()), working, diff)
	}
	var problems []string
	for _, p := range snap.Problems {
		if p.Severity == memory.Error {
			problems = append(problems, p.File+": "+p.Message)
		}
	}
	var told []string
	for _, p := range v.Problems() {
		told = append(told, p.File+": "+p.Message)
	}
	if !slices.Equal(problems, told) {
		r.Fatalf("problems told: %q, want %q", told, problems)
	}
}

// damaged are the indexes that are not JSON.
func (v *Inventory) damaged() (dirs []string) {
	for dir, kind := range v.kinds {
		if kind == damaged {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// TestUpdatesBesideWhatCannotBeRead: what the disk doesn't give keeps the indexes
// that it concerns as they are, and no others. Once it can be read again all is as
// a reindex leaves it.
func TestUpdatesBesideWhatCannotBeRead(t *testing.T) {
	checks(t, 2000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		closed := ""
		hook := &faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if closed != "" && !s.Writes && (s.Name == closed || strings.HasPrefix(s.Name, closed+"/")) && (s.Op == "read" || s.Op == "readdir") {
				return errors.New("the disk doesn't give it")
			}
			return nil
		}}
		v := NewInventory(anyStore(hook, 0))
		if rapid.Bool().Draw(r, "known before") {
			if _, err := v.Compare(context.Background(), day); err != nil {
				r.Fatal(err)
			}
		}
		h := &hands{r: r, disk: m, told: map[string]bool{}}
		for range rapid.IntRange(0, 3).Draw(r, "changes") {
			h.do()
		}
		all := append(h.seen(func(string) bool { return true }), "agents", "agents/A", "odd", "teams/t")
		closed = h.pick("closed", all...)
		before, open := visible(m), m.Clone()
		if _, err := anyStore(open, 0).Reindex(context.Background(), day); err != nil {
			r.Fatal(err)
		}
		want := visible(open)
		if _, err := v.Update(context.Background(), day, append(h.names(), closed)); err != nil {
			r.Fatal(err)
		}
		got := visible(m)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if path.Base(name) != memory.IndexFile || got[name] == want[name] {
				continue
			}
			if !concerns(closed, path.Dir(name)) {
				r.Fatalf("%s can't be read, and %s is not updated:\n%s", closed, name, gocmp.Diff(want[name], got[name]))
			}
			for id, file := range filesIn(name, before[name]) {
				if _, there := got[file]; there && filesIn(name, want[name])[id] == file && filesIn(name, got[name])[id] != file {
					r.Fatalf("%s can't be read, and %s has lost %s:\n%s", closed, name, id, gocmp.Diff(before[name], got[name]))
				}
			}
		}
		closed = ""
		if out, err := v.Update(context.Background(), day, nil); err != nil || out.Standing != nil {
			r.Fatalf("%v, %+v", err, out)
		}
		written, err := anyStore(m, 0).Reindex(context.Background(), day)
		if err != nil || len(written) > 0 {
			r.Fatalf("it can be read again, and a reindex finds differences: %v, %+v", err, written)
		}
	})
}

// filesIn are those that an index lists, by id.
func filesIn(name, text string) map[string]string {
	files := map[string]string{}
	if x, err := indexfile.Parse(name, []byte(text)); err == nil {
		for _, e := range x.Entries() {
			files[e.ID] = e.File
		}
	}
	return files
}

// concerns reports whether what is in a file or directory may tell on an index.
func concerns(closed, dir string) bool {
	if dir == "." || strings.HasPrefix(dir+"/", closed+"/") {
		return true
	}
	return strings.HasPrefix(closed, dir+"/")
}

// TestUpdatesOnARealDisk: the same as TestUpdatesEqualReindex where files have
// identities, which tell a comparison what to read.
func TestUpdatesOnARealDisk(t *testing.T) {
	checks(t, 200, func(r *rapid.T) {
		w := newReusing(t, false)
		w.store.Reuse = false
		v := NewInventory(w.store)
		v.Patience = 0
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			h := &hands{r: r, disk: realDisk{t, w.dir}, told: map[string]bool{}}
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				h.do()
			}
			w.tick(t)
			if _, err := v.Compare(context.Background(), day); err != nil {
				r.Fatal(err)
			}
			w.tick(t)
			w.parsed = 0
			if _, err := v.Compare(context.Background(), day); err != nil {
				r.Fatal(err)
			}
			if most := len(h.seen(func(name string) bool { return path.Base(name) == memory.IndexFile })); w.parsed > most {
				r.Fatalf("%d files were read again, of which at most %d can have been written", w.parsed, most)
			}
			store, err := Open(w.dir)
			if err != nil {
				r.Fatal(err)
			}
			written, err := store.Reindex(context.Background(), day)
			if err = errors.Join(err, store.Close()); err != nil || len(written) > 0 {
				r.Fatalf("a reindex afterwards: %v, %+v", err, written)
			}
		}
	})
}

// TestMemoryGoesAsItsPlaceChangesOwner: an index drops a memory that went, also when its place
// came to belong to another index at the same time.
func TestMemoryGoesAsItsPlaceChangesOwner(t *testing.T) {
	const file, near, none = "agents/A/deep/f1.json", "agents/A/deep/" + memory.IndexFile, `{"entries": []}`
	for _, c := range []struct{ name, before, file, after string }{
		{"removed, index made", "", "", none},
		{"removed, index removed", none, "", ""},
		{"removed, index turns foreign", none, "", `{"projects": []}`},
		{"emptied, index made", "", none, none},
		{"emptied, index removed", none, none, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc := scenario{files: with(memories("agents/A", 1), file, record("m1", "text"))}
			m := sc.disk(t)
			put := func(name, text string) {
				_, there := m.Files()[name]
				var err error
				if text != "" {
					err = m.Put(name, []byte(text))
				} else if there {
					err = m.Remove(name)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			put(near, c.before)
			v := NewInventory(sc.store(m, 0))
			if _, err := v.Compare(context.Background(), day); err != nil {
				t.Fatal(err)
			}
			put(file, c.file)
			put(near, c.after)
			if _, err := v.Compare(context.Background(), day); err != nil {
				t.Fatal(err)
			}
			store := sc.store(m, 0)
			if written, err := store.Reindex(context.Background(), day); err != nil || len(written) > 0 {
				t.Errorf("a reindex finds differences: %v, %+v", err, written)
			}
			if problems, err := store.Check(day); err != nil || len(problems) > 0 {
				t.Errorf("check: %v, %+v", err, problems)
			}
		})
	}
}

// TestUpdatesBesideWhatCannotBeWritten: an index that can't be written, or made,
// stands still alone, and follows when it can be again.
func TestUpdatesBesideWhatCannotBeWritten(t *testing.T) {
	for _, made := range []bool{true, false} {
		sc := scenario{files: with(memories("global", 2), "agents/a/a-0.json", record("a-0", "text of a-0"))}
		if made {
			sc.files = indexed(sc.files, "agents/a")
		}
		m, closed := sc.disk(t), "agents/a/"+memory.IndexFile
		v := NewInventory(sc.store(&faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if s.Writes && closed != "" && (s.Name == closed || s.To == closed) {
				return errors.New("the disk doesn't take it")
			}
			return nil
		}}, 0))
		for i := range 3 {
			for _, name := range []string{"agents/a/a-1.json", "global/new.json"} {
				if err := m.Put(name, []byte(record(path.Base(name), fmt.Sprint("text ", i)))); err != nil {
					t.Fatal(err)
				}
			}
			if i == 2 {
				closed = ""
			}
			out, err := v.Update(context.Background(), day, []string{"agents/a/a-1.json", "global/new.json"})
			if err != nil || len(out.Later) > 0 || (out.Standing == nil) != (closed == "") || out.Written[len(out.Written)-1].File != "global/_index.json" {
				t.Errorf("update %d, made before: %v: %v, %+v", i, made, err, out)
			}
		}
		if written, err := sc.store(m, 0).Reindex(context.Background(), day); err != nil || len(written) > 0 {
			t.Errorf("made before: %v: a reindex finds differences: %v, %+v", made, err, written)
		}
	}
}
