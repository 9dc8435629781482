package durable_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
)

func openDir(t *testing.T) (durable.FS, string) {
	t.Helper()
	fsys, dir, err := durable.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fsys.Close() })
	return fsys, dir
}

func write(t *testing.T, fsys durable.FS, name, text string) {
	t.Helper()
	if err := durable.Write(fsys, name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, fsys durable.FS, name string) string {
	t.Helper()
	data, _, err := fsys.Read(name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "(absent)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func noAside(slot, path string) error { return errors.New("nothing should be set aside: " + slot) }

// noExchange and noLink take operations away, as some file systems do.
type noExchange struct{ durable.FS }

func (noExchange) Exchange(a, b string) error { return errors.ErrUnsupported }
func (noExchange) Move(a, b string) error     { return errors.ErrUnsupported }
func (n noExchange) Link(a, b string) error   { return durable.HardLink(n.FS, a, b) }

type noLink struct{ noExchange }

func (noLink) Link(a, b string) error { return errors.ErrUnsupported }

// modes runs a test on the real disk and in memory, with and without exchange and
// links.
func modes(t *testing.T, f func(t *testing.T, fsys durable.FS)) {
	for name, take := range map[string]func(durable.FS) durable.FS{
		"exchange": func(f durable.FS) durable.FS { return f },
		"link":     func(f durable.FS) durable.FS { return noExchange{f} },
		"rename":   func(f durable.FS) durable.FS { return noLink{noExchange{f}} },
	} {
		t.Run(name+" on disk", func(t *testing.T) { fsys, _ := openDir(t); f(t, take(fsys)) })
		t.Run(name+" in memory", func(t *testing.T) { f(t, take(faultfs.New())) })
	}
}

func TestCAS(t *testing.T) {
	modes(t, func(t *testing.T, fsys durable.FS) {
		sum := func(text string) string { return durable.Sum([]byte(text)) }
		write(t, fsys, "a", "old")
		write(t, fsys, "slot", "new")
		if err := durable.CAS(fsys, "slot", "a", sum("old"), sum("new"), noAside); err != nil {
			t.Fatal(err)
		}
		if content(t, fsys, "a") != "new" || content(t, fsys, "slot") != "old" {
			t.Errorf("after replacing: a %q, slot %q", content(t, fsys, "a"), content(t, fsys, "slot"))
		}
		// The slot now has the old text; somebody has written since.
		if err := durable.CAS(fsys, "slot", "a", sum("something else"), sum("old"), noAside); !errors.Is(err, durable.ErrConflict) {
			t.Errorf("replacing what isn't base: %v", err)
		}
		if content(t, fsys, "a") != "new" || content(t, fsys, "slot") != "old" {
			t.Errorf("after a conflict: a %q, slot %q", content(t, fsys, "a"), content(t, fsys, "slot"))
		}
		write(t, fsys, "fresh", "x")
		if err := durable.CAS(fsys, "fresh", "a", durable.Absent, sum("x"), noAside); !errors.Is(err, durable.ErrConflict) {
			t.Errorf("creating over a file: %v", err)
		}
		if err := durable.CAS(fsys, "fresh", "b", durable.Absent, sum("x"), noAside); err != nil || content(t, fsys, "b") != "x" || content(t, fsys, "fresh") != "(absent)" {
			t.Errorf("creating: %v", err)
		}
		if err := durable.CAS(fsys, "out", "b", sum("y"), durable.Absent, noAside); !errors.Is(err, durable.ErrConflict) || content(t, fsys, "b") != "x" {
			t.Errorf("deleting what isn't base: %v, b %q", err, content(t, fsys, "b"))
		}
		if err := durable.CAS(fsys, "out", "b", sum("x"), durable.Absent, noAside); err != nil || content(t, fsys, "out") != "x" || content(t, fsys, "b") != "(absent)" {
			t.Errorf("deleting: %v", err)
		}
		if err := durable.CAS(fsys, "slot", "gone", sum("old"), sum("old"), noAside); !errors.Is(err, durable.ErrConflict) {
			t.Errorf("replacing what is gone: %v", err)
		}
		if err := durable.CAS(fsys, "none", "gone", sum("old"), durable.Absent, noAside); !errors.Is(err, durable.ErrConflict) {
			t.Errorf("deleting what is gone: %v", err)
		}
	})
}

func TestProbe(t *testing.T) {
	m := faultfs.New()
	for want, fsys := range map[durable.Mode]durable.FS{durable.ByExchange: m, durable.ByLink: noExchange{m}, durable.ByRename: noLink{noExchange{m}}} {
		if mode, err := durable.Probe(fsys, "."); err != nil || mode != want {
			t.Errorf("want %s, got %s, %v", want, mode, err)
		}
	}
	if left := m.Files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	fsys, dir := openDir(t)
	outside := t.TempDir()
	write(t, fsys, "file", "text")
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside, "in": ".", "tolink": "file", "dangling": "nowhere", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("SKIPPED: no symbolic links here:", err)
		}
	}
	for _, name := range []string{"out/secret", "in/file", "tolink", "dangling", "loop", "loop/x", "file/x"} {
		if _, _, err := fsys.Read(name, 100); !errors.Is(err, durable.ErrLink) {
			t.Errorf("read %s: %v", name, err)
		}
		if err := fsys.ReadFiles(path.Dir(name), []string{path.Base(name)}, 100, nil, func(_ int, data []byte, _ durable.Info, err error) {
			if !errors.Is(err, durable.ErrLink) {
				t.Errorf("read %s among others: %q, %v", name, data, err)
			}
		}); err != nil && !errors.Is(err, durable.ErrLink) {
			t.Errorf("read in %s: %v", path.Dir(name), err)
		}
		if err := fsys.Append(name, []byte("x")); !errors.Is(err, durable.ErrLink) {
			t.Errorf("append to %s: %v", name, err)
		}
	}
	for _, name := range []string{"out", "in", "tolink", "file", "loop"} {
		if _, err := fsys.ReadDir(name); !errors.Is(err, durable.ErrLink) {
			t.Errorf("list %s: %v", name, err)
		}
		if _, err := fsys.Stat(name + "/x"); !errors.Is(err, durable.ErrLink) {
			t.Errorf("stat in %s: %v", name, err)
		}
		for _, err := range []error{fsys.Rename("file", name+"/x"), fsys.Move("file", name+"/x"), fsys.Exchange("file", name+"/file"), fsys.Mkdir(name + "/d"), fsys.Remove(name + "/file"), fsys.SyncDir(name)} {
			if err == nil {
				t.Errorf("something was done through %s", name)
			}
		}
	}
	if info, err := fsys.Stat("out"); err != nil || info.Kind != durable.Link {
		t.Errorf("stat of a link: %+v, %v", info, err)
	}
	for _, name := range []string{"../x", "/etc/hostname", "a/../b", "", "a/", "a//b"} {
		if _, _, err := fsys.Read(name, 100); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read %q: %v", name, err)
		}
	}
	for _, name := range []string{"out/new", "in/new", "dangling", "loop/new"} {
		if err := durable.Write(fsys, name, nil, 0o644); err == nil {
			t.Errorf("wrote through the link %s", name)
		}
	}
	if _, err := durable.MkdirAll(fsys, "out/a/b"); !errors.Is(err, durable.ErrLink) {
		t.Errorf("directories through a link: %v", err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("outside: %v %v", list, err)
	}
}

func TestReadRefusesWhatIsTooLarge(t *testing.T) {
	fsys, dir := openDir(t)
	f, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(1<<33), f.Close()); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if _, _, err := fsys.Read("sparse", 1<<20); !errors.Is(err, durable.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if h, err := durable.Hash(fsys, "sparse"); err != nil || h != durable.Irregular {
		t.Errorf("hash: %q %v", h, err)
	}
}

// The digest of a file is that of its content, or of what follows its first bytes.
func TestHash(t *testing.T) {
	fsys, dir := openDir(t)
	for _, size := range []int{0, 1, 128<<10 - 1, 128 << 10, 128<<10 + 1, 1 << 20} {
		data := bytes.Repeat([]byte("0123456789abcdef!"), size/17+1)[:size]
		if err := os.WriteFile(filepath.Join(dir, "f"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if h, err := durable.Hash(fsys, "f"); err != nil || h != durable.Sum(data) {
			t.Errorf("%d bytes: %q, %v", size, h, err)
		}
		for _, skip := range []int{0, 1, 65, 128 << 10, 2 << 20} {
			first := min(skip, size)
			head, sum, err := durable.HashAfter(fsys, "f", skip)
			if err != nil || !bytes.Equal(head, data[:first]) || sum != durable.Sum(data[first:]) {
				t.Errorf("%d bytes but for %d: %d bytes before %q, %v", size, skip, len(head), sum, err)
			}
		}
	}
	if _, _, err := durable.HashAfter(fsys, "none", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
	if h, err := durable.Hash(fsys, "none"); err != nil || h != durable.Absent {
		t.Errorf("nothing: %q, %v", h, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if h, err := durable.Hash(fsys, "d"); err != nil || h != durable.Irregular {
		t.Errorf("a directory: %q, %v", h, err)
	}
}

func TestReserve(t *testing.T) {
	const size = 1<<20 + 1
	modes(t, func(t *testing.T, fsys durable.FS) {
		if err := durable.Reserve(fsys, "reserve", size, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := fsys.Stat("reserve")
		if err != nil || info.Size != size || info.Mode != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%d bytes, mode %o, %v", info.Size, info.Mode, err)
		}
		if err := durable.Reserve(fsys, "reserve", size, 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("under a name that is taken: %v", err)
		}
	})
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits on Windows")
	}
	fsys, _ := openDir(t)
	if err := durable.Write(fsys, "f", []byte("x"), 0o604); err != nil {
		t.Fatal(err)
	}
	if info, err := fsys.Stat("f"); err != nil || info.Mode != 0o604 || info.Links != 1 || info.Kind != durable.Regular {
		t.Errorf("%+v %v", info, err)
	}
}

// A lock file that somebody deletes must not let a second holder in next to one
// who waits for the deleted one.
func TestLock(t *testing.T) {
	fsys, dir := openDir(t)
	ctx := context.Background()
	release, err := durable.Lock(ctx, fsys, "lock", "pid 1, test", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Lock(ctx, fsys, "lock", "pid 2", time.Millisecond, nil); !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), "pid 1, test") {
		t.Errorf("second holder: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Errorf("the lock file must stay: %v", err)
	}
	release, err = durable.Lock(ctx, fsys, "lock", "pid 3", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err == nil {
		if _, err := durable.Lock(ctx, fsys, "link", "x", 0, nil); !errors.Is(err, durable.ErrLink) {
			t.Errorf("lock through a link: %v", err)
		}
	}
}

func TestMkdirAllAndRemoveAll(t *testing.T) {
	modes(t, func(t *testing.T, fsys durable.FS) {
		made, err := durable.MkdirAll(fsys, "a/b/c")
		if err != nil || strings.Join(made, " ") != ". a a/b" {
			t.Fatalf("%q %v", made, err)
		}
		if made, err := durable.MkdirAll(fsys, "a/b"); err != nil || len(made) != 0 {
			t.Fatalf("%q %v", made, err)
		}
		write(t, fsys, "a/b/f", "x")
		if _, err := durable.MkdirAll(fsys, "a/b/f/g"); !errors.Is(err, durable.ErrLink) {
			t.Errorf("directory below a file: %v", err)
		}
		if err := errors.Join(durable.SyncDirs(fsys, 2, "a", "a", "gone"), durable.RemoveAll(fsys, "a"), durable.RemoveAll(fsys, "a")); err != nil {
			t.Error(err)
		}
		if _, err := fsys.Stat("a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("still there: %v", err)
		}
	})
}
