package durable

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

func opened(t *testing.T) (dir string, root FS) {
	dir = t.TempDir()
	root, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

// What was lent stays what it was while somebody cuts the file short, writes over it or removes
// it, and while others go on reading it; and nobody has to wait for long.
func TestLend(t *testing.T) {
	dir, root := opened(t)
	want := bytes.Repeat([]byte("0123456789abcde\n"), 40_000)
	name := filepath.Join(dir, "file")
	for what, spoil := range map[string]func() error{
		"cut":          func() error { return os.Truncate(name, 0) },
		"written over": func() error { return os.WriteFile(name, []byte("short"), 0o600) },
		"removed":      func() error { return os.Remove(name) },
		"replaced": func() error {
			return errors.Join(os.WriteFile(name+".new", []byte("other"), 0o600), os.Rename(name+".new", name))
		},
	} {
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := root.(Lender).Lend("file", 1<<20)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip("no leases on the file system of " + dir + ": set TMPDIR to a folder on ext4, XFS, btrfs or tmpfs")
		}
		if err != nil {
			t.Fatal(err)
		}
		var done, differs atomic.Bool
		read := make(chan struct{})
		go func() {
			defer close(read)
			for !done.Load() {
				if !bytes.Equal(data, want) {
					differs.Store(true)
				}
			}
		}()
		if err := spoil(); err != nil {
			t.Error(what, err)
		}
		done.Store(true)
		<-read
		if differs.Load() || !bytes.Equal(data, want) {
			t.Errorf("%s: what was lent has changed", what)
		}
	}
}

// Who has a file open for writing may write at any time: it is read.
func TestLendWhileWritten(t *testing.T) {
	dir, root := opened(t)
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("some"); err != nil {
		t.Fatal(err)
	}
	if _, err := root.(Lender).Lend("file", 100); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("lent: %v", err)
	}
	if data, lent, err := Lend(root, "file", 100); string(data) != "some" || lent || err != nil {
		t.Errorf("%q, lent: %v, %v", data, lent, err)
	}
	if _, _, err := Lend(root, "absent", 100); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	f.Close()
	if _, _, err := Lend(root, "file", 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}
