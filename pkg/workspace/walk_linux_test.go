package workspace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// A directory that is what it was isn't listed again, and whatever happens to the names in one
// is noticed.
func TestNamesInDoubt(t *testing.T) {
	must := func(t *testing.T, err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	const all = 5 // directories: the workspace, archive, global, teams, teams/qa
	for _, c := range []struct {
		name         string
		do           func(t *testing.T, w *reusing)
		listed, read int
		odd          bool // and remains to be listed each time
	}{
		{"nothing", func(*testing.T, *reusing) {}, 0, 0, false},
		{"edited in place", func(t *testing.T, w *reusing) { w.write(t, "global/a.json", record("a", "another wording")) }, 0, 1, false},
		{"saved as editors do", func(t *testing.T, w *reusing) {
			w.write(t, "global/a.json~", record("a", "another wording"))
			must(t, os.Rename(w.file("global/a.json~"), w.file("global/a.json")))
		}, 1, 1, false},
		{"a file comes", func(t *testing.T, w *reusing) { w.write(t, "global/new.json", record("new", "said")) }, 1, 1, false},
		{"a file comes, and the directory is dated back", func(t *testing.T, w *reusing) {
			was, err := os.Stat(w.file("global"))
			must(t, err)
			w.write(t, "global/new.json", record("new", "said"))
			must(t, os.Chtimes(w.file("global"), was.ModTime(), was.ModTime()))
		}, 1, 1, false},
		{"a file comes to the workspace itself", func(t *testing.T, w *reusing) { w.write(t, "new.json", record("new", "said")) }, 1, 1, false},
		{"a file goes", func(t *testing.T, w *reusing) { must(t, os.Remove(w.file("global/b.json"))) }, 1, 0, false},
		{"a file is called otherwise", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("global/b.json"), w.file("global/0.json")))
		}, 1, 1, false},
		{"a file moves", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("global/b.json"), w.file("teams/qa/b.json")))
		}, 2, 1, false},
		{"a link in place of a file", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("global/b.json"), w.file("b.txt")))
			must(t, os.Symlink("../b.txt", w.file("global/b.json")))
		}, 2, 0, true},
		{"a directory and a file change places", func(t *testing.T, w *reusing) {
			must(t, os.Mkdir(w.file("ops/dir"), 0o755))
			must(t, os.WriteFile(w.file("ops/dir/in.json"), []byte(record("in", "below")), 0o644))
			must(t, unix.Renameat2(unix.AT_FDCWD, w.file("ops/dir"), unix.AT_FDCWD, w.file("global/b.json"), unix.RENAME_EXCHANGE))
		}, 2, 1, false},
		{"two files change places", func(t *testing.T, w *reusing) {
			must(t, unix.Renameat2(unix.AT_FDCWD, w.file("global/a.json"), unix.AT_FDCWD, w.file("global/b.json"), unix.RENAME_EXCHANGE))
		}, 1, 2, false},
		{"a directory comes", func(t *testing.T, w *reusing) { w.write(t, "teams/new/list.json", record("new", "said")) }, 2, 1, false},
		{"an empty directory comes, and later a file in it", func(t *testing.T, w *reusing) {
			must(t, os.Mkdir(w.file("teams/new"), 0o755))
			w.tick(t)
			w.same(t)
			w.tick(t)
			w.write(t, "teams/new/list.json", record("new", "said"))
		}, 1, 1, false},
		{"a directory goes", func(t *testing.T, w *reusing) { must(t, os.RemoveAll(w.file("teams/qa"))) }, 1, 0, false},
		{"another directory with the same names", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("global"), w.file("ops/was")))
			must(t, os.CopyFS(w.file("global"), os.DirFS(w.file("ops/was"))))
		}, 2, 2, false},
		{"a directory is called otherwise", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("teams/qa"), w.file("teams/q")))
		}, 2, 1, false},
		{"a directory below another name", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("teams"), w.file("agents")))
		}, 3, 1, false},
		{"a link in place of a directory", func(t *testing.T, w *reusing) {
			must(t, os.Rename(w.file("global"), w.file("ops/was")))
			must(t, os.Symlink("ops/was", w.file("global")))
		}, 1, 0, true},
		{"a directory with a name that is none", func(t *testing.T, w *reusing) {
			must(t, os.Mkdir(w.file("global/\xff"), 0o755))
		}, 2, 1 /* it is asked for, too */, true},
		{"a file with a name that is none", func(t *testing.T, w *reusing) {
			must(t, os.WriteFile(w.file("global/\xfe.json"), []byte(record("odd", "named")), 0o644))
		}, 1, 1, true},
		{"the workspace is moved", func(t *testing.T, w *reusing) {
			to := filepath.Join(t.TempDir(), "moved")
			must(t, os.Rename(w.dir, to))
			w.dir = to
		}, 1, 0, false},
		{"a directory is closed", func(t *testing.T, w *reusing) {
			if os.Geteuid() == 0 {
				t.Skip("SKIPPED: nothing is closed to root")
			}
			must(t, os.Chmod(w.file("global"), 0))
			t.Cleanup(func() { _ = os.Chmod(w.file("global"), 0o755) })
		}, 1, 0, true},
		{"all is young", func(t *testing.T, w *reusing) {
			w.store.Racy = time.Hour
			must(t, os.Remove(w.file(CacheFile)))
			w.same(t)
		}, all, 5, true},
	} {
		for how, set := range map[string]func(*reusing){
			"made anew": func(*reusing) {}, "patched": func(w *reusing) { w.large = true }, "left": func(w *reusing) { w.lazy = true },
		} {
			t.Run(c.name+", the cache "+how, func(t *testing.T) {
				w := cached(t)
				set(w)
				c.do(t, w)
				w.tick(t)
				w.same(t)
				if w.listed != c.listed || w.parsed != c.read {
					t.Errorf("%d directories listed and %d files read, want %d and %d", w.listed, w.parsed, c.listed, c.read)
				}
				for range 2 {
					w.same(t)
					if w.listed > 0 != c.odd {
						t.Errorf("%d directories are listed once more", w.listed)
					}
				}
			})
		}
	}
}

