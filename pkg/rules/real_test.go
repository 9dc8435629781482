package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TestRealWorkspaces consolidates workspaces that other people's tools wrote,
// which are not part of the repository: every file that no action names stays as
// it was, and so do profiles, templates and configuration.
func TestRealWorkspaces(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(datasets.Path(t, "workspaces"), "*", "memory"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d real workspaces: %v", len(dirs), err)
	}
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, from := range dirs {
		for _, trigger := range []string{rules.Manual, rules.SessionEnd} {
			t.Run(filepath.Base(filepath.Dir(from))+"/"+trigger, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				s, err := workspace.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				before := readTree(t, dir)
				snap, err := s.Load(at)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Check(snap.At); err != nil {
					t.Fatal(err)
				}
				fields := unknownFields(snap)
				named := map[string]bool{memory.LogFile: true}
				actions := 0
				for _, plan := range settle(t, s, at, request(t, before, trigger)) {
					for _, a := range plan.Actions {
						actions++
						for _, op := range a.Ops {
							named[op.Ref.File] = true
						}
					}
				}
				t.Logf("%d memories, %d actions", len(snap.Memories()), actions)
				after := readTree(t, dir)
				for name, text := range before {
					untouched := after[name] == text
					switch {
					case strings.HasSuffix(name, memory.ProfileFile), strings.Contains(name, "_template/"), strings.HasPrefix(name, "schemas/"):
						if !untouched {
							t.Errorf("%s was changed", name)
						}
					case !named[name] && !strings.HasSuffix(name, memory.IndexFile) && !untouched:
						t.Errorf("%s was changed, and no action names it", name)
					}
				}
				nothingLost(t, s, fields)
			})
		}
	}
}
