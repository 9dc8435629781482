//go:build unix

package durable_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Opening a pipe for reading blocks until somebody writes; ours must not.
func TestPipesDoNotBlock(t *testing.T) {
	fsys, dir := openDir(t)
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	if _, _, err := fsys.Read("pipe", 100); !errors.Is(err, durable.ErrLink) {
		t.Errorf("read: %v", err)
	}
	if _, err := fsys.TryLock("pipe", "x"); err == nil {
		t.Error("locked a pipe")
	}
}
