//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var entryCount = regexp.MustCompile(`"entry_count": (\d+)`)

// burst writes files into as many directories as fast as it can, and returns when
// the indexes list them all: how long after the last write that was.
func burst(t testing.TB, dir string, dirs, files int) time.Duration {
	t.Helper()
	for i := range dirs {
		if err := os.MkdirAll(filepath.Dir(memoryFile(dir, i, dirs)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	const writers = 4
	for k := range writers {
		group.Go(func() {
			for i := k; i < files; i += writers {
				if err := os.WriteFile(memoryFile(dir, i, dirs), []byte(record(fmt.Sprint("m", i), "A text.")), 0o644); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	begun := time.Now()
	counted := make([]int, dirs)
	until(t, "the indexes list the files", func() bool {
		for i := range dirs {
			want := (files + dirs - 1 - i) / dirs
			if counted[i] == want {
				continue
			}
			doc, err := os.ReadFile(filepath.Join(filepath.Dir(memoryFile(dir, i, dirs)), "_index.json"))
			if err != nil {
				return false
			}
			if m := entryCount.FindSubmatch(doc); m != nil {
				counted[i], _ = strconv.Atoi(string(m[1]))
			}
			if counted[i] != want {
				return false
			}
		}
		return true
	})
	return time.Since(begun)
}

// TestWatchBurst writes many files at once, into many directories and into few:
// afterwards a full reindex finds nothing to do.
func TestWatchBurst(t *testing.T) {
	exe := program(t)
	for _, dirs := range []int{size(60, 500), 5} {
		for _, args := range [][]string{nil, {"--debounce", "0s"}, {"--poll"}} {
			t.Run(fmt.Sprint(dirs, args), func(t *testing.T) {
				dir := newWorkspace(t, exe)
				write(t, filepath.Join(dir, "memory.toml"), quiet)
				w := watching(t, exe, dir, args...)
				files := size(1_200, 100_000)
				t.Logf("%d files: %s after the last write", files, burst(t, dir, dirs, files).Round(time.Millisecond))
				agrees(t, exe, dir)
				w.end(t, syscall.SIGTERM)
			})
		}
	}
}

// quiet are settings with which no run begins by itself.
const quiet = "[triggers]\nindex_overflow = 1000000\n"

// TestWatchLimit leaves the program a single watch, by the limit of a user
// namespace: it says that it looks instead, and finds everything.
func TestWatchLimit(t *testing.T) {
	exe := program(t)
	limited := func(shell string, args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"--user", "--map-root-user", "sh", "-c", "echo 1 > /proc/sys/user/max_inotify_watches && " + shell}, args...)...)
	}
	if out, err := limited("true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no user namespace with a limit of its own here (%v: %s); TestTooFewWatches takes watches away by other means", err, out)
	}
	dir := newWorkspace(t, exe)
	write(t, filepath.Join(dir, "memory.toml"), quiet)
	w := watchingBy(t, limited(`exec "$0" watch`, exe), dir)
	if !strings.Contains(w.log.String(), "looking at the files every 1s: watch "+dir) {
		t.Errorf("it isn't said aloud:\n%s", w.log)
	}
	t.Logf("%s after the last write", burst(t, dir, 20, 200).Round(time.Millisecond))
	agrees(t, exe, dir)
	w.end(t, syscall.SIGTERM)
}

// BenchmarkWatchBurst is how long after the last of many writes at once the indexes
// list all. MEMORYD_BURST says how many; 100,000 take a minute each.
//
//	MEMORYD_BURST=100000 go test ./cmd/memory -run '^$' -bench WatchBurst -benchtime 1x
func BenchmarkWatchBurst(b *testing.B) {
	exe, err := build()
	if err != nil {
		b.Fatal(err)
	}
	files := 10_000
	if text := os.Getenv("MEMORYD_BURST"); text != "" {
		if files, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for _, set := range []struct {
		name  string
		dirs  int
		files int
		args  []string
	}{
		{"500-directories-with-a-file", 500, 500, nil},
		{"500-directories-with-a-file/poll", 500, 500, []string{"--poll"}},
		{fmt.Sprintf("files=%d/directories=500", files), 500, files, nil},
		{fmt.Sprintf("files=%d/directories=500/poll", files), 500, files, []string{"--poll"}},
		{fmt.Sprintf("files=%d/directories=5", files), 5, files, nil},
	} {
		b.Run(set.name, func(b *testing.B) {
			var took []time.Duration
			var peak float64
			for b.Loop() {
				dir := newWorkspace(b, exe)
				write(b, filepath.Join(dir, "memory.toml"), quiet)
				w := watching(b, exe, dir, set.args...)
				took = append(took, burst(b, dir, set.dirs, set.files))
				agrees(b, exe, dir)
				peak = max(peak, usedBy(b, w.Process.Pid).peak)
				w.end(b, syscall.SIGTERM)
			}
			spread(b, "", took)
			b.ReportMetric(peak, "peak-RSS-MB")
		})
	}
}
