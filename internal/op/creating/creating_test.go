package creating

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A new workspace has settings and directories, and a second Make leaves it as it is.
func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	made, err := Make(dir, "careful", at)
	if err != nil || made.Store == nil || made.Held != 0 || !slices.Contains(made.Created, memory.ConfigFile) {
		t.Fatalf("%+v, %v", made, err)
	}
	if problems, err := made.Store.Check(at); err != nil || len(problems) > 0 {
		t.Errorf("a new workspace has problems: %v, %v", problems, err)
	}
	before, err := os.ReadFile(filepath.Join(dir, memory.ConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	if made, err = Make(dir, "seed", at); err != nil || made.Store != nil || len(made.Created) > 0 {
		t.Errorf("again: %+v, %v", made, err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, memory.ConfigFile)); err != nil || string(after) != string(before) {
		t.Errorf("the settings changed: %v", err)
	}
	if _, err := Make(filepath.Join(dir, "other"), "nothing", at); err == nil {
		t.Error("a preset that doesn't exist is taken")
	}
}

// Memories that are there stay byte for byte, and count as arrived now.
func TestMakeOfMemories(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "global", "a.json")
	const record = `{"id": "mem_a", "type": "factual", "scope": "global", "created_by": "DEV-1", "created_at": "2024-01-01T00:00:00Z", "content": "Deploys are on Tuesdays."}`
	write(t, file, record)
	write(t, filepath.Join(dir, "global", "broken.json"), "{")
	made, err := Make(dir, "seed", at)
	if err != nil || made.Held != 1 || !made.Broken || !slices.Equal(made.Created, []string{memory.ConfigFile}) {
		t.Fatalf("%+v, %v", made, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != record {
		t.Errorf("the memory is now %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, memory.ConfigFile)); err != nil || !strings.Contains(string(text), "\narrived = \"2026-03-01T09:00:00Z\"\n") {
		t.Errorf("the settings don't say when the memories arrived: %s, %v", text, err)
	}
	snap, err := made.Store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Look(made.Store, snap, rules.Request{Settings: config.Default()}, func() time.Time { return at })
	if err != nil || found.Errors == 0 || found.Files == 0 || found.First == nil {
		t.Errorf("found %+v, %v", found, err)
	}
}

// A directory of something else is not used.
func TestDir(t *testing.T) {
	dir := t.TempDir()
	if got, other := Dir(paths.Dir(dir)); got != filepath.Join(dir, "memory") || other != "" {
		t.Errorf("in an empty directory: %s, %q", got, other)
	}
	write(t, filepath.Join(dir, "memory", "memory.py"), "")
	if got, other := Dir(paths.Dir(dir)); got != filepath.Join(dir, ".memory") || other != "memory.py" {
		t.Errorf("beside a program: %s, %q", got, other)
	}
	write(t, filepath.Join(dir, memory.ConfigFile), "")
	if got, _ := Dir(paths.Dir(dir)); got != dir {
		t.Errorf("in a workspace: %s", got)
	}
}
