package find_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A memory that is taken away between the listing of it and the first look at it is told of as
// changed, not as a document that is empty.
func TestOneThatHasGone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "global", "a.json")
	for name, text := range map[string]string{"global/a.json": `{"id":"a","type":"semantic","content":"text"}`, "global/b.json": `{"id":"b","type":"semantic","content":"text"}`} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	snap, err := store.Load(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if m, err := find.One(snap, "b"); err != nil || m.ID != "b" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := find.One(snap, "a"); fail.Code(err) != fail.ExitStale || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
}
