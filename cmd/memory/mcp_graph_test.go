//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// graphServer is the protocol's own memory server.
const graphServer = "@modelcontextprotocol/server-memory"

// What the reference server of memories writes comes back byte for byte, and it reads
// what is exported besides.
func TestReferenceMemories(t *testing.T) {
	if !full {
		t.Skip("SKIPPED: runs with MEMORYD_HARNESS=full: it loads the reference server of memories from npm")
	}
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("SKIPPED: npx is not installed, so the reference server of memories is not run")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	serve := func(file string) *sdk.ClientSession {
		t.Helper()
		cmd := exec.CommandContext(ctx, npx, "--yes", graphServer)
		cmd.Env = append(os.Environ(), "MEMORY_FILE_PATH="+file)
		s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Skipf("SKIPPED: the reference server of memories can't be had here: %v", err)
		}
		return s
	}
	use := func(s *sdk.ClientSession, tool string, args object) string {
		t.Helper()
		r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", tool, err, r)
		}
		return string(mustJSON(t, r.Content))
	}
	file := filepath.Join(dir, "memory.jsonl")
	s := serve(file)
	use(s, "create_entities", object{"entities": []object{
		{"name": "Ana Silva", "entityType": "person", "observations": []string{"Deploys the shop", "says \"olá\" \\ 🎉\tand\nmore"}},
		{"name": "shop", "entityType": "service", "observations": []string{}}, {"name": "</a>&<b>", "entityType": "odd", "observations": []string{"a < b && c > d"}},
	}})
	use(s, "create_relations", object{"relations": []object{{"from": "Ana Silva", "to": "shop", "relationType": "deploys"}, {"from": "nobody", "to": "nowhere", "relationType": "haunts"}}})
	use(s, "add_observations", object{"observations": []object{{"entityName": "shop", "contents": []string{"Runs in Frankfurt", "Uses Postgres 15.18"}}}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wrote, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{dir: filepath.Join(dir, "ws")}
	if err := os.Mkdir(a.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a.must(t, "init", a.dir)
	a.must(t, "import", file)
	back := filepath.Join(dir, "back.jsonl")
	a.must(t, "export", "--format", "mcp", back)
	if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, wrote) {
		t.Errorf("%v\nwritten:\n%s\ncame back:\n%s", err, wrote, got)
	}
	a.must(t, "add", "--type", "factual", "--id", "own", "--text", "The export ends at 04:00.")
	a.must(t, "export", "--format", "mcp", "--force", back)
	s = serve(back)
	graph := use(s, "read_graph", object{})
	for _, want := range []string{"Frankfurt", "haunts", "The export ends at 04:00."} {
		if !bytes.Contains([]byte(graph), []byte(want)) {
			t.Errorf("no %q in %s", want, graph)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
