package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// disks are the tests of the disk itself, each on an empty one.
var disks = map[string]func(t *testing.T, d workspace.Disk){
	"files":    testFiles,
	"names":    testNames,
	"renames":  testRenames,
	"exchange": testExchange,
	"append":   testAppend,
	"lock":     testLock,
	"many":     testReadFiles,
}

// put writes a durable file, and creates missing directories.
func put(t *testing.T, d workspace.Disk, name, text string) {
	t.Helper()
	for i := range len(name) {
		if name[i] == '/' {
			if err := d.Mkdir(name[:i]); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
		}
	}
	f, err := d.Create(name, []byte(text), 0o644)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), d.SyncDir(path.Dir(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// want checks what a file holds; "" is an absent file.
func want(t *testing.T, d workspace.Disk, name, text string) {
	t.Helper()
	data, _, err := d.Read(name, 1<<20)
	if text == "" && !errors.Is(err, fs.ErrNotExist) || text != "" && (err != nil || string(data) != text) {
		t.Errorf("%s holds %q, want %q; %v", name, data, text, err)
	}
}

// fails checks an error; nil wants any.
func fails(t *testing.T, what string, err, wanted error) {
	t.Helper()
	if err == nil || wanted != nil && !errors.Is(err, wanted) {
		t.Errorf("%s: error %v, want %v", what, err, wanted)
	}
}

func testFiles(t *testing.T, d workspace.Disk) {
	put(t, d, "a/b/f", "text")
	want(t, d, "a/b/f", "text")
	info, err := d.Stat("a/b/f")
	if err != nil || info.Kind != disk.Regular || info.Size != 4 || info.Links != 1 {
		t.Errorf("stat: %+v, %v", info, err)
	}
	if _, read, err := d.Read("a/b/f", 4); err != nil || read.ID != info.ID || read.Size != 4 {
		t.Errorf("read: %+v, %v", read, err)
	}
	_, _, err = d.Read("a/b/f", 3)
	fails(t, "read of a larger file", err, disk.ErrTooLarge)
	_, err = d.Create("a/b/f", nil, 0)
	fails(t, "create over a file", err, fs.ErrExist)
	_, err = d.Create("absent/f", nil, 0)
	fails(t, "create in no directory", err, fs.ErrNotExist)
	_, _, err = d.Read("a/b", 10)
	fails(t, "read of a directory", err, disk.ErrLink)
	_, _, err = d.Read("a/b/f/g", 10)
	fails(t, "read below a file", err, disk.ErrLink)
	fails(t, "remove of a directory with a file", d.Remove("a/b"), nil)
	if err := errors.Join(d.Remove("a/b/f"), d.SyncDir("a/b"), d.Remove("a/b")); err != nil {
		t.Error(err)
	}
	fails(t, "remove of what is gone", d.Remove("a/b"), fs.ErrNotExist)
	want(t, d, "a/b/f", "")
}

func testNames(t *testing.T, d workspace.Disk) {
	for _, name := range []string{"b", "ä", "B", "a", "c/x"} {
		put(t, d, name, name)
	}
	list, err := d.ReadDir(".")
	wanted := []disk.Entry{{Name: "B", Kind: disk.Regular}, {Name: "a", Kind: disk.Regular}, {Name: "b", Kind: disk.Regular}, {Name: "c", Kind: disk.Dir}, {Name: "ä", Kind: disk.Regular}}
	if err != nil || !slices.Equal(list, wanted) {
		t.Errorf("list: %v, %v", list, err)
	}
	_, err = d.ReadDir("a")
	fails(t, "list of a file", err, disk.ErrLink)
	_, err = d.ReadDir("absent")
	fails(t, "list of nothing", err, fs.ErrNotExist)
	fails(t, "mkdir of a taken name", d.Mkdir("c"), fs.ErrExist)
	fails(t, "mkdir in no directory", d.Mkdir("x/y"), fs.ErrNotExist)
	for _, name := range []string{"", "/", "/a", "../a", "c/../a", "c/", "c//x"} {
		_, _, err := d.Read(name, 10)
		fails(t, fmt.Sprintf("read %q", name), err, nil)
		_, err = d.Create(name, nil, 0)
		fails(t, fmt.Sprintf("create %q", name), err, nil)
		fails(t, fmt.Sprintf("rename to %q", name), d.Rename("a", name), nil)
	}
}

func testRenames(t *testing.T, d workspace.Disk) {
	put(t, d, "a", "1")
	put(t, d, "dir/b", "2")
	if err := d.Rename("a", "dir/b"); err != nil {
		t.Fatal(err)
	}
	want(t, d, "a", "")
	want(t, d, "dir/b", "1")
	put(t, d, "a", "3")
	err := d.Move("a", "dir/b")
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	fails(t, "move onto a file", err, fs.ErrExist)
	if err := d.Move("a", "dir/c"); err != nil {
		t.Error(err)
	}
	want(t, d, "dir/b", "1")
	want(t, d, "dir/c", "3")
	fails(t, "move of nothing", d.Move("a", "x"), fs.ErrNotExist)
	if err := d.Move("dir", "other"); err != nil {
		t.Error(err)
	}
	want(t, d, "other/c", "3")
}

func testExchange(t *testing.T, d workspace.Disk) {
	put(t, d, "a", "1")
	put(t, d, "dir/b", "2")
	before, err := d.Stat("a")
	if err != nil {
		t.Fatal(err)
	}
	if err = d.Exchange("a", "dir/b"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("SKIPPED: no exchange on this disk")
	}
	after, serr := d.Stat("dir/b")
	if errors.Join(err, serr) != nil || after.ID != before.ID {
		t.Errorf("%v, then %v; %v", before.ID, after.ID, errors.Join(err, serr))
	}
	want(t, d, "a", "2")
	want(t, d, "dir/b", "1")
	fails(t, "exchange with nothing", d.Exchange("a", "absent"), fs.ErrNotExist)
	want(t, d, "a", "2")
}

func testAppend(t *testing.T, d workspace.Disk) {
	const writers, lines = 4, 25
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range lines {
				if err := d.Append("log", fmt.Appendf(nil, "%d.%d\n", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	data, _, err := d.Read("log", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != writers*lines {
		t.Errorf("%d lines of %d", len(got), writers*lines)
	}
	if err := d.Mkdir("dir"); err != nil {
		t.Fatal(err)
	}
	fails(t, "append to a directory", d.Append("dir", nil), nil)
}

func testLock(t *testing.T, d workspace.Disk) {
	for range 2 {
		unlock, err := d.TryLock("lock", "the first")
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.TryLock("lock", "the second")
		var held *disk.HeldError
		if !errors.As(err, &held) || !errors.Is(err, disk.ErrLocked) || held.Holder != "the first" {
			t.Errorf("second holder: %v", err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
	if info, err := d.Stat("lock"); err != nil || info.Kind != disk.Regular {
		t.Errorf("the lock file: %+v, %v", info, err)
	}
}

func testReadFiles(t *testing.T, d workspace.Disk) {
	put(t, d, "dir/a", "1")
	put(t, d, "dir/b", "22")
	put(t, d, "dir/sub/c", "333")
	var got []string
	err := d.ReadFiles("dir", []string{"b", "absent", "a", "sub", "sub/c"}, 10, nil, func(_ int, data []byte, info disk.Info, err error) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			got = append(got, "absent")
		case errors.Is(err, disk.ErrLink):
			got = append(got, "link")
		case err != nil:
			got = append(got, "refused")
		case int64(len(data)) == info.Size:
			got = append(got, string(data))
		}
	})
	if text := strings.Join(got, " "); err != nil || text != "22 absent 1 link refused" {
		t.Errorf("%q, %v", text, err)
	}
	err = d.ReadFiles("absent", []string{"a"}, 10, nil, func(int, []byte, disk.Info, error) { t.Error("called without a directory") })
	fails(t, "read in no directory", err, fs.ErrNotExist)
}
