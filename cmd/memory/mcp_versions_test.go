//go:build unix

package main

import (
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
)

// TestProtocolVersions connects a client of the official library in each version of the
// protocol that it knows: the server speaks that version, says of every tool what it does to the
// workspace, and answers.
func TestProtocolVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	versions := sdk.SupportedProtocolVersions()
	if len(versions) < 2 {
		t.Fatalf("the library knows %v only", versions)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: serverCommand(t, dir)}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("the server speaks %s", got)
			}
			n := 0
			for tool, err := range session.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if a := tool.Annotations; a == nil || a.Title == "" || a.OpenWorldHint == nil || !a.ReadOnlyHint && a.DestructiveHint == nil {
					t.Errorf("%s doesn't say what it does: %+v", tool.Name, a)
				}
			}
			if n < 10 {
				t.Errorf("only %d tools", n)
			}
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search", Arguments: object{"query": "deploy"}})
			if err != nil || result.IsError {
				t.Errorf("search: %v, %+v", err, result)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	sound(t, dir)
}
