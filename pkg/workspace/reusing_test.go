package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// reusing is a workspace on the real disk that is loaded again and again: by one store,
// or each time by a new one that knows only the cache.
type reusing struct {
	dir    string
	store  *FileStore
	disk   bool
	parsed int // files that the last Load read
	listed int // directories whose names it read
	looked int // memories of which something was derived meanwhile
}

func newReusing(t testing.TB, disk bool) *reusing {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the system tells no time of change, so nothing is reused")
	}
	w := &reusing{dir: t.TempDir(), disk: disk}
	w.open(t)
	t.Cleanup(func() { w.store.Close() })
	return w
}

func (w *reusing) open(t interface{ Fatalf(string, ...any) }) {
	store, err := Open(w.dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	store.Reuse, store.Racy = !w.disk, 0
	if w.store != nil {
		store.Racy = w.store.Racy
	}
	mu := &sync.Mutex{} // any goroutine may come
	store.Derive = Deriver{deriver.Version, func(to []byte, m *memory.Memory) []byte {
		mu.Lock()
		defer mu.Unlock()
		w.looked++
		return deriver.Of(to, m)
	}}
	store.root = counting{store.root, mu, &w.parsed, &w.listed}
	w.store = store
}

var deriver = Deriver{"1", func(to []byte, m *memory.Memory) []byte { return append(to, m.Text()...) }}

// counting counts the files that are read, and the directories that are.
type counting struct {
	durable.FS
	mu        *sync.Mutex
	n, listed *int
}

func (c counting) ReadDir(name string) ([]durable.Entry, error) {
	c.mu.Lock()
	*c.listed++
	c.mu.Unlock()
	return c.FS.ReadDir(name)
}

func (c counting) ReadFiles(dir string, names []string, max int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	return c.FS.ReadFiles(dir, names, max, known, func(i int, data []byte, info durable.Info, err error) {
		c.mu.Lock()
		*c.n++
		c.mu.Unlock()
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

var loadedAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// same loads with what is known and compares with what a store sees that never read
// before.
func (w *reusing) same(t interface{ Fatalf(string, ...any) }) {
	w.parsed, w.listed, w.looked, w.store.parallel = 0, 0, 0, 1
	if w.disk {
		w.store.Close()
		w.open(t)
	}
	got, err := w.store.Load(loadedAt)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(w.fresh(t), told(got)); diff != "" {
		t.Fatalf("a load with what is known differs from a fresh one:\n%s", diff)
	}
	if err := w.store.SaveCatalog(); err != nil {
		t.Fatalf("%v", err)
	}
}

// fresh is what is told by a store that knows nothing.
func (w *reusing) fresh(t interface{ Fatalf(string, ...any) }) any {
	store, err := Open(w.dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer store.Close()
	store.NoCache, store.Derive = true, deriver
	snap, err := store.Load(loadedAt)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return told(snap)
}

// stranger is a store that knows only the cache, and what it loads.
func (w *reusing) stranger(t interface{ Fatal(...any) }) (*FileStore, *memory.Snapshot) {
	store, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	store.Racy, store.Derive = 0, deriver
	snap, err := store.Load(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return store, snap
}

// told is all that a snapshot tells.
func told(s *memory.Snapshot) any {
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
		indexes = append(indexes, x.File, x.Foreign, x.Entries(), string(x.Text().Doc()), ids)
	}
	var problems []string
	for _, p := range s.Problems {
		problems = append(problems, fmt.Sprintf("%+v", p))
	}
	taken := map[string]bool{}
	for _, name := range s.Files {
		taken[name] = true
	}
	return []any{memories, indexes, problems, taken, s.Arrays, s.Teams, s.TeamDirs, s.Agents, s.IDs(), s.Restored}
}

// toldOf is all that a memory tells.
func toldOf(m *memory.Memory) string {
	return fmt.Sprintf("%+v", struct {
		Ref          memory.Ref
		Archived     bool
		ID           string
		Times        [3]time.Time
		Tags         []string
		Counts       [2]int64
		Derived      string
		Sum          memory.Checksum
		Common       memory.Common
		Links        memory.Links
		Sure, Weight any
		Raw, Content string
		Title        string
	}{m.Ref, m.Archived, m.ID, [...]time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed}, m.Tags, [...]int64{m.AccessCount, m.Unfolded}, string(m.Derived()), m.Checksum(), *m.Common, *m.Links, value(m.Confidence), value(m.Importance), string(m.Raw()), m.Content().Raw, m.Title()})
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
