//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const ended = `{"session_id":"s1","cwd":"%","hook_event_name":"SessionEnd","reason":"other"}`

// sessionWorkspace makes a workspace with a working memory of the session s1.
func sessionWorkspace(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"memory.toml":              "",
		"sessions/s1/scratch.json": `{"id":"scratch","type":"working","created_at":"2026-03-01T08:30:00Z","tags":[],"content":"Looking."}`,
	} {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

// settled waits until the session's end is settled, and everything that takes part
// in it is done: the spool is empty then.
func settled(t testing.TB, dir string) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for late := time.After(time.Minute); ; {
		log, _ := os.ReadFile(filepath.Join(dir, "ops", "consolidation-log.json"))
		spool, err := os.ReadDir(filepath.Join(dir, "ops", "spool"))
		if bytes.Contains(log, []byte(`"scratch"`)) && err == nil && len(spool) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-late:
			hooks, _ := os.ReadFile(filepath.Join(dir, "ops", "hook.log"))
			t.Fatalf("not settled within a minute\nspool %v\nlog %s\nhook.log %s", spool, log, hooks)
		}
	}
}

func runHook(t testing.TB, exe, dir, event, input string) {
	t.Helper()
	cmd := exec.Command(exe, "hook", "claude", event)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MEMORY_WORKSPACE=", "CLAUDE_PROJECT_DIR="+dir)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(input, "%", dir))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("hook: %v\n%s", err, out)
	}
}

// The host, and all processes of its group, are killed in the moment in which the
// hook returns: the session is settled nevertheless.
func TestHostDies(t *testing.T) {
	exe, dir := program(t), sessionWorkspace(t)
	host := exec.Command("sh", "-c", `"$0" hook claude SessionEnd; kill -9 0`, exe)
	host.Dir, host.Env = dir, append(os.Environ(), "MEMORY_WORKSPACE=", "CLAUDE_PROJECT_DIR="+dir)
	host.Stdin = strings.NewReader(strings.ReplaceAll(ended, "%", dir))
	host.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out, err := host.CombinedOutput(); err == nil || len(out) > 0 {
		t.Fatalf("the host was not killed: %v\n%s", err, out)
	}
	settled(t, dir)
}

// A process that was killed before it had settled the end leaves it in the spool:
// the next session's start sees to it.
func TestSettlingDies(t *testing.T) {
	exe, dir := program(t), sessionWorkspace(t)
	put(t, filepath.Join(dir, "ops/spool/20260301T090000.000000000-s1.json"), `{"session":"s1","host":"claude","at":"2026-03-01T09:00:00Z"}`)
	runHook(t, exe, dir, "SessionStart", `{"session_id":"s2","cwd":"%","source":"startup"}`)
	settled(t, dir)
}

// A process that watches settles what the hook's process has left, without waiting for
// another session.
func TestWatcherSettlesTheSpool(t *testing.T) {
	exe, dir := program(t), sessionWorkspace(t)
	put(t, filepath.Join(dir, "ops/spool/20260301T090000.000000000-s1.json"), `{"session":"s1","host":"claude","at":"2026-03-01T09:00:00Z"}`)
	w := watching(t, exe, dir)
	settled(t, dir)
	agrees(t, exe, dir)
	w.end(t, syscall.SIGTERM)
}

// BenchmarkSessionEnd is how long a host waits for the hook at a session's end, with
// the start of the program and of the process that settles, and how long after that
// the run is in the log: in an empty workspace, and among 10,000 memories.
//
//	go test ./cmd/memory -run '^$' -bench SessionEnd -benchtime 20x
func BenchmarkSessionEnd(b *testing.B) {
	exe, err := build()
	if err != nil {
		b.Fatal(err)
	}
	for _, memories := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("memories=%d", memories), func(b *testing.B) {
			dir := newWorkspace(b, exe)
			populate(b, exe, dir, memories, 100)
			log := filepath.Join(dir, "ops", "consolidation-log.json")
			var waited, logged []time.Duration
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprintf("scratch-%d", i)
				put(b, filepath.Join(dir, "sessions/s1/scratch.json"), fmt.Sprintf(`{"id":%q,"type":"working","created_at":"2026-03-01T08:30:00Z","tags":[],"content":"Looking."}`, id))
				begun := time.Now()
				runHook(b, exe, dir, "SessionEnd", ended)
				waited = append(waited, time.Since(begun))
				until(b, "the run is in the log", func() bool {
					text, _ := os.ReadFile(log)
					return bytes.Contains(text, []byte(fmt.Sprintf("%q", id)))
				})
				logged = append(logged, time.Since(begun))
				until(b, "the spool is empty", func() bool {
					spool, err := os.ReadDir(filepath.Join(dir, "ops", "spool"))
					return err == nil && len(spool) == 0
				})
			}
			agrees(b, exe, dir)
			spread(b, "hook-", waited)
			spread(b, "logged-", logged)
		})
	}
}
