package paths

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDir(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Dir{Dir(real), Dir(link)} {
		if got := d.Short(filepath.Join(real, "a", "b")); got != filepath.Join("a", "b") {
			t.Errorf("%s: short is %q", d, got)
		}
		if other := filepath.Dir(real); d.Short(other) != other {
			t.Errorf("%s: a path outside is written as %q", d, d.Short(other))
		}
		if got := d.Resolve("x"); got != filepath.Join(string(d), "x") {
			t.Errorf("%s: x is %q", d, got)
		}
		if got := d.Resolve(real); got != real {
			t.Errorf("%s: an absolute path is %q", d, got)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, test := range []struct {
		file, name string
		ok         bool
	}{{"/a/b/c", "b/c", true}, {"/a", ".", true}, {"/b", "../b", false}} {
		if name, ok := Below("/a", filepath.FromSlash(test.file)); name != test.name || ok != test.ok {
			t.Errorf("%s: %q %v", test.file, name, ok)
		}
	}
}
