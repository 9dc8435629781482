package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func TestWriteState(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Mkdir(filepath.Join(dir, memory.OpsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	// A writer that was killed left its slot.
	if err := os.WriteFile(filepath.Join(dir, "ops/.mem-tmp-watch.json"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{}\n", "{\"a\":1}\n", "{\"a\":1}\n", ""} {
		if err := s.Ops().WriteState(t.Context(), ops.WatchFile, []byte(text)); err != nil {
			t.Fatalf("write %q: %v", text, err)
		}
		if got, err := s.Read(ops.WatchFile); err != nil || string(got) != text {
			t.Fatalf("read %q, %v, want %q", got, err, text)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, memory.OpsDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "watch.json" && e.Name() != ".lock" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if err := s.Ops().WriteState(t.Context(), "global/a.json", nil); err == nil {
		t.Error("a memory was written")
	}
}

func TestLockWatch(t *testing.T) {
	open := func() *FileStore {
		s, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	defer s.Close()
	if holder, err := s.Ops().Watched(); err != nil || holder != "" {
		t.Fatalf("nobody watches, but: %q, %v", holder, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), memory.OpsDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("looking made a directory")
	}
	release, err := s.Ops().LockWatch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ops().LockWatch(); !errors.Is(err, ErrWatched) || !strings.Contains(err.Error(), "pid ") {
		t.Errorf("watched twice: %v", err)
	}
	if holder, err := s.Ops().Watched(); err != nil || !strings.HasPrefix(holder, "pid ") {
		t.Errorf("watched by %q, %v", holder, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if holder, err := s.Ops().Watched(); err != nil || holder != "" {
		t.Errorf("released, but watched by %q, %v", holder, err)
	}
	if release, err = s.Ops().LockWatch(); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
