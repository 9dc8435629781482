//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/document"
)

var updateDocuments = flag.Bool("update-documents", false, "rewrite the golden documents")

// noun is how the same thing is requested on the three surfaces: a command with --json, a tool and an address. A surface
// that doesn't give it has none. What each gives is a document of these.
type noun struct {
	name string
	is   string
	line []string
	tool string
	args object
	api  string
}

// nouns are requested one after the other.
func nouns() []noun {
	return []noun{
		{"plan", "run", []string{"plan"}, "plan", object{}, "/plan"},
		{"enrichment", "enrichment,run", []string{"enrich", "--dry-run", "--model", "none"}, "enrich", object{}, ""},
		{"status", "status", []string{"status"}, "", nil, "/status"},
		{"schedule", "schedule", []string{"schedule"}, "", nil, "/schedule"},
		{"forecast", "forecast", []string{"forecast"}, "", nil, "/forecast"},
		{"run", "run", []string{"consolidate"}, "", nil, ""},
		{"runs", "runs", []string{"log"}, "history", object{}, "/log"},
		{"log", "run", []string{"log", "last"}, "history", object{"run": "$RUN"}, "/log/$RUN"},
		{"verification", "verification", []string{"log", "--verify"}, "", nil, ""},
		{"memories", "memories,recall", []string{"list", "--type", "procedural"}, "search", object{"query": "", "type": "procedural"}, "/list?type=procedural"},
		{"recall", "recall", []string{"recall", "--no-count", "database", "migration"}, "search", object{"query": "database migration"}, "/recall?q=database+migration"},
		{"record", "-,memories", []string{"show", "--no-count", "$ID"}, "get", object{"ids": []string{"$ID"}}, "/show/$ID"},
		{"answer", "recall,answer", []string{"recall", "--no-count", "--reason", "When did the coupon row stop every checkout?"}, "reason", object{"question": "When did the coupon row stop every checkout?"}, ""},
		{"explanation", "explanation", []string{"explain", "$ID"}, "", nil, "/explain/$ID"},
		{"archived", "explanation", []string{"explain", "$ARCHIVED"}, "", nil, "/explain/$ARCHIVED"},
		{"history", "history", []string{"history", "$ID"}, "history", object{"id": "$ID"}, "/history/$ID"},
		{"review", "review", []string{"review"}, "review", object{}, "/review"},
		{"pair", "review", []string{"review", "$PAIR"}, "review", object{"pair": "$PAIR"}, ""},
		{"graph", "graph", []string{"graph"}, "graph", object{}, ""},
		{"neighbourhood", "graph", []string{"graph", "$ID"}, "graph", object{"id": "$ID"}, "/links?id=$ID"},
		{"clusters", "clusters", []string{"clusters"}, "clusters", object{}, ""},
		{"context", "context", []string{"context", "--agent", "DEV-001"}, "context", object{"agent": "DEV-001"}, ""},
		{"receipts", "receipts", []string{"receipts"}, "", nil, "/receipts"},
		{"check", "check", []string{"check"}, "", nil, "/check"},
		{"trends", "trends", nil, "", nil, "/trends?days=30"},
		{"tier", "tier", nil, "", nil, "/tier/$ID"},
		{"error", "error", []string{"show", "nothing"}, "get", object{"ids": []string{"nothing"}}, "/show/nothing"},
		{"saved", "saved", []string{"add", "The nightly backup of the ledger runs at three"}, "save", object{"content": "The nightly backup of the archive runs at four", "type": "semantic"}, ""},
		{"edited", "run,edit", []string{"tag", "$ID", "+documented"}, "update", object{"id": "$ID", "add_tags": []string{"described"}}, ""},
		{"gone", "run,edit", []string{"archive", "$ID"}, "forget", object{"ids": []string{"$OTHER"}}, ""},
		{"decided", "review", []string{"review", "$PAIR", "--keep-both"}, "review", object{"pair": "$PAIR2", "decision": "keep_both"}, ""},
		{"undo", "run", []string{"undo", "last"}, "undo", object{"run": "last"}, ""},
		{"configuration", "settings", []string{"config", "run.limit"}, "", nil, ""},
		{"version", "-", []string{"version"}, "", nil, ""},
		{"schemas", "schemas", []string{"schema"}, "", nil, ""},
	}
}

