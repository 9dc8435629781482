//go:build unix

package workspace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Root works on a folder that belongs to somebody: all of it belongs to that one
// afterwards, and a file of a third one still to the third.
func TestRootKeepsOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give files away")
	}
	const owner, third = 4321, 1234
	s := open(t, tree{
		"global/a.json": `{"id":"a",` + rec + `}`,
		"global/b.json": `{"id":"b",` + rec + `}`,
		"global/c.json": `{"id":"c",` + rec + `}`,
	})
	give := func(name string, uid int) {
		if err := os.Lchown(name, uid, uid+1); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{".", "global", "global/a.json", "global/b.json"} {
		give(filepath.Join(s.Dir(), dir), owner)
	}
	give(filepath.Join(s.Dir(), "global/c.json"), third)
	if err := os.Chmod(filepath.Join(s.Dir(), "global/c.json"), 0o640); err != nil {
		t.Fatal(err)
	}
	snap := load(t, s)
	res := commit(t, s, snap,
		put(snap.Live("a"), `{"id":"a","seen":1,`+rec+`}`),
		toArchive(snap, "b"),
		put(snap.Live("c"), `{"id":"c","seen":1,`+rec+`}`),
	)
	if res.Applied != 3 {
		t.Fatalf("%+v", res)
	}
	err := filepath.WalkDir(s.Dir(), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		want := uint32(owner)
		if filepath.Base(name) == "c.json" {
			want = third
			if info.Mode().Perm() != 0o640 {
				t.Errorf("%s has mode %v", name, info.Mode())
			}
		}
		if slot := filepath.Base(filepath.Dir(name)) == "s"; !slot && (st.Uid != want || st.Gid != want+1) {
			t.Errorf("%s belongs to %d:%d, want %d:%d", name, st.Uid, st.Gid, want, want+1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clean(t, s)
}

// New files are as open to others as the umask says, not more and not less.
func TestUmask(t *testing.T) {
	for _, mask := range []int{0o077, 0o002} {
		old := syscall.Umask(mask)
		s := open(t, tree{"global/a.json": `{"id":"a",` + rec + `}`})
		snap := load(t, s)
		commit(t, s, snap, toArchive(snap, "a"))
		syscall.Umask(old)
		for name, all := range map[string]fs.FileMode{"archive": 0o777, "archive/_index.json": 0o666, "ops/consolidation-log.json": 0o666} {
			info, err := os.Stat(filepath.Join(s.Dir(), name))
			if err != nil {
				t.Fatal(err)
			}
			if want := all &^ fs.FileMode(mask); info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has mode %v, want %v", mask, name, info.Mode().Perm(), want)
			}
		}
		clean(t, s)
	}
}
