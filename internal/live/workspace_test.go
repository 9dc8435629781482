package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func keep(t *testing.T, dir string) *Workspace {
	t.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := New(store, func() time.Time { return noon }, Listen(store, slog.New(slog.NewTextHandler(io.Discard, nil))))
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func write(t *testing.T, dir string, n int) {
	t.Helper()
	file := filepath.Join(dir, "global", "a.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"id":"a","type":"factual","content":"The port is %d."}`, n), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A view has what was written the moment before, by whomever.
func TestViewIsCurrent(t *testing.T) {
	dir := t.TempDir()
	w := keep(t, dir)
	for n := range 20 {
		write(t, dir, n)
		snap, err := w.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := snap.Live("a").Text(), fmt.Sprintf("The port is %d.", n); got != want || !snap.At.Equal(noon) {
			t.Fatalf("%q as of %s, want %q", got, snap.At, want)
		}
	}
}

// A transaction made of what was read before somebody's edit skips what has changed, and the next view has the edit.
func TestTransactSkipsWhatChanged(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 1)
	w := keep(t, dir)
	result, err := w.Transact(t.Context(), w.View, func(snap *memory.Snapshot) (*workspace.Tx, error) {
		m := snap.Live("a")
		action, err := memory.Replace(m, []byte(`{"id":"a","type":"factual","content":"ours"}`), "test")
		write(t, dir, 2)
		return &workspace.Tx{Plan: memory.Command(snap, "", action)}, err
	})
	if err != nil || result.Applied != 0 || len(result.Skipped) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	if snap, err := w.View(t.Context()); err != nil || snap.Live("a").Text() != "The port is 2." {
		t.Errorf("%v", err)
	}
}

// Who waits to write gives up when its context is done.
func TestLockGivesUp(t *testing.T) {
	w := keep(t, t.TempDir())
	if err := w.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Lock(ctx); err == nil {
		t.Error("two hold the lock")
	}
	w.Unlock()
	if err := w.Lock(t.Context()); err != nil {
		t.Error(err)
	}
	w.Unlock()
}

// In a folder of notes that was adopted a view has what the host wrote the moment before.
func TestViewOfNotesIsCurrent(t *testing.T) {
	dir := t.TempDir()
	put := func(n int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "port.md"), fmt.Appendf(nil, "---\nid: port\ntype: project\n---\n\nThe port is %d.\n", n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(0)
	if err := os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte("- [Port](port.md)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	looked, survey, err := workspace.Look(dir, "claude", noon)
	if err == nil {
		err = errors.Join(looked.Close(), workspace.Adopt(survey, config.Template("seed")))
	}
	if err != nil {
		t.Fatal(err)
	}
	w := keep(t, filepath.Join(dir, note.OwnDir))
	for n := range 20 {
		put(n)
		snap, err := w.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := snap.Live("port").Text(), fmt.Sprintf("The port is %d.", n); !strings.Contains(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}
