package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A derived file is read as it was written last, and is gone once it was removed.
func TestCacheFile(t *testing.T) {
	store := open(t, tree{"global/a.json": `{"id":"a","type":"semantic","content":"x"}`})
	read := func(want string) {
		t.Helper()
		if got, err := store.Cache().Read("words"); string(got) != want || err != nil {
			t.Errorf("read %q, %v; want %q", got, err, want)
		}
	}
	if _, err := store.Cache().Read("words"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was written: %v", err)
	}
	dir := filepath.Join(store.Dir(), workspace.CacheDir)
	for _, text := range []string{"one", "", "another"} {
		if err := store.Cache().Write("words", []byte(text)); err != nil {
			t.Fatal(err)
		}
		read(text)
	}

	// What a killed process left is removed an hour later; what is being written stays.
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "new": time.Minute} {
		file := filepath.Join(dir, durable.TempPrefix+name)
		if err := errors.Join(os.WriteFile(file, nil, 0o644), os.Chtimes(file, time.Now(), time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Cache().Write("words", []byte("last")); err != nil {
		t.Fatal(err)
	}
	read("last")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 { // with .gitignore
		t.Errorf("%v, %v", entries, err)
	}

	store.NoCache = true
	if _, err := store.Cache().Read("words"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("there are no caches: %v", err)
	}
	if err := store.Cache().Write("words", nil); err != nil {
		t.Error(err)
	}
	store.NoCache = false
	read("last")
	for range 2 {
		if err := store.Cache().Write("words", nil); err != nil {
			t.Error(err)
		}
		if _, err := store.Cache().Read("words"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it was removed: %v", err)
		}
	}
}

// In a workspace that may not be written nothing is, and whoever wanted to goes on.
func TestCacheOfReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	store := open(t, tree{"global/a.json": `{"id":"a","type":"semantic","content":"x"}`})
	if err := os.Chmod(store.Dir(), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(store.Dir(), 0o755) }()
	if err := store.Cache().Write("words", []byte("x")); err != nil {
		t.Error(err)
	}
}
