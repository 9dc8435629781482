package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// told is all that a snapshot tells.
func told(s *Snapshot) any {
	var memories []any
	for _, m := range append(slices.Clone(s.Memories()), s.Archived()...) {
		memories = append(memories, toldOf(m))
	}
	var indexes []any
	for _, x := range s.Indexes {
		ids := []string{}
		for _, m := range x.Owned() {
			ids = append(ids, m.ID)
		}
		indexes = append(indexes, x.File, x.Foreign, x.Entries(), string(x.text().Doc()), ids)
	}
	var problems []string
	for _, p := range s.Problems {
		problems = append(problems, fmt.Sprintf("%+v", p))
	}
	taken := map[string]bool{}
	for name := range s.files {
		taken[name] = true
	}
	return []any{memories, indexes, problems, taken, s.arrays, s.Teams, s.TeamDirs, s.Agents, s.IDs(), s.Restored}
}

// toldOf is all that a memory tells.
func toldOf(m *Memory) string {
	all := *m
	all.body, all.src, all.slot, all.row, all.at, all.print = nil, nil, 0, 0, 0, 0
	return fmt.Sprintf("%+v", struct {
		Memory
		Common       Common
		Links        Links
		Sure, Weight any
		Raw, Content string
		Title        string
	}{all, *m.Common, *m.Links, value(m.Confidence), value(m.Importance), string(m.Raw()), m.Content().Raw, m.Title()})
}

func value(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// both runs a test with one store, and with new ones that share the cache.
func both(t *testing.T, f func(t *testing.T, disk bool)) {
	t.Run("one store", func(t *testing.T) { f(t, false) })
	t.Run("cache", func(t *testing.T) { f(t, true) })
}

// A store that goes on holds on to what it has read last, and to nothing before that.
func TestReuseForgets(t *testing.T) {
	w := newReusing(t, false)
	w.store.Reuse = true
	var earlier []weak.Pointer[scanner]
	for i := range 4 {
		w.write(t, "global/a.json", record("a", fmt.Sprint("wording ", i)))
		w.write(t, fmt.Sprintf("global/%d.json", i), record(fmt.Sprint("m", i), "another"))
		w.tick(t)
		snap, err := w.store.Load(time.Now())
		if err != nil || snap.Len() != i+2 {
			t.Fatalf("%d memories, %v", snap.Len(), err)
		}
		snap.Memories()
		earlier = append(earlier, weak.Make(snap.scan))
	}
	runtime.GC()
	for i, sc := range earlier {
		if sc.Value() != nil {
			t.Errorf("the scan of load %d is still held", i)
		}
	}
}

// Whatever was done to the files, a load that reuses what it can equals a fresh one,
// and reads no more than it must.
func TestReuse(t *testing.T) {
	both(t, func(t *testing.T, disk bool) { testReuse(t, disk, false) })
	t.Run("large cache", func(t *testing.T) { testReuse(t, true, true) })
}

func testReuse(t *testing.T, disk, large bool) {
	const text = "the first wording"
	steps := []struct {
		name string
		do   func(t *testing.T, w *reusing)
		read int // files read again
	}{
		{"nothing", func(*testing.T, *reusing) {}, 0},
		{"edited in place, same size", func(t *testing.T, w *reusing) { w.write(t, "global/a.json", record("a", "the other wording")) }, 1},
		{"edited in place, times restored", func(t *testing.T, w *reusing) {
			file := filepath.Join(w.dir, "global/a.json")
			st, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			w.write(t, "global/a.json", record("a", "one third wording"))
			if err := os.Chtimes(file, st.ModTime(), st.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"replaced by one with the same times", func(t *testing.T, w *reusing) {
			file := filepath.Join(w.dir, "global/a.json")
			st, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			w.write(t, "new", record("a", "four other wordss"))
			if err := os.Chtimes(filepath.Join(w.dir, "new"), st.ModTime(), st.ModTime()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(w.dir, "new"), file); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"two exchanged", func(t *testing.T, w *reusing) {
			for _, names := range [][2]string{{"a", "x"}, {"b", "a"}, {"x", "b"}} {
				if err := os.Rename(filepath.Join(w.dir, "global", names[0]+".json"), filepath.Join(w.dir, "global", names[1]+".json")); err != nil {
					t.Fatal(err)
				}
			}
		}, 2},
		{"index edited", func(t *testing.T, w *reusing) {
			w.write(t, "_index.json", `{"entries": [{"id": "gone", "file_path": "global/gone.json"}]}`)
		}, 1},
		{"index of something else", func(t *testing.T, w *reusing) { w.write(t, "_index.json", `{"projects": []}`) }, 1},
		{"index broken", func(t *testing.T, w *reusing) { w.write(t, "_index.json", `{`) }, 3},
		{"index mended", func(t *testing.T, w *reusing) { w.write(t, "_index.json", `{"entries": []}`) }, 1},
		{"removed", func(t *testing.T, w *reusing) {
			if err := os.Remove(filepath.Join(w.dir, "global/b.json")); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"added", func(t *testing.T, w *reusing) { w.write(t, "teams/qa/c.json", record("c", text)) }, 1},
		{"broken", func(t *testing.T, w *reusing) { w.write(t, "teams/qa/c.json", "{") }, 3}, // three times, as it may be half saved
		{"mended", func(t *testing.T, w *reusing) { w.write(t, "teams/qa/c.json", record("c", text)) }, 1},
		{"read", func(t *testing.T, w *reusing) {
			if err := w.store.Accessed(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), "test", "c", "list1"); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"read once more", func(t *testing.T, w *reusing) {
			if err := w.store.Accessed(time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC), "test", "c"); err != nil {
				t.Fatal(err)
			}
		}, 0},
	}
	w := newReusing(t, disk)
	w.large = large
	w.write(t, "global/a.json", record("a", text))
	w.write(t, "global/b.json", record("b", text))
	w.write(t, "archive/old.json", record("old", text))
	w.write(t, "agents/D-1/_memory.json", `{"agent_id": "D-1", "team": "qa"}`)
	w.write(t, "global/list.json", `{"entries": [`+record("list0", text)+","+record("list1", text)+`]}`)
	w.write(t, "global/none.json", `{"type": "factual", "content": "no id"}`)
	w.write(t, "_index.json", `{"entries": []}`)
	w.tick(t)
	w.same(t)
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			w.tick(t)
			s.do(t, w)
			w.tick(t)
			w.same(t)
			if got := w.parsed; got != s.read && !large { // which is not made anew for so little
				t.Errorf("%d files read, want %d", got, s.read)
			}
		})
	}
}

// What has changed a moment before it is read is read again: another change may
// leave the same times.
func TestReuseRacy(t *testing.T) { both(t, testReuseRacy) }

func testReuseRacy(t *testing.T, disk bool) {
	w := newReusing(t, disk)
	w.store.Racy = time.Hour
	w.write(t, "a.json", record("a", "text"))
	for range 2 {
		w.same(t)
		if w.parsed != 1 {
			t.Fatalf("%d files read, want 1", w.parsed)
		}
	}
}

// A reused load equals a fresh one after any edits.
func TestReuseProperty(t *testing.T) { both(t, testReuseProperty) }

func testReuseProperty(t *testing.T, disk bool) {
	checks(t, 1000, func(r *rapid.T) {
		w := newReusing(t, disk)
		name := func() string {
			return fmt.Sprintf("%s/%d.json", rapid.SampledFrom([]string{"global", "teams/a", "archive"}).Draw(r, "dir"), rapid.IntRange(0, 3).Draw(r, "n"))
		}
		for range rapid.IntRange(1, 6).Draw(r, "edits") {
			a := name()
			switch rapid.IntRange(0, 4).Draw(r, "kind") {
			case 0:
				os.Remove(filepath.Join(w.dir, a))
			case 1:
				os.Rename(filepath.Join(w.dir, a), filepath.Join(w.dir, name()))
			case 2: // a collection, of which much was there before
				var all []string
				for _, id := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 6).Draw(r, "ids") {
					all = append(all, record(fmt.Sprint("c", id), "text"))
				}
				w.write(t, a, "["+strings.Join(all, ",")+"]")
			default:
				w.write(t, a, record(fmt.Sprint("m", rapid.IntRange(0, 5).Draw(r, "id")), rapid.StringMatching(`[a-c]{3}`).Draw(r, "text")))
			}
			w.tick(t)
			w.large, w.lazy = rapid.Bool().Draw(r, "large"), rapid.Bool().Draw(r, "lazy")
			w.same(r)
		}
	})
}

