package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSignature: what changes a file, its name or its place changes the signature;
// nothing else does.
func TestSignature(t *testing.T) {
	w := newReusing(t, false)
	w.write(t, "global/a.json", record("a", "text"))
	w.write(t, "global/b.json", record("b", "text"))
	at := func(name string) string { return filepath.Join(w.dir, name) }
	info, err := os.Stat(at("global/a.json"))
	if err != nil {
		t.Fatal(err)
	}
	was := uint64(0)
	for _, step := range []struct {
		name string
		do   func() error
		same bool
	}{
		{"the first", func() error { return nil }, false},
		{"nothing", func() error { return nil }, true},
		{"other files", func() error {
			return errors.Join(os.WriteFile(at("global/note.txt"), nil, 0o644), os.MkdirAll(at("ops"), 0o755), os.WriteFile(at("ops/x.json"), nil, 0o644), os.WriteFile(at(".x.json"), nil, 0o644))
		}, true},
		{"an edit that keeps size and time", func() error {
			return errors.Join(os.WriteFile(at("global/a.json"), []byte(record("a", "TEXT")), 0o644), os.Chtimes(at("global/a.json"), info.ModTime(), info.ModTime()))
		}, false},
		{"another name", func() error { return os.Rename(at("global/a.json"), at("global/c.json")) }, false},
		{"another directory", func() error {
			return errors.Join(os.Mkdir(at("teams"), 0o755), os.Rename(at("global/c.json"), at("teams/c.json")))
		}, false},
		{"two files for each other", func() error {
			return errors.Join(os.Rename(at("teams/c.json"), at("x")), os.Rename(at("global/b.json"), at("teams/c.json")), os.Rename(at("x"), at("global/b.json")))
		}, false},
		{"settings", func() error { return os.WriteFile(at(ConfigFile), nil, 0o644) }, false},
		{"a link", func() error { return os.Symlink("b.json", at("global/l.json")) }, false},
		{"removed", func() error { return os.Remove(at("teams/c.json")) }, false},
	} {
		w.tick(t)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		is, err := w.store.Signature()
		if err != nil || (is == was) != step.same {
			t.Errorf("%s: the signature is the same: %v, %v", step.name, is == was, err)
		}
		was = is
	}
}
