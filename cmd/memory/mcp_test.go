//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/mcp"
)

// What agents are told of the tools is seen when it changes.
func TestMCPOffers(t *testing.T) {
	a := serving(t, fixtures.Small)
	var offers struct {
		Instructions string
		Capabilities any
		Tools        []*sdk.Tool
		Templates    []*sdk.ResourceTemplate
		Prompts      []*sdk.Prompt
	}
	offers.Instructions, offers.Capabilities = a.InitializeResult().Instructions, a.InitializeResult().Capabilities
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		offers.Tools = append(offers.Tools, tool)
		if !regexp.MustCompile(`^[a-z]{1,64}$`).MatchString(tool.Name) || tool.Description == "" || len(tool.Description) > 2000 || tool.Annotations == nil || len(document.OfTool(tool.Name)) == 0 {
			t.Errorf("%+v", tool)
		}
	}
	for template, err := range a.ResourceTemplates(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		offers.Templates = append(offers.Templates, template)
	}
	for p, err := range a.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		offers.Prompts = append(offers.Prompts, p)
	}
	if len(offers.Instructions) > 2000 { // hosts cut it at 2 KB
		t.Errorf("instructions of %d bytes", len(offers.Instructions))
	}
	got, err := json.MarshalIndent(offers, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const golden = "testdata/mcp/offers.json"
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("what is offered has changed (-update accepts it):\n%s", cmp.Diff(string(want), string(got)))
	}
}

// The list of tools stands before the model in each session, so it is short: the loop's tools within a number of bytes. The others are
// listed on demand, and can be called without being listed.
func TestMCPListsLoop(t *testing.T) {
	list := func(args ...string) (bytes int, names []string) {
		w := wired(t, args...)
		w.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		answer := w.answer(t, "1")
		for _, tool := range gjson.GetBytes(answer.Result, "tools.#.name").Array() {
			names = append(names, tool.Str)
		}
		if !slices.Contains(args, "all") {
			w.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"history"}}`)
			if answer := w.answer(t, "2"); gjson.GetBytes(answer.Result, "isError").Bool() || !gjson.GetBytes(answer.Result, "structuredContent").Exists() {
				t.Errorf("history, not listed: %s", answer.Result)
			}
		}
		return len(answer.Result), names
	}
	const most = 9000
	size, names := list()
	slices.Sort(names)
	loop := slices.Sorted(slices.Values(mcp.Loop()))
	if size > most || !slices.Equal(names, loop) {
		t.Errorf("%d bytes, want at most %d; tools %v, want %v", size, most, names, loop)
	}
	if _, all := list("--tools", "all"); len(all) <= len(loop) {
		t.Errorf("all: %v", all)
	}
}

// In a project without a workspace each tool says so, until there is one.
func TestMCPWithoutWorkspace(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	cmd := exec.Command(program(t), "mcp")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "MEMORY_WORKSPACE=", "CLAUDE_PROJECT_DIR="+project)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{ClientSession: session, dir: filepath.Join(project, "memory"), log: &output{}}
	a.refused(t, "history", nil, "no workspace here")
	if _, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://x"}); err == nil || !strings.Contains(err.Error(), "memory init") {
		t.Errorf("%v", err)
	}
	if _, _, code, err := call(program(t), project, os.Environ(), "init"); err != nil || code != 0 {
		t.Fatal(code, err)
	}
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "history"})
	if err != nil || r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("elsewhere: %v, %v", left, err)
	}
}

// What another program writes is found by the next call.
func TestMCPSeesOthers(t *testing.T) {
	a := serving(t, fixtures.Small)
	for i := range 20 {
		id := fmt.Sprint("mem_other", i)
		a.refused(t, "get", object{"ids": []string{id}}, "no such memory")
		a.must(t, "add", "--type", "factual", "--id", id, "--by", "DEV-001", "--scope", fmt.Sprint("project:p", i/5), "--text", "v0")
		m := first(t, a.got(t, id)["memories"])
		file := filepath.Join(a.dir, m["file"].(string))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.Replace(text, []byte("v0"), []byte("v1"), 1), 0o644); err != nil { // in place, as editors save
			t.Fatal(err)
		}
		eventually(t, "the edit is seen", func() error {
			if got := first(t, a.got(t, id)["memories"])["content"].(string); strings.TrimSpace(got) != "v1" {
				return fmt.Errorf("content %v", got)
			}
			return nil
		})
	}
	a.must(t, "reindex")
}
