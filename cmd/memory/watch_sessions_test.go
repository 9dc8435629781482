//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func workingRecord(id, priority, text string) string {
	return fmt.Sprintf("{\"id\": %q, \"type\": \"working\", \"created_at\": \"2026-01-01T00:00:00Z\", \"priority\": %q, \"tags\": [\"t\"], \"access_count\": 0, \"content\": %q}\n", id, priority, text)
}

// logged are the entries of the log by session_end, by their scope: how many there
// are, and how many memories they changed.
func logged(t *testing.T, exe, dir string) map[string][2]int {
	t.Helper()
	stdout, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, "log", "--json")
	if err != nil || code != 0 {
		t.Fatalf("log: exit code %d, %v\n%s", code, err, stderr)
	}
	var doc struct {
		Runs []struct {
			Trigger, Scope string
			Stats          map[string]int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string][2]int{}
	for _, e := range doc.Runs {
		if e.Trigger == "session_end" {
			n := found[e.Scope]
			found[e.Scope] = [2]int{n[0] + 1, n[1] + e.Stats["memories_archived"] + e.Stats["memories_promoted"]}
		}
	}
	return found
}

// TestWatchSettlesSessions: of the sessions that other tools write, the one whose
// file says that it has ended is settled, once; those that go on, that are half
// written, or that nobody has ended are left alone, byte for byte.
func TestWatchSettlesSessions(t *testing.T) {
	exe := program(t)
	dir := newWorkspace(t, exe)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	alone := map[string]string{
		"sessions/on/a.json":                 workingRecord("on", "low", "Still looking for the leak."),
		"sessions/half/a.json":               workingRecord("half", "low", "The parser drops a token."),
		"sessions/fresh/a.json":              workingRecord("fresh", "low", "A thought about caches."),
		"agents/DEV-002/working-memory.json": `{"status": "in_progress", "working_memory": [` + workingRecord("busy", "low", "Halfway through the review.") + "]}\n",
		"working/task.json":                  workingRecord("nobodys", "low", "Ask about the licence."),
	}
	for name, text := range alone {
		write(t, at(name), text)
	}
	write(t, at("sessions/on.json"), `{"session_id": "on", "status": "active", "ended_at": null}`)
	write(t, at("sessions/half.json"), `{"session_id": "half", "status": "completed"`)
	write(t, at("sessions/over/keep.json"), workingRecord("keep", "high", "The flaky checkout test hides a race."))
	write(t, at("sessions/over/drop.json"), workingRecord("drop", "low", "Looking at the log of the build."))
	write(t, at("agents/DEV-001/working-memory.json"), `{"agent_id": "DEV-001", "status": "done", "working_memory": [`+workingRecord("of-agent", "low", "Compared two libraries.")+"]}\n")
	w := watching(t, exe, dir)
	indexed := func(name string) bool { _, err := os.Stat(at(name)); return err == nil }
	eventually(t, "the agent's work is settled", func() error {
		if !indexed("archive/of-agent.json") {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	if !indexed("sessions/over/keep.json") {
		t.Fatal("a session is settled that nobody has ended")
	}
	write(t, at("sessions/over.json"), `{"session_id": "over", "ended_at": "2026-01-02T00:00:00Z"}`)
	eventually(t, "the session is settled", func() error {
		if !indexed("archive/keep.json") || !indexed("archive/drop.json") {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	w.end(t, syscall.SIGTERM)
	w = watching(t, exe, dir)
	eventually(t, "everything has been compared once more", func() error {
		if text, err := os.ReadFile(at("ops/watch.json")); err != nil || !strings.Contains(string(text), fmt.Sprintf(`"pid": %d`, w.Process.Pid)) {
			return fmt.Errorf("not yet: %w", err)
		}
		return nil
	})
	w.end(t, syscall.SIGTERM)
	for name, text := range alone {
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != text {
			t.Errorf("%s was touched: %v\n%s", name, err, got)
		}
	}
	got := logged(t, exe, dir)
	if len(got) != 2 || got["session:over"] != [2]int{1, 2} || got["agent:DEV-001"] != [2]int{1, 1} {
		t.Errorf("runs by scope: %v", got)
	}
	agrees(t, exe, dir)
	write(t, at("sessions/half.json"), `{"session_id": "half", "status": "active"}`)
	if stdout, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
}

// TestWatchSettlesOnceThoughKilled kills the watcher again and again, around the
// moment at which it settles a session. In the end each memory was settled once.
func TestWatchSettlesOnceThoughKilled(t *testing.T) {
	exe := program(t)
	dir := newWorkspace(t, exe)
	sessions := size(3, 25)
	for i := range sessions {
		for j := range 3 {
			id := fmt.Sprintf("s%d-%d", i, j)
			write(t, filepath.Join(dir, fmt.Sprintf("sessions/s%d/%s.json", i, id)), workingRecord(id, []string{"high", "low"}[j%2], []string{"The harbour closes at nine.", "Lamps in the cellar need new bulbs.", "Ilse paints the garden fence."}[j])) // no two wait for a decision
		}
		write(t, filepath.Join(dir, fmt.Sprintf("sessions/s%d.json", i)), fmt.Sprintf(`{"session_id": "s%d", "state": "finished"}`, i))
		old := time.Now().Add(-time.Hour) // it needs no rest
		for _, name := range []string{".json", "/s%d-0.json", "/s%d-1.json", "/s%d-2.json"} {
			full := filepath.Join(dir, "sessions", fmt.Sprintf("s%d", i)+strings.ReplaceAll(name, "%d", fmt.Sprint(i)))
			if err := os.Chtimes(full, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	settled := func() int {
		left, err := filepath.Glob(filepath.Join(dir, "sessions/s*/s*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return 3*sessions - len(left)
	}
	for round := 0; settled() < 3*sessions && round < 200; round++ {
		w := watching(t, exe, dir, "--debounce", "0s")
		log := w.log.String
		moment := []string{"msg=due", "run begins", "run ended"}[round%3]
		eventually(t, "it comes to "+moment, func() error {
			if !strings.Contains(log(), moment) && settled() < 3*sessions {
				return fmt.Errorf("not yet")
			}
			return nil
		})
		w.end(t, syscall.SIGKILL)
	}
	w := watching(t, exe, dir)
	eventually(t, "all are settled", func() error {
		if n := settled(); n != 3*sessions {
			return fmt.Errorf("%d of %d", n, 3*sessions)
		}
		return nil
	})
	w.end(t, syscall.SIGTERM)
	agrees(t, exe, dir) // and finishes a run that was killed
	for scope, n := range logged(t, exe, dir) {
		if n[1] != 3 {
			t.Errorf("%s: %d memories settled in %d runs, want each of 3 once", scope, n[1], n[0])
		}
	}
	if stdout, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
}
