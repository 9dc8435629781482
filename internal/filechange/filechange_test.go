package filechange

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
)

// An edit that somebody makes while the change is shown is kept.
func TestWriteKeepsEdits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Change{
		{File: name, Before: []byte("as read"), After: []byte("ours")},
		{File: name, Before: []byte("as read"), Removed: true},
		{File: name, After: []byte("ours")},
	} {
		if err := f.Write("now"); err == nil {
			t.Errorf("%+v: written", f)
		} else if f.Before != nil && fail.Code(err) != fail.ExitStale {
			t.Errorf("%+v: %v: exit code %d", f, err, fail.Code(err))
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != "edited" {
			t.Errorf("%q, %v", text, err)
		}
	}
	f := &Change{File: name, Before: []byte("edited"), After: []byte("ours")}
	if err := f.Write("now"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(name + ".memory-new*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if kept, err := os.ReadFile(f.Backup); err != nil || string(kept) != "edited" {
		t.Errorf("backup %s: %q, %v", f.Backup, kept, err)
	}
}

// Two changes with one stamp keep two copies.
func TestBackups(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.json")
	texts := []string{"1", "2", "3"}
	if err := os.WriteFile(name, []byte(texts[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		c := &Change{File: name, Before: []byte(texts[i]), After: []byte(texts[i+1])}
		if err := c.Write("now"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := Backups(name), []string{"a.json" + BackupMark + "now", "a.json" + BackupMark + "now-2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		before, after    []byte
		changed, removed bool
	}{
		{nil, nil, false, false},
		{[]byte("a\n"), []byte("a\n"), false, false},
		{nil, []byte{}, true, false},
		{[]byte("a\n"), nil, true, true},
		{[]byte("a\n"), []byte("b\n"), true, false},
	} {
		c := &Change{File: "f", Before: test.before, After: test.after}
		if c.Compare(); c.Changed != test.changed || c.Removed != test.removed || !c.Changed && c.Diff != "" {
			t.Errorf("%q to %q: %+v", test.before, test.after, c)
		}
	}
}
