package auditing

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/paths"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes/MEMORY.md":  "- [Deploys](deploys.md): on Tuesdays\n- [Gone](gone.md): moved\n",
		"notes/deploys.md": "The shop deploys on Tuesdays. See [the plan](../plan.md).\n",
		"plan.md":          "The plan.\n", "picture.png": "not a note",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Paths: []string{"notes"}, Dir: paths.Dir(dir), At: time.Now(), Note: func(text string) { t.Error(text) }}
	report, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Files != 2 || report.Clean() {
		t.Errorf("%d files, clean: %v", report.Files, report.Clean())
	}
	found := false
	for _, l := range append(report.DeadLinks, report.Orphans...) {
		if l.Target == "../plan.md" {
			t.Errorf("a link to a file outside is dead: %+v", l)
		}
		found = found || l.Target == "gone.md"
	}
	if !found {
		t.Errorf("the link to a file that isn't there is not reported: %+v", report)
	}
	o.Paths = []string{"nothing"}
	if _, err := Run(context.Background(), o); fail.Code(err) != fail.ExitNotFound {
		t.Errorf("a path with nothing: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Paths = []string{"empty"}
	if _, err := Run(context.Background(), o); fail.Code(err) != fail.ExitNotFound {
		t.Errorf("an empty directory: %v", err)
	}
}
