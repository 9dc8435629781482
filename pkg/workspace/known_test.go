package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// reusing is a workspace on the real disk that is loaded again and again.
type reusing struct {
	dir    string
	store  *FileStore
	parsed int // files that the last Load read
}

func newReusing(t testing.TB) *reusing {
	if runtime.GOOS == "windows" {
		t.Skip("the system tells no time of change: nothing is reused")
	}
	w := &reusing{dir: t.TempDir()}
	store, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	store.Reuse, store.racy = true, 0
	store.root = counting{store.root, &w.parsed}
	w.store = store
	return w
}

// counting counts the files that are read.
type counting struct {
	durable.FS
	n *int
}

func (c counting) ReadFiles(dir string, names []string, max int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	return c.FS.ReadFiles(dir, names, max, known, func(i int, data []byte, info durable.Info, err error) {
		*c.n++
		f(i, data, info, err)
	})
}

func (w *reusing) write(t testing.TB, name, text string) {
	t.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil { // in place where it stands
		t.Fatal(err)
	}
}

// tick waits until the clock of the file system has gone on, so that a change tells
// itself from the last.
func (w *reusing) tick(t testing.TB) {
	t.Helper()
	file := filepath.Join(w.dir, ".tick")
	var first time.Time
	for {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if first.IsZero() {
			first = st.ModTime()
		}
		if st.ModTime().After(first) && time.Now().After(st.ModTime()) {
			return
		}
	}
}

// same loads with reuse and compares with what a store sees that never read before.
func (w *reusing) same(t interface{ Fatalf(string, ...any) }) {
	w.parsed, w.store.parallel = 0, 1
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	got, err := w.store.Load(at)
	if err != nil {
		t.Fatalf("%v", err)
	}
	fresh, err := Open(w.dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer fresh.Close()
	want, err := fresh.Load(at)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Snapshot{}, Memory{}, Index{}, Problem{}, ReviewQueue{}, accessLog{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("a reused load differs from a fresh one:\n%s", diff)
	}
}

// Whatever was done to the files, a load that reuses what it can equals a fresh one,
// and reads no more than it must.
func TestReuse(t *testing.T) {
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
		{"removed", func(t *testing.T, w *reusing) {
			if err := os.Remove(filepath.Join(w.dir, "global/b.json")); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"added", func(t *testing.T, w *reusing) { w.write(t, "teams/qa/c.json", record("c", text)) }, 1},
		{"broken", func(t *testing.T, w *reusing) { w.write(t, "teams/qa/c.json", "{") }, 5}, // three times, as it may be half saved
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
	w := newReusing(t)
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
			if got := w.parsed; got != s.read+1 { // and the index
				t.Errorf("%d files read, want %d", got, s.read+1)
			}
		})
	}
}

// What has changed a moment before it is read is read again: another change may
// leave the same times.
func TestReuseRacy(t *testing.T) {
	w := newReusing(t)
	w.store.racy = time.Hour
	w.write(t, "a.json", record("a", "text"))
	for range 2 {
		w.same(t)
		if w.parsed != 1 {
			t.Fatalf("%d files read, want 1", w.parsed)
		}
	}
}

// A reused load equals a fresh one after any edits.
func TestReuseProperty(t *testing.T) {
	checks(t, 1000, func(r *rapid.T) {
		w := newReusing(t)
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
			default:
				w.write(t, a, record(fmt.Sprint("m", rapid.IntRange(0, 5).Draw(r, "id")), rapid.StringMatching(`[a-c]{3}`).Draw(r, "text")))
			}
			w.tick(t)
			w.same(r)
		}
	})
}
