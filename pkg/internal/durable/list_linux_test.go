package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// Whatever happens to a name in a directory, its description is another one then; nothing else in it
// that is written makes it so.
func TestList(t *testing.T) {
	dir := t.TempDir()
	root, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string) error { return os.WriteFile(in(name), []byte(name), 0o644) }
	must(os.MkdirAll(in("a/below"), 0o755))
	must(write("a/1.json"))
	must(write("a/2.json"))
	must(write("other"))
	list := func() (names []string, was Info) {
		t.Helper()
		entries, was, err := root.List("a")
		must(err)
		for _, e := range entries {
			names = append(names, e.Name)
		}
		if read, err := root.ReadDir("a"); err != nil || !slices.Equal(read, entries) {
			t.Fatalf("ReadDir gives %v, %v; List %v", read, err, entries)
		}
		return names, was
	}
	_, was := list()
	if was == (Info{}) {
		t.Skip("SKIPPED: nobody knows what directories' times tell on this file system")
	}
	if is, err := root.Stat("a"); err != nil || is.ID != was.ID || !is.ChangeTime.Equal(was.ChangeTime) || was.Kind != Dir {
		t.Fatalf("described as %v, %v, and by List as %v", is, err, was)
	}
	exchange := func(a, b string) error {
		return unix.Renameat2(unix.AT_FDCWD, in(a), unix.AT_FDCWD, in(b), unix.RENAME_EXCHANGE)
	}
	for _, c := range []struct {
		what    string
		do      func() error
		differs bool
	}{
		{"a write in place", func() error { return write("a/1.json") }, false},
		{"a file below", func() error { return write("a/below/x") }, false},
		{"a new file", func() error { return write("a/3.json") }, true},
		{"a file that goes", func() error { return os.Remove(in("a/3.json")) }, true},
		{"another name", func() error { return os.Rename(in("a/2.json"), in("a/4.json")) }, true},
		{"a file in place of another", func() error { return os.Rename(in("other"), in("a/1.json")) }, true},
		{"a link", func() error { return os.Symlink("1.json", in("a/link")) }, true},
		{"a second name", func() error { return os.Link(in("a/1.json"), in("a/second")) }, true},
		{"a directory", func() error { return os.Mkdir(in("a/new"), 0o755) }, true},
		{"an exchange within", func() error { return exchange("a/1.json", "a/new") }, true},
		{"an exchange across", func() error { return exchange("a/below/x", "a/4.json") }, true},
		{"a directory that is closed", func() error { return os.Chmod(in("a"), 0o700) }, true},
	} {
		_, before := list()
		for tick := before; !tick.ChangeTime.After(before.ChangeTime); { // until the clock of the file system goes on
			must(write("tick"))
			tick, err = root.Stat("tick")
			must(err)
		}
		must(c.do())
		if _, after := list(); !after.ChangeTime.Equal(before.ChangeTime) != c.differs {
			t.Errorf("%s: changed at %v, then %v", c.what, before.ChangeTime, after.ChangeTime)
		}
	}
}

func TestValidName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./a\xff]{0,4}`), rapid.SampledFrom([]string{"", ".", "..", "a\xff", "ä/b", "ä", "a\x00"})).Draw(t, "name")
		if want := fs.ValidPath(name) && !strings.Contains(name, "/") && name != "."; validName(name) != want {
			t.Fatalf("%q is valid: %v", name, !want)
		}
	})
}
