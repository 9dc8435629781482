package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func TestSessions(t *testing.T) {
	store, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	hostile := "../../etc/" + strings.Repeat("x", 300)
	for _, s := range []memory.Session{{ID: "s1", Agent: "A", At: at}, {Agent: "B", At: at}, {ID: hostile, At: at}} {
		for i, want := range []bool{true, false} {
			if fresh, err := store.Ops().BeginSession(s); fresh != want || err != nil {
				t.Errorf("%s, time %d: new %v, %v", s.ID, i, fresh, err)
			}
		}
	}
	if open, unread, err := store.Ops().Sessions(ops.SessionsDir); len(open) != 3 || len(unread) > 0 || err != nil {
		t.Fatalf("%v, %v, %v", open, unread, err)
	}
	// An end knows the agent of the start, and closes the session.
	for _, id := range []string{"s1", hostile, "unknown"} {
		if err := store.Ops().SpoolEnd(memory.Session{ID: id, At: at.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	open, _, err := store.Ops().Sessions(ops.SessionsDir)
	if len(open) != 1 || open[0].Agent != "B" || err != nil {
		t.Errorf("open %v, %v", open, err)
	}
	ends, _, err := store.Ops().Sessions(ops.SpoolDir)
	if len(ends) != 3 || err != nil {
		t.Fatalf("%v, %v", ends, err)
	}
	agents := ""
	for _, e := range ends {
		agents += e.Agent
		if err := errors.Join(store.Ops().Unspool(e.File), store.Ops().Unspool(e.File)); err != nil { // twice is fine
			t.Error(err)
		}
	}
	if waiting, err := store.Ops().Waiting(ops.SpoolDir); agents != "A" || waiting || err != nil {
		t.Errorf("agents %s, waiting %v, %v", agents, waiting, err)
	}
}

// What others put into a spool does no harm.
func TestSpoolOfOthers(t *testing.T) {
	dir := t.TempDir()
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spool := filepath.Join(dir, "ops", "spool")
	if err := os.MkdirAll(filepath.Join(spool, "d.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.json": `{"session":"s"}`, "b.json": "nothing", "c.json": strings.Repeat(" ", 64<<10+1), ".mem-tmp-1": "{", "e.json": `{"session":7}`,
	} {
		if err := os.WriteFile(filepath.Join(spool, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, unread, err := store.Ops().Sessions(ops.SpoolDir)
	if len(all) != 1 || all[0].ID != "s" || err != nil || strings.Join(unread, " ") != "ops/spool/b.json ops/spool/c.json ops/spool/e.json" {
		t.Errorf("%v, %v, %v", all, unread, err)
	}
	for _, name := range []string{"memory.toml", "ops/consolidation-log.json", "ops/spool/../seen.json", "ops/spool/d/e.json"} {
		if err := store.Ops().Unspool(name); err == nil {
			t.Errorf("%s: removed", name)
		}
	}
	if err := store.Ops().Spool(ops.SpoolDir, "a", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
	store.network = "nfs"
	if err := errors.Join(store.Ops().Spool(ops.SpoolDir, "n", nil)); !errors.Is(err, ErrNetwork) {
		t.Errorf("on a network: %v", err)
	}
	if err := store.Ops().Jot("x.log", "line", 1); !errors.Is(err, ErrNetwork) {
		t.Errorf("on a network: %v", err)
	}
}
