package memdisk_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

func TestTimes(t *testing.T) {
	d := memdisk.New()
	start := time.Now()
	if err := d.Put("a/b", []byte("x")); err != nil {
		t.Fatal(err)
	}
	before, err := d.Stat("a/b")
	if err != nil || before.ModTime.Before(start) || before.ChangeTime.Before(before.ModTime) {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := d.Append("a/b", []byte("y")); err != nil {
		t.Fatal(err)
	}
	if after, err := d.Stat("a/b"); err != nil || after.ModTime.Before(before.ModTime) || after.ID != before.ID || after.Size != 2 {
		t.Errorf("%+v, %v", after, err)
	}
	if err := d.Put("a/b", []byte("z")); err != nil {
		t.Fatal(err)
	}
	if after, err := d.Stat("a/b"); err != nil || after.ID == before.ID {
		t.Errorf("%+v, %v", after, err)
	}
}

// Whatever names are given, nothing panics, and the root stays.
func TestNames(t *testing.T) {
	d := memdisk.New()
	if err := errors.Join(d.Put("dir/f", []byte("x")), d.Put("g", []byte("y"))); err != nil {
		t.Fatal(err)
	}
	names := []string{".", "", "/", "..", "../x", "dir", "dir/f", "dir/f/x", "dir/sub/x", "g", "absent"}
	for _, a := range names {
		for _, b := range names {
			for op, err := range map[string]error{"exchange": d.Exchange(a, b), "move": d.Move(a, b), "rename": d.Rename(a, b)} {
				if err == nil && (!fs.ValidPath(a) || !fs.ValidPath(b) || a == "." || b == ".") {
					t.Errorf("%s %q %q", op, a, b)
				}
			}
		}
		_, _, _ = d.Read(a, 10)
		_, _ = d.Stat(a)
		_, _ = d.ReadDir(a)
		_, _ = d.TryLock(a, "x")
		_ = d.Append(a, nil)
		_ = d.SyncDir(a)
		_ = d.Mkdir(a)
		_, _ = d.Create(a, nil, 0)
		_ = d.Remove(a)
	}
	if _, err := d.ReadDir("."); err != nil {
		t.Error(err)
	}
	if err := d.Put("p/q", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Rename("p", "p/q/r"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory into itself: %v", err)
	}
	if _, _, err := d.Read("p/q/r", 1); !errors.Is(err, disk.ErrLink) {
		t.Errorf("below a file: %v", err)
	}
}
