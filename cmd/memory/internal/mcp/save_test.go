package mcp

import (
	"fmt"
	"io"
	"testing"

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
