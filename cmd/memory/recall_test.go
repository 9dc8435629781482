package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// lanterns is a workspace with many memories in one file.
func lanterns(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, filepath.Join(dir, "memory.toml"), "")
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"m%d","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"Shelf %d holds lanterns of kind %d."}`, i, i, i%7)
	}
	put(t, filepath.Join(dir, "global", "lanterns.json"), "["+strings.Join(rows, ",\n")+"]")
	return dir
}

// ask runs the program in a workspace and returns what it prints.
func ask(t testing.TB, exe, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(exe, append([]string{"--workspace", dir, "--at", "2026-03-01T09:00:00Z"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, stderr.String())
	}
	return string(out)
}

// What was saved, changed or removed the moment before counts, with the index that an
// earlier command has left; and so it does without, or when that is damaged.
func TestRecallIsFresh(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	exe, dir := program(t), lanterns(t, 400)
	index := filepath.Join(dir, "ops", "cache", "recall")
	recall := func(query, want string) {
		t.Helper()
		if got := ask(t, exe, dir, "recall", query, "--quiet", "--limit", "1"); strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	recall("which shelf is number 17", "m17")
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(dir, "global", "note.json")
	put(t, note, `{"id":"note","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"The umbrella stands behind shelf 17."}`)
	recall("where is the umbrella", "note")
	put(t, note, `{"id":"note","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"The parasol stands behind shelf 17."}`)
	recall("where is the umbrella", "")
	recall("where is the parasol", "note")
	saved := strings.Fields(ask(t, exe, dir, "add", "--type", "semantic", "--text", "Zinnias grow in the yard.", "--quiet"))
	recall("zinnia", saved[len(saved)-1])
	ask(t, exe, dir, "archive", saved[len(saved)-1])
	if got := ask(t, exe, dir, "recall", "zinnia", "--json"); !strings.Contains(got, `"archived": true`) {
		t.Errorf("it isn't found in the archive: %s", got)
	}
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	recall("where is the parasol", "")
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for _, harm := range [][]byte{nil, whole[:len(whole)/2], append(bytes.Clone(whole[:2000]), bytes.Repeat([]byte{0xff}, len(whole)-2000)...)} {
		put(t, index, string(harm))
		recall("which shelf is number 17", "m17")
		if made, err := os.ReadFile(index); err != nil || len(made) < len(whole)/2 || bytes.Equal(made, harm) {
			t.Errorf("%d bytes damaged to %d are %d, %v", len(whole), len(harm), len(made), err)
		}
	}
	ask(t, exe, dir, "check", "--fix")
	if _, err := os.Stat(index); err != nil {
		t.Errorf("check --fix took a sound index away: %v", err)
	}
}

// Several read next to one that writes: each finds what there is.
func TestRecallBesideWriters(t *testing.T) {
	exe, dir := program(t), lanterns(t, 400)
	index := filepath.Join(dir, "ops", "cache", "recall")
	done := make(chan string)
	for i := range 3 {
		go func() {
			for n := range 8 {
				cmd := exec.Command(exe, "--workspace", dir, "--at", "2026-03-01T09:00:00Z", "recall", "which shelf is number 17", "--quiet", "--limit", "1")
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != "m17\n" {
					done <- fmt.Sprintf("%v: %s", err, out)
					return
				}
				if i == 0 && n%2 == 0 {
					_ = os.Remove(index) // the next one makes it again
				}
			}
			done <- ""
		}()
	}
	for range 3 {
		if failed := <-done; failed != "" {
			t.Error(failed)
		}
	}
}

// A hook doesn't make its host wait for the index of many memories: a process of its own
// makes it, and the next prompt gets what is relevant.
func TestHookHasIndexMade(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	exe, dir := program(t), lanterns(t, 2500)
	t.Cleanup(func() { // whoever reads ahead once more may be writing yet
		for late := time.Now().Add(time.Minute); os.RemoveAll(dir) != nil && time.Now().Before(late); {
			runtime.Gosched()
		}
	})
	put(t, filepath.Join(dir, "global", "note.json"), `{"id":"umbrella","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"The umbrella of the doorman stands behind the curtain."}`)
	prompt := func() string {
		cmd := exec.Command(exe, "--at", "2026-03-01T09:00:00Z", "hook", "claude", "UserPromptSubmit")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "MEMORY_WORKSPACE=", "CLAUDE_PROJECT_DIR="+dir)
		cmd.Stdin = strings.NewReader(`{"prompt":"Where does the doorman keep his umbrella, behind which curtain?"}`)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := prompt(); out != "" {
		t.Errorf("without an index: %s", out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "ops", "hook.log"))
	if err != nil || !strings.Contains(string(log), "UserPromptSubmit: ") {
		t.Errorf("%s, %v", log, err)
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for late := time.After(time.Minute); ; {
		if out := prompt(); strings.Contains(out, "umbrella of the doorman") {
			return
		}
		select {
		case <-look.C:
		case <-late:
			log, _ = os.ReadFile(filepath.Join(dir, "ops", "hook.log"))
			t.Fatalf("nothing is given within a minute: %s", log)
		}
	}
}
