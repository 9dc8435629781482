package event

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/discover"
)

// A session is given memories where there is a workspace, and nothing elsewhere.
func TestHandle(t *testing.T) {
	root := t.TempDir()
	global := filepath.Join(root, "shop", "memory", "global")
	if err := os.MkdirAll(global, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"../memory.toml": "",
		"a.json":         `{"id":"a","type":"factual","content":"The gateway listens on port 8443","created_at":"2026-01-01T00:00:00Z","last_accessed":"2026-11-01T00:00:00Z","access_count":9,"priority":"high"}`,
	} {
		if err := os.WriteFile(filepath.Join(global, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := func() time.Time { return time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC) }
	for dir, given := range map[string]bool{"shop": true, "elsewhere": false} {
		answer := Handle(Options{
			Options: discover.Options{Dir: filepath.Join(root, dir), Getenv: func(name string) string { return map[string]string{"HOME": root}[name] }},
			Host:    hook.Named("claude"), Event: "SessionStart", Input: strings.NewReader(`{"session_id":"s1","source":"startup"}`), Now: now, Clock: now,
		})
		if strings.Contains(answer, "port 8443") != given {
			t.Errorf("%s: %q", dir, answer)
		}
	}
}
