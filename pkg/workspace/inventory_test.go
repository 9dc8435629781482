package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
)

var (
	someDirs = []string{"agents/A", "agents/A/deep", "agents/B", "global", "teams/t", "archive", "odd", "odd/er", "."}
	someIDs  = []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6"}
)

// hands changes files as people do, and remembers what a watcher would tell of it.
type hands struct {
	r    *rapid.T
	disk interface {
		Put(name string, data []byte) error
		Remove(name string) error
		Files() map[string]string
	}
	told map[string]bool
}

func (h *hands) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(h.r, label)
}

func (h *hands) put(name, text string) {
	if h.disk.Put(name, []byte(text)) == nil { // else a file stands where its directory should
		h.told[name] = true
	}
}

func (h *hands) remove(name string) {
	if h.disk.Remove(name) == nil {
		h.told[name] = true
	}
}

// seen are the files in the order of their names, those of a kind only.
func (h *hands) seen(want func(name string) bool) []string {
	files := h.disk.Files()
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasPrefix(name, OpsDir+"/") || !strings.HasSuffix(name, ".json") || !want(name)
	})
	return slices.Sorted(maps.Keys(files))
}

// do makes one change.
func (h *hands) do() {
	index := func(name string) bool { return path.Base(name) == IndexFile }
	file := func(name string) bool { return !index(name) }
	dir := h.pick("dir", someDirs...)
	text := fmt.Sprintf("text %d", rapid.IntRange(0, 99).Draw(h.r, "text"))
	switch what := h.pick("what", "edit", "add", "add", "add", "remove", "move", "break", "collection", "profile", "index", "index", "directory"); what {
	case "add":
		h.put(path.Join(dir, h.pick("file", "f0.json", "f1.json", "f2.json", "F1.json")), record(h.pick("id", someIDs...), text))
	case "collection":
		ids := rapid.SliceOfN(rapid.SampledFrom(someIDs), 0, 4).Draw(h.r, "ids")
		records := []string{}
		for _, id := range ids {
			records = append(records, record(id, text))
		}
		h.put(path.Join(dir, "c.json"), `{"entries": [`+strings.Join(records, ",")+`]}`)
	case "profile":
		h.put(path.Join(dir, ProfileFile), h.pick("profile", `{"agent_id": "A", "team": "t", "entries": [`+record("m1", text)+`]}`, `{"entries": [`+record("m1", text)+`]}`, `{"agent_id": 1`))
	case "index":
		h.index(path.Join(dir, IndexFile), index)
	case "directory":
		from := h.pick("from", "agents/A", "agents/A/deep", "odd/er", "teams/t")
		to := h.pick("to", "", "agents/C", "odd/new")
		for _, name := range h.seen(func(name string) bool { return strings.HasPrefix(name, from+"/") }) {
			if to != "" && h.disk.Put(to+strings.TrimPrefix(name, from), []byte(h.disk.Files()[name])) == nil {
				h.told[to] = true
			}
			if h.disk.Remove(name) == nil {
				h.told[from] = true
			}
		}
	default:
		names := h.seen(file)
		if len(names) == 0 {
			return
		}
		name := h.pick("name", names...)
		was := h.disk.Files()[name]
		switch what {
		case "edit":
			h.put(name, strings.Replace(was, `"text `, `"`+text+" ", 1))
		case "break":
			h.put(name, was[:len(was)/2])
		case "remove":
			h.remove(name)
		case "move":
			h.remove(name)
			h.put(path.Join(dir, path.Base(name)), was)
		}
	}
}

// index changes an index, or makes one.
func (h *hands) index(name string, index func(string) bool) {
	if names := h.seen(index); len(names) > 0 && rapid.Bool().Draw(h.r, "existing") {
		name = h.pick("index", names...)
	}
	was := h.disk.Files()[name]
	switch h.pick("to", "remove", "break", "foreign", "empty", "mine", "lookup", "member", "forget") {
	case "remove":
		h.remove(name)
	case "break":
		h.put(name, `{"entries": [`)
	case "foreign":
		h.put(name, `{"projects": []}`)
	case "empty":
		h.put(name, `{"entries": []}`)
	case "mine":
		h.put(name, `{"mine": 1, "last_updated": "", "memories": [{"id": "m1", "file": "f1.json", "note": "kept"}, {"id": "gone"}, {"id": "held", "content": "x"}], "memory_count": 1}`)
	case "lookup":
		h.put(name, "{\n \"entries\": [], \"entry_count\": 7, \"tag_index\": {\"x\": [\"m1\"]}, \"type_index\": {}\n}\n")
	case "member":
		h.put(name, strings.Replace(was, "{", `{"more": 1, `, 1))
	case "forget":
		h.put(name, strings.Replace(was, `"id": "m`, `"id": "n`, 1))
	}
}

// names are what a watcher tells: of some changes the directory, of some nothing new.
func (h *hands) names() []string {
	for _, name := range slices.Sorted(maps.Keys(h.told)) {
		if dir := path.Dir(name); dir != "." && rapid.IntRange(0, 5).Draw(h.r, "coarse") == 0 {
			delete(h.told, name)
			h.told[dir] = true
		}
	}
	if rapid.Bool().Draw(h.r, "idle") {
		h.told[h.pick("idle name", append(h.seen(func(string) bool { return true }), "nothing.json")...)] = true
	}
	return slices.Sorted(maps.Keys(h.told))
}

// TestUpdatesEqualReindex: whatever is done to the files, looking at what changed
// leaves the bytes that a full reindex leaves, and tells the same of it.
func TestUpdatesEqualReindex(t *testing.T) {
	checks(t, 5000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		v := anyStore(m, 0).Inventory()
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
func sameDrifts(a, b []Drift) bool {
	left := func(d Drift) bool { return strings.Contains(d.Message, "holds content") }
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
		want[x.File] = len(x.Owned)
	}
	for _, m := range snap.Memories {
		if m.Type == Working {
			working++
		}
	}
	got, n := v.Counts()
	for _, p := range snap.Problems { // one that is damaged counts for those that it would own
		if path.Base(p.File) == IndexFile {
			delete(want, p.File)
			delete(got, p.File)
		}
	}
	if diff := gocmp.Diff(want, got); len(v.damaged()) == 0 && diff != "" || n != working {
		r.Fatalf("counted %d working memories, there are %d; indexes: %s", n, working, diff)
	}
	var problems []string
	for _, p := range snap.Problems {
		if p.Severity == Error {
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

// damaged are the indexes that are no JSON.
func (v *Inventory) damaged() (dirs []string) {
	for dir, x := range v.indexes {
		if x.kind == damaged {
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
		v := anyStore(hook, 0).Inventory()
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
			if path.Base(name) != IndexFile || got[name] == want[name] {
				continue
			}
			if !concerns(closed, path.Dir(name)) {
				r.Fatalf("%s can't be read, and %s is not brought along:\n%s", closed, name, gocmp.Diff(want[name], got[name]))
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
	if x, err := parseIndex(name, []byte(text)); err == nil {
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
		v := w.store.Inventory()
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
			if most := len(h.seen(func(name string) bool { return path.Base(name) == IndexFile })); w.parsed > most {
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

// realDisk is a directory that people change.
type realDisk struct {
	t   *testing.T
	dir string
}

func (d realDisk) Put(name string, data []byte) error {
	name = filepath.Join(d.dir, name)
	return cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644))
}

func (d realDisk) Remove(name string) error { return os.Remove(filepath.Join(d.dir, name)) }

func (d realDisk) Files() map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(d.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(d.dir, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}
