//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures"
)

// inspector is the command line of the protocol's own inspector.
const inspector = "@modelcontextprotocol/inspector@2.12.0"

// The reference client of the protocol, made by others in another language, can do
// all that the server offers.
func TestMCPInspector(t *testing.T) {
	if !full {
		t.Skip("SKIPPED: runs with MEMORYD_HARNESS=full: it loads the inspector of the protocol from npm")
	}
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("SKIPPED: npx is not installed, so the inspector of the protocol is not run")
	}
	exe := program(t)
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, fixtures.Large); err != nil {
		t.Fatal(err)
	}
	servers := filepath.Join(t.TempDir(), "servers.json") // the inspector would take options of the server for its own
	if err := os.WriteFile(servers, mustJSON(t, object{"mcpServers": object{"memory": object{
		"type": "stdio", "command": exe, "args": []string{"mcp", "--tools", "all"}, "env": object{"MEMORY_WORKSPACE": dir, "MEMORY_AT": fixtures.At},
	}}}), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	inspect := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, npx, append([]string{"--yes", inspector, "--cli", "--config", servers, "--server", "memory"}, args...)...)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return out, err
	}
	if out, err := exec.CommandContext(ctx, npx, "--yes", inspector, "--help").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the inspector can't be had here: %v\n%s", err, out)
	}
	var list struct {
		Tools []struct{ Name string }
	}
	out, err := inspect("--method", "tools/list")
	if err != nil || json.Unmarshal(out, &list) != nil || len(list.Tools) < 7 {
		t.Fatalf("%v\n%s", err, out)
	}
	id := strings.Fields((&agent{dir: dir}).must(t, "list", "--quiet"))[0]
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"resources/templates/list", nil, "memory://{id}"},
		{"prompts/list", nil, `"review"`},
		{"prompts/get", []string{"--prompt-name", "review"}, "keep_both"},
		{"resources/read", []string{"--uri", "memory://" + id}, id},
		{"tools/call", []string{"--tool-name", "get", "--tool-arg", `ids=["` + id + `"]`}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "search", "--tool-arg", "query=deploy"}, "score"},
		{"tools/call", []string{"--tool-name", "context"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "save", "--tool-arg", "type=factual", "--tool-arg", "content=The gate opens at seven."}, "Saved as"},
		{"tools/call", []string{"--tool-name", "consolidate"}, "plan_"},
		{"tools/call", []string{"--tool-name", "enrich"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "reason", "--tool-arg", "question=when did we deploy"}, "confidence"},
		{"tools/call", []string{"--tool-name", "graph"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "clusters"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "review"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "history"}, "structuredContent"},
		{"tools/call", []string{"--tool-name", "update", "--tool-arg", "id=" + id, "--tool-arg", `add_tags=["seen"]`}, "run_id"},
		{"tools/call", []string{"--tool-name", "forget", "--tool-arg", `ids=["` + id + `"]`}, "Archived"},
		{"tools/call", []string{"--tool-name", "undo", "--tool-arg", "run=last"}, "taken back"},
	} {
		out, err := inspect(append([]string{"--method", c.name}, c.args...)...)
		if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), `"isError": true`) {
			t.Errorf("%s %v: %v\n%s", c.name, c.args, err, out)
		}
	}
	sound(t, dir)
}
