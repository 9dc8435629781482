package mcp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// What is saved as working belongs to the session of the host, unless a scope is given; nothing else does.
func TestWorkingBelongsToSession(t *testing.T) {
	for _, tt := range []struct {
		arguments, want string
		session         func(bool) (string, error)
	}{
		{`"type":"working"`, "session:host-1", func(bool) (string, error) { return "host-1", nil }},
		{`"type":"working","scope":"team:ops"`, "team:ops", func(bool) (string, error) { return "host-1", nil }},
		{`"type":"factual"`, "global", func(bool) (string, error) { return "host-1", nil }},
		{`"type":"working"`, "global", func(bool) (string, error) { return "", nil }},
		{`"type":"working"`, "global", nil},
	} {
		dir := t.TempDir()
		s := newServer(t, dir, io.Discard)
		s.Session = tt.session
		answer := talk(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"content":"tried the flag -x",%s}}}`, tt.arguments)+"\n")["1"]
		store, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := store.Load(noon)
		if err != nil || len(snap.Memories()) != 1 {
			t.Fatalf("%s: %v, %v", tt.arguments, answer, err)
		}
		if m := snap.Memories()[0]; m.Scope.String() != tt.want {
			t.Errorf("%s: scope %s, want %s", tt.arguments, m.Scope, tt.want)
		}
		_ = store.Close()
	}
}

// changed is the source of records that have changed since they were read.
type changed struct{}

func (changed) Record(*memory.Memory) []byte { return nil }

// A memory whose file has changed since it was read is described without what can't be known of it.
func TestDescribesWhatHasChanged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "global", "a.json")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(`{"id":"a","type":"factual","content":"the gateway listens on 8443","created_at":"2026-01-01T00:00:00Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	load := func() *memory.Memory {
		store, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := store.Load(noon)
		if err != nil || len(snap.Memories()) != 1 {
			t.Fatal(err)
		}
		if err := store.Cache().SaveCatalog(); err != nil {
			t.Fatal(err)
		}
		return snap.Memories()[0]
	}
	load()
	m := load() // from the catalog: its bytes are read when they are asked for
	if err := os.WriteFile(name, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if d, err := described(m, noon, config.Default(), m.Text(), 0, 10); err != nil || d.ID != "a" || d.Version != "" && len(d.Version) != 12 {
		t.Errorf("%+v", d)
	}
	m.Detach(changed{})
	if d := hit(m, recall.Hit{ID: "a", Words: []string{"gateway"}}, noon, config.Default(), false); d.ID != "a" || d.Version != "" || d.Content != "" {
		t.Errorf("%+v", d)
	}
}
