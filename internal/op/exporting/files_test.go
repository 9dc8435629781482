package exporting

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func snapshot(t *testing.T, records ...string) *memory.Snapshot {
	t.Helper()
	var all []*memory.Memory
	for _, record := range records {
		m, err := memory.OneRecord("global/m.json", []byte(record))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return memory.NewSnapshot(at, all, nil)
}

const (
	deploys = `{"id": "mem_deploys", "type": "semantic", "scope": "global", "created_by": "USER", "created_at": "2026-01-01T00:00:00Z", "content": "The shop deploys on Tuesdays."}`
	cache   = `{"id": "mem_cache", "type": "semantic", "scope": "project", "scope_id": "shop", "created_by": "USER", "created_at": "2026-01-01T00:00:00Z", "content": "The cache is Redis."}`
)

// TestFiles: where files go, what is overwritten, and what is refused.
func TestFiles(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	snap := snapshot(t, deploys, cache)
	export := func(o Options) (*Result, error) {
		o.Dir = paths.Dir(dir)
		return Files(context.Background(), snap, home, o)
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}

	result, err := export(Options{Format: foreign.Lines, To: Stdout})
	if err != nil || !strings.Contains(string(result.Text), "Tuesdays") || len(result.Files) > 0 {
		t.Fatalf("standard output: %+v, %v", result, err)
	}
	if result, err = export(Options{Format: foreign.Lines, To: "dry.jsonl", DryRun: true}); err != nil || len(result.Files) != 1 || result.Files[0].File != "dry.jsonl" || there("dry.jsonl") {
		t.Fatalf("dry run: %+v, %v", result, err)
	}
	shop := memory.Scope{Kind: "project", ID: "shop"}
	if result, err = export(Options{Format: foreign.Lines, To: "shop.jsonl", Scope: &shop}); err != nil || result.Memories != 1 || !there("shop.jsonl") {
		t.Fatalf("of a scope: %+v, %v", result, err)
	}
	if _, err = export(Options{Format: foreign.Lines, To: "shop.jsonl"}); err == nil || fail.Hint(err) == "" {
		t.Errorf("a file that is there is overwritten: %v", err)
	}
	if result, err = export(Options{Format: foreign.Lines, To: "shop.jsonl", Force: true}); err != nil || result.Memories != 2 {
		t.Errorf("with force: %+v, %v", result, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, test := range []struct {
		o    Options
		code int
	}{
		{Options{Format: foreign.Markdown, To: Stdout}, fail.ExitUsage},
		{Options{Format: foreign.Markdown, To: filepath.Join(home, "new")}, fail.ExitUsage},
		{Options{Format: foreign.Lines, To: "x.jsonl", Store: "nowhere"}, fail.ExitNotFound},
		{Options{Format: foreign.Lines, To: "x.jsonl", Scope: &memory.Scope{Kind: "team", ID: "x"}}, fail.ExitNotFound},
	} {
		if _, err := export(test.o); fail.Code(err) != test.code {
			t.Errorf("%+v: %v has the exit code %d, want %d", test.o, err, fail.Code(err), test.code)
		}
	}
	if there("x.jsonl") {
		t.Error("a file was written by an export that failed")
	}
}