// Where names were known that aren't there, though the directory is what it was, or what has one of
// them is no file, all directories are listed.
func TestNamesAreWrong(t *testing.T) {
	for name, do := range map[string]func(w *reusing) error{
		"gone": func(w *reusing) error { return os.Remove(w.file("global/b.json")) },
		"no file": func(w *reusing) error {
			_ = os.Remove(w.file("global/b.json"))
			return os.Mkdir(w.file("global/b.json"), 0o755)
		},
		"all of one": func(w *reusing) error { return os.RemoveAll(w.file("global")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := cached(t)
			if err := do(w); err != nil {
				t.Fatal(err)
			}
			w.tick(t)
			key, _ := w.store.cacheKey()
			sections, err := flatfile.Load(w.store.root, CacheFile, cacheVersion, key)
			if err != nil {
				t.Fatal(err)
			}
			for row := sections[cacheFolders]; len(row) > 0; row = row[folderRow:] {
				dir := string(sections[cachePaths][u64(row, folderPath):][:u32(row, folderLength)])
				info, err := w.store.root.Stat(filepath.Join(dir, "."))
				if err != nil {
					continue
				}
				copy(row[folderIs:], appendIdentity(nil, identityOf(info)))
			}
			if err := flatfile.Write(w.store.root, CacheFile, cacheVersion, key, sections...); err != nil {
				t.Fatal(err)
			}
			w.same(t)
			if w.listed == 0 {
				t.Error("no directory is listed")
			}
			w.same(t)
		})
	}
}

// An index that is hidden by the file of names is found by a check, and its --fix shows it again; a name that can't be
// one has the directories listed.
func TestNamesHideAnIndex(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		found    bool // by a check: else nothing is hidden
	}{
		"left out":   {"\x01\x00\x00\x00\x0b\x00\x00\x00_index.json", "\x00\x00\x00\x00", true},
		"no path":    {"_index.json", "_i\xffdex.json", false},
		"a path":     {"_index.json", "_in/ex.json", false},
		"zero bytes": {"_index.json", "_index\x00json", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := cached(t)
			w.lazy = true
			w.tick(t)
			w.same(t)
			key, _ := w.store.cacheKey()
			sections, err := flatfile.Load(w.store.root, NamesFile, namesVersion, key)
			if err != nil {
				t.Fatal(err)
			}
			forged := bytes.Replace(sections[0], []byte(c.from), []byte(c.to), 1)
			if bytes.Equal(forged, sections[0]) {
				t.Fatal("nothing is hidden")
			}
			if err := flatfile.Write(w.store.root, NamesFile, namesVersion, key, forged); err != nil {
				t.Fatal(err)
			}
			if gone, err := w.store.fixCache(); err != nil || gone != c.found {
				t.Fatalf("found: %v, %v", gone, err)
			}
			w.same(t)
		})
	}
}