// TestDocuments asks the command line, the MCP server and the dashboard for the same things. What they give stands in testdata/documents.
func TestDocuments(t *testing.T) {
	exe := program(t)
	if other := os.Getenv("MEMORY_TEST_PROGRAM"); other != "" {
		exe = other
	}
	base := t.TempDir()
	dir := filepath.Join(base, "memory")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+base, "MEMORY_WORKSPACE="+dir, "MEMORY_AT="+fixtures.At)
	cli := func(line ...string) string {
		out, errs, _, err := call(exe, dir, env, append(line, "--json")...)
		if err != nil {
			t.Fatal(err)
		}
		if out == "" {
			return errs
		}
		return out
	}
	cmd := exec.Command(exe, "mcp", "--tools", "all")
	cmd.Dir, cmd.Env = dir, env
	mcp, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer mcp.Close()
	origin := dashboardOf(t, exe, dir, env)
	get := func(address string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/api/v1"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+dashboardToken)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	names := strings.NewReplacer()
	for _, n := range nouns() {
		if n.name == "runs" {
			names = namesIn(t, cli)
		}
		golden := &txtar.Archive{}
		first := ""
		schemas := strings.Split(n.is, ",")
		add := func(request, text string) {
			valid(t, request, schemas, text)
			text = stable(t, text, base)
			switch {
			case first == "":
				first = text
			case text == first:
				text = "the same\n"
			}
			golden.Files = append(golden.Files, txtar.File{Name: request, Data: []byte(text)})
		}
		if n.line != nil {
			line := strings.Split(names.Replace(strings.Join(n.line, "\x00")), "\x00")
			add("memory "+strings.Join(line, " ")+" --json", cli(line...))
		}
		if n.tool != "" {
			args := names.Replace(string(mustJSON(t, n.args)))
			r, err := mcp.CallTool(t.Context(), &sdk.CallToolParams{Name: n.tool, Arguments: json.RawMessage(args)})
			if err != nil {
				t.Fatal(err)
			}
			text := string(mustJSON(t, r.StructuredContent))
			if r.IsError { // of which an agent reads the text
				text = string(mustJSON(t, document.Error{Code: "not_found", Error: textOf(t, r)}))
			}
			add("mcp "+n.tool+" "+args, text)
		}
		if n.api != "" {
			add("GET /api/v1"+names.Replace(n.api), get(names.Replace(n.api)))
		}
		file := filepath.Join("testdata", "documents", n.name+".txtar")
		if d := os.Getenv("MEMORY_TEST_DOCUMENTS"); d != "" {
			file = filepath.Join(d, n.name+".txtar")
		}
		text := txtar.Format(golden)
		if *updateDocuments {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(want, text) {
			t.Errorf("%s is not as in %s (-update-documents rewrites it): %v\n%s", n.name, file, err, text)
		}
	}
	sound(t, dir)
}

const dashboardToken = "a-token-of-the-test-of-documents"

// dashboardOf starts the dashboard of a workspace, and gives its origin.
func dashboardOf(t *testing.T, exe, dir string, env []string) string {
	tokens := filepath.Join(t.TempDir(), "tokens")
	put(t, tokens, dashboardToken+"\n")
	if err := os.Chmod(tokens, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, "serve", "--addr", "127.0.0.1:0", "--token-file", tokens)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	link := make([]byte, 500)
	n, err := out.Read(link)
	if err != nil {
		t.Fatal(err)
	}
	scheme, rest, _ := strings.Cut(strings.Fields(string(link[:n]))[0], "//")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "//" + host
}

// namesIn are what the names in nouns stand for after the run.
func namesIn(t *testing.T, cli func(...string) string) *strings.Replacer {
	ids := func(text string, name string) (all []string) {
		for _, part := range strings.Split(text, `"`+name+`": "`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			all = append(all, id)
		}
		return all
	}
	runs, pairs := ids(cli("log", "last"), "run_id"), ids(cli("review"), "id")
	if len(runs) == 0 || len(pairs) < 2 {
		t.Fatalf("runs %v, pairs %v", runs, pairs)
	}
	return strings.NewReplacer("$ID", "mem_pgpool000003", "$ARCHIVED", "mem_browsers0001", "$OTHER", "mem_userpref0001", "$RUN", runs[0], "$PAIR2", pairs[1], "$PAIR", pairs[0])
}

// stable is a document with its members in order, and without what differs from one time to the next.
func stable(t *testing.T, text, base string) string {
	var v any
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	out, err := json.MarshalIndent(steady(v), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), base, "BASE") + "\n"
}

// steady sets what differs from one time to the next.
func steady(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	case map[string]any:
		for name := range v {
			switch name {
			case "duration_ms", "ms", "hash", "prev_hash", "head", "pid", "version", "commit", "date", "go", "platform":
				v[name] = fmt.Sprintf("some %T", v[name])
			default:
				v[name] = steady(v[name])
			}
		}
	}
	return v
}

// valid checks that a text is a document as one of the schemas says; "-" is another one.
func valid(t *testing.T, request string, schemas []string, text string) {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var wrong error
	for _, name := range schemas {
		if name == "-" {
			return
		}
		if wrong = documentSchema(t, name).Validate(doc); wrong == nil {
			return
		}
	}
	t.Errorf("%s: not as the schema %s says: %v", request, strings.Join(schemas, " or "), wrong)
}

// documentSchema is the schema of a document, that takes no member it doesn't name.
func documentSchema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	s, ok := document.Schema(name)
	if !ok {
		t.Fatalf("there is no document %q", name)
	}
	closed(s)
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return resolved
}

func closed(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, p := range s.Properties {
		closed(p)
	}
	closed(s.Items)
	if len(s.Properties) > 0 {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	} else {
		closed(s.AdditionalProperties)
	}
}
