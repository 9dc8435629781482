package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// cached is a workspace with a cache of all its files, which are old enough.
func cached(t *testing.T) *reusing {
	w := newReusing(t, true)
	w.write(t, "global/a.json", record("a", "the first wording"))
	w.write(t, "global/b.json", record("b", "another"))
	w.write(t, "teams/qa/list.json", `[`+record("c", "third")+`,`+record("d", "fourth")+`]`)
	w.write(t, "archive/old.json", record("old", "past"))
	w.write(t, "_index.json", `{"entries": []}`)
	w.tick(t)
	w.same(t)
	w.same(t)
	if w.parsed != 0 {
		t.Fatalf("%d files read that the cache has", w.parsed)
	}
	return w
}

func (w *reusing) file(name string) string { return filepath.Join(w.dir, name) }

// Whatever happens to the cache or the times of the files, what is loaded is what is
// there.
func TestCacheInDoubt(t *testing.T) {
	age := func(t *testing.T, file string, by time.Duration) {
		then := time.Now().Add(by)
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	change := func(t *testing.T, file string, f func([]byte) []byte) {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, f(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, w *reusing)
		read int // files read again, of five
	}{
		{"deleted", func(t *testing.T, w *reusing) {
			if err := os.RemoveAll(w.file("ops")); err != nil {
				t.Fatal(err)
			}
		}, 5},
		{"cut", func(t *testing.T, w *reusing) {
			change(t, w.file(CacheFile), func(b []byte) []byte { return b[:len(b)/2] })
		}, 5},
		{"emptied", func(t *testing.T, w *reusing) { change(t, w.file(CacheFile), func([]byte) []byte { return nil }) }, 5},
		{"a byte changed", func(t *testing.T, w *reusing) {
			change(t, w.file(CacheFile), func(b []byte) []byte { b[len(b)-20] ^= 4; return b })
		}, 5},
		{"of another version", func(t *testing.T, w *reusing) {
			change(t, w.file(CacheFile), func(b []byte) []byte { b[8]++; return b })
		}, 5},
		{"a directory", func(t *testing.T, w *reusing) {
			if err := os.Remove(w.file(CacheFile)); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(w.file(CacheFile+"/x"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(w.file(CacheFile)) })
		}, 5},
		{"a file restored with its old time", func(t *testing.T, w *reusing) {
			w.write(t, "global/a.json", record("a", "a restored text"))
			age(t, w.file("global/a.json"), -1000*time.Hour)
		}, 1},
		{"a file from the future", func(t *testing.T, w *reusing) {
			w.write(t, "global/a.json", record("a", "yet to come"))
			age(t, w.file("global/a.json"), 1000*time.Hour)
		}, 1},
		{"touched", func(t *testing.T, w *reusing) { age(t, w.file("global/a.json"), -time.Hour) }, 1},
		{"another directory in its place", func(t *testing.T, w *reusing) {
			if err := os.Rename(w.file("global"), w.file("was")); err != nil {
				t.Fatal(err)
			}
			w.write(t, "global/a.json", record("a", "the first wordinG"))
		}, 3},
		{"a copy of the workspace", func(t *testing.T, w *reusing) {
			other := t.TempDir()
			if err := os.CopyFS(other, os.DirFS(w.dir)); err != nil {
				t.Fatal(err)
			}
			w.dir = other
			w.write(t, "global/a.json", record("a", "a diverged line.."))
		}, 5},
		{"the workspace moved", func(t *testing.T, w *reusing) {
			to := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(w.dir, to); err != nil {
				t.Fatal(err)
			}
			w.dir = to
		}, 0},
		{"git checkout", func(t *testing.T, w *reusing) {
			if _, err := exec.LookPath("git"); err != nil {
				t.Skip("SKIPPED: there is no git here")
			}
			git := func(args ...string) {
				cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-C", w.dir}, args...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			git("init", "-q")
			git("add", "-A")
			git("commit", "-qm", "one")
			w.write(t, "global/a.json", record("a", "the other wording"))
			git("commit", "-qam", "two")
			w.tick(t)
			w.same(t)
			w.tick(t)
			git("checkout", "-q", "HEAD~1")
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := cached(t)
			c.do(t, w)
			w.tick(t)
			if c.name == "a directory" {
				got, err := w.store.Load(time.Now())
				if err != nil || len(got.Memories()) != 4 {
					t.Fatalf("%v, %v", got, err)
				}
				return // and it can't be written
			}
			w.same(t)
			if w.parsed != c.read {
				t.Errorf("%d files read again, want %d", w.parsed, c.read)
			}
		})
	}
}

// Who uses the cache where it lies says what the files say, whatever becomes of the cache then.
func TestCacheLent(t *testing.T) {
	for what, spoil := range map[string]func(name string) error{
		"cut":          func(name string) error { return os.Truncate(name, 0) },
		"written over": func(name string) error { return os.WriteFile(name, make([]byte, 1<<16), 0o600) },
		"removed":      os.Remove,
	} {
		w := cached(t)
		load := func(brief bool) *Snapshot {
			w.store.Close()
			w.open(t)
			lent := int64(0)
			w.store.Brief, w.store.NoCache = brief, !brief
			w.store.Lent = func(bytes int64) { lent = bytes }
			snap, err := w.store.Load(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if brief && lent == 0 {
				t.Skip("SKIPPED: no leases on the file system of " + w.dir + ": nothing is lent")
			}
			return snap
		}
		snap := load(true)
		if err := spoil(w.file(CacheFile)); err != nil {
			t.Fatal(err)
		}
		got := told(snap)
		if diff := cmp.Diff(told(load(false)), got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// Many load while some write the cache and one edits: each sees what is there.
func TestCacheIsShared(t *testing.T) {
	w := cached(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				store, err := Open(w.dir)
				if err != nil {
					t.Error(err)
					return
				}
				store.Racy = 0
				snap, err := store.Load(time.Now())
				if err == nil {
					err = store.SaveCache(snap, nil, true)
				}
				if err != nil || snap.Len() != 4 || len(snap.Archived()) != 1 {
					t.Errorf("%d memories, %v", snap.Len(), err)
				}
				store.Close()
			}
		})
	}
	group.Wait()
	w.same(t)
}

// A cache that says something else than the files is found by a check, and deleted by
// its --fix; whatever stands in one, nothing panics.
func TestCacheForged(t *testing.T) {
	w := cached(t)
	key, _ := w.store.cacheKey()
	forge := func(t interface{ Fatal(...any) }, f func(sections [][]byte)) {
		sections, err := flatfile.Load(w.store.root, CacheFile, cacheVersion, key)
		if err == nil {
			f(sections)
			err = flatfile.Write(w.store.root, CacheFile, cacheVersion, key, sections...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(t interface{ Fatal(...any) }) bool {
		c := &checker{store: w.store}
		if err := c.cache(); err != nil {
			t.Fatal(err)
		}
		return len(c.problems) > 0
	}
	if check(t) {
		t.Fatal("a good cache is a problem")
	}
	forge(t, func(s [][]byte) { s[cacheRecords][rowAccess] = 7 })
	if !check(t) {
		t.Fatal("a forged cache is no problem")
	}
	if gone, err := w.store.fixCache(); err != nil || !gone || check(t) {
		t.Fatalf("%v, %v", gone, err)
	}
	w.same(t)
	good, err := os.ReadFile(w.file(CacheFile))
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "teams/qa/list.json", `[`+record("c", "third")+`,`+record("d", "fifth")+`]`) // of which one is familiar
	want := w.fresh(t)
	checks(t, 10000, func(t *rapid.T) {
		if err := os.WriteFile(w.file(CacheFile), good, 0o644); err != nil {
			t.Fatal(err)
		}
		forge(t, func(s [][]byte) {
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				i := rapid.IntRange(0, len(s)-1).Draw(t, "section")
				if len(s[i]) == 0 {
					continue
				}
				at := rapid.IntRange(0, len(s[i])-1).Draw(t, "at")
				if rapid.Bool().Draw(t, "cut") {
					s[i] = s[i][:at]
				} else {
					s[i][at] = rapid.Byte().Draw(t, "to")
				}
			}
		})
		store, snap := w.stranger(t)
		defer store.Close()
		for _, m := range snap.Memories() {
			_ = m.Text()
			_ = snap.Find(m.ID)
		}
		c := &checker{store: store}
		if err := c.cache(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, told(snap)); diff != "" && len(c.problems) == 0 {
			t.Fatalf("a check finds nothing where a load differs from a fresh one:\n%s", diff)
		}
		var find func() []byte
		if rapid.Bool().Draw(t, "findings") {
			store.crowded, find = 0, func() []byte { return nil }
		}
		if err := store.SaveCache(snap, find, true); err != nil {
			t.Fatal(err)
		}
	})
}
