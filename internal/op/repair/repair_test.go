package repair

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A check of a workspace finds what was broken by hand, a fix rebuilds it, and changes no memory.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	const record = `{"id": "mem_a", "type": "factual", "scope": "global", "created_by": "USER", "created_at": "2026-01-01T00:00:00Z", "content": "Deploys are on Tuesdays."}`
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(memory.ConfigFile, "[promote]\nvia = \"branch\"\n")
	write("global/a (conflicted copy).json", record) // nothing has the name that it stands for
	write("global/_index.json", `{"memories": []}`)
	write("projects/shop/b.json", strings.ReplaceAll(record, "mem_a", "mem_b"))
	write("projects/shop/_index.json", `{"memories": []}`)
	write("ops/remote.json", `{"url": "https://hub.example", "workspace": "shop"}`)
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	settings := config.Default()
	settings.Promote.Enabled, settings.Promote.Via = true, config.ViaNowhere
	check := func() (texts string, errors int) {
		t.Helper()
		snap, err := store.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Check(t.Context(), store, snap, CheckOptions{Settings: &settings})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range doc.Problems {
			texts += p.File + ": " + p.Message + ": " + p.Hint + "\n"
		}
		return texts, doc.Errors
	}

	before, _ := check()
	for _, want := range []string{"global/_index.json", "mirrors of a hub were removed", "memory login https://hub.example shop", "nothing is promoted"} {
		if !strings.Contains(before, want) {
			t.Errorf("the check says nothing of %q:\n%s", want, before)
		}
	}
	if last := LastCheck(store); last == nil || last.IndexDrift == 0 || !last.At.Equal(at) {
		t.Errorf("the last check is known as %+v", last)
	}
	fixed, err := Fix(t.Context(), store, FixOptions{At: at, Note: func(text string) { t.Error(text) }})
	if err != nil || len(fixed) != 2 || fixed[0].What != "renamed to global/a.json" || fixed[1].File != "projects/shop/_index.json" {
		t.Fatalf("fixed %+v, %v", fixed, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "global", "a.json")); err != nil || string(text) != record {
		t.Errorf("the memory is now %q, %v", text, err)
	}
	if err := os.Remove(filepath.Join(dir, "ops", "remote.json")); err != nil {
		t.Fatal(err)
	}
	if after, errors := check(); errors > 0 {
		t.Errorf("after the fix:\n%s", after)
	}
	again, err := Fix(t.Context(), store, FixOptions{At: at, Note: func(text string) { t.Error(text) }})
	if err != nil || len(again) > 0 {
		t.Errorf("a second fix did %+v, %v", again, err)
	}
}
