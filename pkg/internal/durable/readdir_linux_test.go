package durable

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Where a directory doesn't tell what its entries are, the entries are asked, and one that has gone is
// left out.
func TestUntoldKinds(t *testing.T) {
	dir, root := opened(t)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), os.Mkdir(filepath.Join(dir, "dir"), 0o700), os.Symlink("file", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	var entries []byte
	for _, name := range []string{".", "file", "gone", "dir", "link"} {
		entry := make([]byte, direntName+len(name)+1)
		binary.NativeEndian.PutUint64(entry, 1) // any number but zero
		binary.NativeEndian.PutUint16(entry[direntLength:], uint16(len(entry)))
		copy(entry[direntName:], name)
		entries = append(entries, entry...)
	}
	var l listing
	if err := l.take(root.(*osFS).root, entries); err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	for _, k := range l.kinds {
		kinds = append(kinds, direntKind(k))
	}
	if want := []Kind{Regular, Dir, Link}; !slices.Equal(kinds, want) || string(l.names) != "filedirlink" {
		t.Errorf("%q are %q, not %q", l.names, kinds, want)
	}
}
