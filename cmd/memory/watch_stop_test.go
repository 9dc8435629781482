//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWatchStops ends the watcher by SIGTERM at all moments of a long consolidation:
// it ends well each time, and every run that had begun to change anything is whole.
func TestWatchStops(t *testing.T) {
	exe := program(t)
	dir := newWorkspace(t, exe)
	n := size(400, 3000)
	for i := range n {
		id := fmt.Sprint("m", i)
		write(t, filepath.Join(dir, fmt.Sprintf("agents/A-%d/%s.json", i%7, id)), fmt.Sprintf(
			"{\"id\": %q, \"type\": \"semantic\", \"created_at\": \"2025-01-01T00:00:00Z\", \"access_count\": 0, \"content\": \"Note %d.\"}\n", id, i))
	}
	if err := os.WriteFile(filepath.Join(dir, "memory.toml"), []byte("[triggers]\nquiet_time = \"0s\"\n[run]\npause = \"20ms\"\n[supersede]\npropose = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "ops/triggers.json"), `{"version":"1.0.0","clock":{"weekly":{"schedule":"0 0 * * 0","slot":"2026-01-04T00:00","at":"2026-01-04T00:00:01Z"}}}`)
	archived := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "archive/m*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	var longest time.Duration
	stopped := 0
	for round := 0; archived() < n && round < 1000; round++ {
		w := watching(t, exe, dir, "--debounce", "0s")
		before := archived()
		eventually(t, "a run is on its way", func() error {
			if is := archived(); is < min(before+1+round*17%60, n) {
				return fmt.Errorf("%d archived", is)
			}
			return nil
		})
		asked := time.Now()
		w.end(t, syscall.SIGTERM)
		longest = max(longest, time.Since(asked))
		stopped++
		runs, err := filepath.Glob(filepath.Join(dir, "ops/runs/run_*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			_, begun := os.Stat(filepath.Join(run, "journal.json"))
			if _, done := os.Stat(filepath.Join(run, "done.json")); begun == nil && done != nil {
				t.Fatalf("round %d: ended in the middle of %s\n%s", round, filepath.Base(run), w.log)
			}
		}
		if strings.Contains(w.log.String(), "level=ERROR") {
			t.Fatalf("round %d: being ended is taken for an error", round)
		}
	}
	if archived() != n {
		t.Errorf("%d of %d archived", archived(), n)
	}
	t.Logf("ended %d times; the longest took %s", stopped, longest.Round(time.Millisecond))
	agrees(t, exe, dir)
	if stdout, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
}