// In a collection that was edited, records that are what they were keep their rows, in
// their order; what has changed places is new.
func TestRecognised(t *testing.T) { both(t, testRecognised) }

func testRecognised(t *testing.T, disk bool) {
	for _, c := range []struct {
		now  string
		rows []int
	}{
		{"abcd", []int{1, 2, 3, 4}},
		{"abd", []int{1, 2, 4}},
		{"axcd", []int{1, -1, 3, 4}},
		{"xabcd", []int{-1, 1, 2, 3, 4}},
		{"badc", []int{2, -1, 4, -1}},
		{"aabc", []int{1, -1, 2, 3}},
		{"dabc", []int{4, -1, -1, -1}},
		{"", nil},
	} {
		w := newReusing(t, disk)
		collection := func(ids string) {
			var all []string
			for _, id := range ids {
				all = append(all, record(string(id), "text"))
			}
			w.write(t, "global/all.json", "["+strings.Join(all, ",")+"]")
			w.tick(t)
		}
		w.write(t, "agents/first.json", record("first", "text"))
		collection("abcd")
		w.same(t)
		was, err := w.store.Load(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		collection(c.now)
		if disk {
			w.store.Close()
			w.open(t)
		}
		snap, err := w.store.Load(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		rows := func() (rows []int) {
			for i := range snap.Len() - 1 {
				rows = append(rows, snap.Row(1+i))
			}
			return rows
		}
		if diff := cmp.Diff(c.rows, rows()); diff != "" {
			t.Errorf("%q: %s", c.now, diff)
		}
		if snap.Follow(was.Rows()); !cmp.Equal(c.rows, rows()) {
			t.Errorf("%q: one that follows: %s", c.now, cmp.Diff(c.rows, rows()))
		}
	}
}
