package notefiles

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/paths"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "b.txt", "sub/c.json", "sub/.hidden.md", ".git/d.md", "vendor/e.md", "large.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "large.md"), maxSize+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "a.md"), filepath.Join(dir, "link.md")); err != nil {
		t.Skip(err)
	}
	var read, notes []string
	o := Options{
		Dir:  paths.Dir(dir),
		Skip: func(dir string) bool { return filepath.Base(dir) == "vendor" },
		Want: func(file string) bool { return slices.Contains(Endings, filepath.Ext(file)) },
		Note: func(text string) { notes = append(notes, text) },
	}
	err := Read(context.Background(), ".", o, func(file string, text []byte, _ fs.FileInfo) {
		read = append(read, string(text))
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.md", "sub/.hidden.md", "sub/c.json"}; !slices.Equal(read, want) {
		t.Errorf("read %q, want %q", read, want)
	}
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "large.md is larger") || !strings.HasPrefix(notes[1], "link.md is a link") {
		t.Errorf("notes %q", notes)
	}
	if err := Read(context.Background(), "nothing", o, nil); fail.Code(err) != fail.ExitNotFound {
		t.Errorf("a path with nothing: %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := Read(stopped, ".", o, nil); err == nil {
		t.Error("an interrupted reading goes on")
	}
}
