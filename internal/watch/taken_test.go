package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TestTakenIsWhatIsThere: what is kept of sessions between two looks is what a look
// at everything finds, whatever was edited.
func TestTakenIsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "w")
		if err != nil {
			r.Fatal(err)
		}
		store, err := workspace.Open(dir)
		if err != nil {
			r.Fatal(err)
		}
		defer store.Close()
		w := &Watcher{Store: store, Settings: func() (config.Settings, error) { return config.Default(), nil }}
		l := &loop{Watcher: w, inventory: workspace.NewInventory(store)}
		places := []string{"sessions/s1.json", "sessions/s1/a.json", "agents/A-1/working-memory.json", "agents/A-1/b.json", "agents/A-1/c.json", "working/d.json", "global/e.json", "ops/sessions/s1.json"}
		texts := []string{"", noted("ID", "low"), noted("ID", "high"), dated("ID", "1999-12-31T00:00:00Z"), `{"session_id":"s1","status":"ended"}`, `{"status":"active","messages":[1,2]}`, `{"half":`}
		for step := range rapid.IntRange(1, 8).Draw(r, "steps") {
			names := rapid.SliceOfNDistinct(rapid.SampledFrom(places), 0, 3, rapid.ID[string]).Draw(r, "names")
			for _, name := range names {
				text, full := rapid.SampledFrom(texts).Draw(r, "text"), filepath.Join(dir, name)
				if text == "" {
					if err := os.Remove(full); err != nil && !errors.Is(err, os.ErrNotExist) {
						r.Fatal(err)
					}
					continue
				}
				if name == "ops/sessions/s1.json" {
					text = `{"session":"s1","at":"2026-01-01T00:00:00Z"}`
				}
				text = strings.ReplaceAll(text, "ID", strings.NewReplacer("/", "-", ".", "-").Replace(name))
				if strings.HasSuffix(text, "}") {
					text = fmt.Sprintf(`{"step":%d,%s`, step, text[1:])
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
					r.Fatal(err)
				}
			}
			at := time.Now()
			if _, err := l.inventory.Update(t.Context(), at, names); err != nil {
				r.Fatal(err)
			}
			got, err := l.taken(at, names, false)
			if err != nil {
				r.Fatal(err)
			}
			want, err := w.factsOf(l.inventory.Working(at))
			if err != nil {
				r.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(trigger.Sighting{}), cmpopts.IgnoreFields(trigger.Facts{}, "Indexes", "Working", "Memories"), cmpopts.EquateEmpty()); diff != "" {
				r.Fatalf("after %q (-want +got):\n%s", names, diff)
			}
		}
	})
}

// The least number of memories for a run counts all live memories, of whatever type, as "memory status" does.
func TestEnoughMemories(t *testing.T) {
	dir := t.TempDir()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	settings := config.Default()
	settings.Consolidate.MinMemories = 4
	l := &loop{Watcher: &Watcher{Store: store, Settings: func() (config.Settings, error) { return settings, nil }}, inventory: workspace.NewInventory(store)}
	for n, name := range []string{"global/a.json", "agents/A-1/b.json", "sessions/s1/c.json", "archive/d.json", "global/e.json"} {
		kind := "factual"
		if n == 2 {
			kind = memory.Working
		}
		full := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, fmt.Appendf(nil, `{"id":"m%d","type":%q,"content":"x"}`, n, kind), 0o644)); err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		if _, err := l.inventory.Update(t.Context(), at, []string{name}); err != nil {
			t.Fatal(err)
		}
		facts, err := l.taken(at, []string{name}, false)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := store.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		if facts.Memories != len(snap.Memories()) || (trigger.Held(settings, facts.Memories) == "") != (n == 4) {
			t.Fatalf("%s: counted %d memories, there are %d: %s", name, facts.Memories, len(snap.Memories()), trigger.Held(settings, facts.Memories))
		}
	}
}
