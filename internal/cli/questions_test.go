package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/printer"
)

// Of many questions to a person the first are told one by one, the others counted; with --verbose, and in
// --json, all are there.
func TestManyQuestions(t *testing.T) {
	const pairs = printer.QuestionsShown + 10
	dir := t.TempDir()
	type memory map[string]any
	var all []memory
	for i := range pairs {
		for _, connections := range []int{12, 14} {
			all = append(all, memory{
				"id": fmt.Sprintf("mem_%d_%d", i, connections), "type": "semantic", "created_by": "DEV-001", "created_at": "2026-01-01T09:00:00Z",
				"tags": []string{"pool", fmt.Sprint("service", i)}, "access_count": 1, "last_accessed": "2026-02-20T09:00:00Z",
				"content": fmt.Sprintf("The worker pool of service %c%c keeps %d connections open to the database, and asks anew for each that was lost.", 'a'+i%26, 'a'+i/26, connections),
			})
		}
	}
	text, err := json.Marshal(map[string]any{"memories": all})
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "agents", "DEV-001"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "agents", "DEV-001", "notes.json"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Run(context.Background(), Process{
			Args: append([]string{"memory", "--workspace", dir, "--at", "2026-03-01T09:00:00Z"}, args...), Dir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		})
		if code != 0 {
			t.Fatalf("memory %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
		}
		return out.String()
	}
	holds := func(text, what string, times int) {
		t.Helper()
		if got := strings.Count(text, what); got != times {
			t.Errorf("%q stands %d times, not %d:\n%s", what, got, times, text)
		}
	}
	rest := "10 more questions to a person, about 20 memories: "
	short := run("plan")
	holds(short, "ask a person about 2 memories", printer.QuestionsShown)
	holds(short, rest+"--verbose shows them", 1)
	holds(run("plan", "--verbose"), "ask a person about 2 memories", pairs)
	holds(run("plan", "--json"), `"type": "review"`, pairs)
	done := run("consolidate")
	holds(done, "flagged", printer.QuestionsShown+1+1) // and in the sum
	holds(done, rest+"memory review lists what waits", 1)
	waiting := run("review")
	holds(waiting, "30 pairs that differ in the same way", 1)
	holds(waiting, "differs ", 1)
	holds(waiting, "and 29 more pairs: memory review --group 1", 1)
	holds(run("review", "--verbose"), "  differs ", pairs)
	holds(run("review", "--json"), `"reason": "distinct_facts"`, pairs)
	id := strings.Fields(run("log", "--quiet"))[0]
	holds(run("log", id), rest+"--verbose shows them", 1)
	holds(run("log", id, "--verbose"), "flagged", pairs+1)
	run("reindex")
	holds(run("check"), "clean", 1)
}
