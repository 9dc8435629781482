package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

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