// Whatever stands in the file of names, nothing panics, and a check finds what makes a load differ from
// one that knows nothing.
func TestNamesForged(t *testing.T) {
	w := cached(t)
	w.lazy = true
	w.write(t, "global/new.json", record("new", "said"))
	w.tick(t)
	w.same(t)
	key, _ := w.store.cacheKey()
	sections, err := flatfile.Load(w.store.root, NamesFile, namesVersion, key)
	if err != nil {
		t.Fatal(err)
	}
	want := w.fresh(t)
	checks(t, 10000, func(t *rapid.T) {
		forged := slices.Clone(sections[0])
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(forged)-1).Draw(t, "at")
			if rapid.Bool().Draw(t, "cut") && at > 0 {
				forged = forged[:at]
			} else {
				forged[at] = rapid.Byte().Draw(t, "to")
			}
		}
		if err := flatfile.Write(w.store.root, NamesFile, namesVersion, key, forged); err != nil {
			t.Fatal(err)
		}
		store, snap := w.stranger(t)
		defer store.Close()
		c := &checker{store: store}
		if err := c.cache(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, told(snap)); diff != "" && len(c.problems) == 0 {
			t.Fatalf("a check finds nothing where a load differs from a fresh one:\n%s", diff)
		}
		if err := store.SaveCache(snap, nil, false); err != nil {
			t.Fatal(err)
		}
	})
	if gone, err := w.store.fixCache(); err != nil {
		t.Fatal(gone, err)
	}
	w.same(t)
}

// While some change names and others load and keep what they found, nobody keeps what is wrong: a
// directory counts as what it was only if it had been so for longer than its clock is coarse.
func TestNamesWhileOthersWrite(t *testing.T) {
	w := newReusing(t, true)
	w.store.Racy = 20 * time.Millisecond
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dir := range dirsOf {
		w.write(t, dir+"/0.json", record("first", "of "+dir))
	}
	trusted := 0
	for range rounds {
		var group sync.WaitGroup
		var done atomic.Bool
		for i := range 2 {
			group.Go(func() {
				for !done.Load() {
					store, err := Open(w.dir)
					if err != nil {
						t.Error(err)
						return
					}
					store.Racy, store.Derive = w.store.Racy, w.store.Derive
					snap, err := store.Load(time.Now())
					if err == nil {
						err = store.SaveCache(snap, nil, i == 0)
					}
					if err != nil {
						t.Error(err)
					}
					store.Close()
				}
			})
		}
		few := []string{dirsOf[rng.IntN(len(dirsOf))], dirsOf[rng.IntN(len(dirsOf))]} // the others grow old meanwhile
		name := func() string { return fmt.Sprintf("%s/%d.json", few[rng.IntN(2)], rng.IntN(6)) }
		for range rng.IntN(400) {
			switch a := w.file(name()); rng.IntN(4) {
			case 0:
				_ = os.Remove(a)
			case 1:
				_ = os.Rename(a, w.file(name()))
			default:
				if err := os.WriteFile(a+"~", []byte(record(fmt.Sprint(rng.IntN(9)), fmt.Sprint(rng.IntN(99)))), 0o644); err != nil {
					t.Fatal(err)
				}
				_ = os.Rename(a+"~", a)
			}
		}
		done.Store(true)
		group.Wait()
		w.lazy = true
		w.same(t)
		trusted += len(dirsOf) + 3 - w.listed
	}
	if trusted == 0 {
		t.Error("each directory was listed each time: nothing was tried")
	}
}

var dirsOf = []string{"global", "teams/a", "teams/b", "agents/A-1", "agents/A-2", "archive", "sessions/s"}
