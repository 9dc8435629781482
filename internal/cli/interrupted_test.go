package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
)

// A run that was killed before its end is what check names first, and alone, whatever else is there; --verbose shows the rest behind it,
// and --fix finishes the run.
func TestCheckNamesInterruptedRunFirst(t *testing.T) {
	dir := t.TempDir()
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		code, stdout, stderr := in(dir, append(args, "--workspace", dir, "--at", fixtures.At)...)
		return code, stdout + stderr
	}
	if code, said := run("consolidate", "--pause", "0s"); code != fail.ExitDone {
		t.Fatal(said)
	}
	if err := os.WriteFile(filepath.Join(dir, "agents", "broken.json"), []byte("{"), 0o644); err != nil { // sorts before ops/
		t.Fatal(err)
	}
	done, err := filepath.Glob(filepath.Join(dir, "ops", "runs", "*", "done.json"))
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	if err := os.Remove(done[0]); err != nil {
		t.Fatal(err)
	}
	name := "ops/runs/" + filepath.Base(filepath.Dir(done[0]))

	code, said := run("check")
	if code != fail.ExitProblems || !strings.HasPrefix(said, name+"\n") || strings.Contains(said, "broken.json") || !strings.Contains(said, "memory check --fix") ||
		!strings.Contains(said, "1 error, 0 warnings") || !strings.Contains(said, "--verbose shows them") {
		t.Errorf("%d:\n%s", code, said)
	}
	code, said = run("check", "--json")
	var doc document.Check
	if err := json.Unmarshal([]byte(said), &doc); err != nil || code != fail.ExitProblems || len(doc.Problems) != 1 || doc.Problems[0].File != name || doc.Later == 0 {
		t.Errorf("%d, %v:\n%s", code, err, said)
	}
	code, said = run("check", "--verbose")
	if code != fail.ExitProblems || !strings.HasPrefix(said, name+"\n") || !strings.Contains(said, "broken.json") {
		t.Errorf("%d:\n%s", code, said)
	}
	code, said = run("check", "--fix")
	if code != fail.ExitProblems || strings.Contains(said, "was interrupted, or") || !strings.Contains(said, "broken.json") {
		t.Errorf("%d:\n%s", code, said)
	}
	if err := os.Remove(filepath.Join(dir, "agents", "broken.json")); err != nil {
		t.Fatal(err)
	}
	if code, said := run("check"); code != fail.ExitDone {
		t.Errorf("%d:\n%s", code, said)
	}
}
