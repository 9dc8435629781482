//go:build linux && (amd64 || arm64)

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Whether the scheduler is told or not, files are described and read alike, and what isn't one is
// refused alike.
func TestQuickCalls(t *testing.T) {
	dir, root := opened(t)
	long := strings.Repeat("0123456789abcde\n", 10_000)
	for name, text := range map[string]string{"file": "text", "empty": "", "long": long} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "dir"), 0o700), os.Symlink("file", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	fd := root.(*osFS).root
	names := []string{"file", "empty", "long", "dir", "link", "absent", "file\x00", ""}
	wrong := map[string]error{"dir": unix.ELOOP, "link": unix.ELOOP, "absent": fs.ErrNotExist, "file\x00": unix.EINVAL, "": fs.ErrNotExist}
	for _, quick := range []bool{false, true} {
		c := &calls{pace: &pace{}, quick: quick}
		for _, name := range names {
			var st, want unix.Stat_t
			err, wantErr := c.stat(fd, name, &st), unix.Fstatat(fd, name, &want, unix.AT_SYMLINK_NOFOLLOW)
			if st != want || !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
				t.Errorf("%v, %q is described as %+v, %v, not %+v, %v", quick, name, st, err, want, wantErr)
			}
			data, _, err := c.readAt(fd, ".", name, 1<<20, nil)
			if !errors.Is(err, wrong[name]) || (err == nil) != (wrong[name] == nil) {
				t.Errorf("%v, %q: %v, not %v", quick, name, err, wrong[name])
			}
			if text, _ := os.ReadFile(filepath.Join(dir, name)); err == nil && string(data) != string(text) {
				t.Errorf("%v, %q holds %d bytes, not %d", quick, name, len(data), len(text))
			}
		}
	}
}

// Calls are taken to come back at once when some have, and, after one that waited, not before many have.
func TestPace(t *testing.T) {
	var p pace
	trusts := func() bool { return p.trust.Load() > 0 }
	if trusts() {
		t.Error("nobody has measured anything")
	}
	for range 3 {
		p.tell(true)
	}
	if !trusts() {
		t.Error("three came back at once")
	}
	p.tell(false)
	for range distrust {
		p.tell(true)
		if trusts() {
			t.Fatal("one has waited just now")
		}
	}
	p.tell(true)
	if !trusts() {
		t.Error("nothing has waited for long")
	}
}
