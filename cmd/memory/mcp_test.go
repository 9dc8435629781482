//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/memoryd/memoryd/fixtures"
)

// agent is a client of the server, by the library that the server is made with.
type agent struct {
	*sdk.ClientSession
	dir     string
	log     *output
	results map[string]*jsonschema.Schema // of tools
	given   map[string]*jsonschema.Schema // arguments of tools
}

// serving copies a sample workspace and connects to a server of it. At the end the
// workspace must be sound.
func serving(t *testing.T, sample fs.FS, env ...string) *agent {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, sample); err != nil {
		t.Fatal(err)
	}
	return connect(t, dir, env...)
}

func serverCommand(t *testing.T, dir string, env ...string) *exec.Cmd {
	cmd := exec.Command(program(t), "mcp")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "MEMORY_WORKSPACE="+dir, "MEMORY_AT="+fixtures.At), env...)
	return cmd
}

func connect(t *testing.T, dir string, env ...string) *agent {
	t.Helper()
	a := &agent{dir: dir, log: &output{}, results: map[string]*jsonschema.Schema{}, given: map[string]*jsonschema.Schema{}}
	cmd := serverCommand(t, dir, env...)
	cmd.Stderr = a.log
	var err error
	a.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, a.log)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		sound(t, dir)
		if t.Failed() {
			t.Logf("the server's log:\n%s", a.log)
		}
	})
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.results[tool.Name], a.given[tool.Name] = compiled(t, tool.OutputSchema), compiled(t, tool.InputSchema)
	}
	return a
}

func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://memoryd.invalid/tool", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://memoryd.invalid/tool")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sound(t *testing.T, dir string) {
	t.Helper()
	if out, errs, code, err := call(program(t), dir, append(os.Environ(), "MEMORY_WORKSPACE="+dir), "check"); err != nil || code != 0 {
		t.Errorf("check: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}

type object = map[string]any

// use calls a tool that must do it; the result is as its schema says.
func (a *agent) use(t *testing.T, name string, args object) (result object, text string) {
	t.Helper()
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, a.log)
	}
	if text = textOf(t, r); r.IsError {
		t.Fatalf("%s %v: %s", name, args, text)
	}
	if err := a.results[name].Validate(r.StructuredContent); err != nil {
		t.Errorf("%s: the result is not as its schema says: %v", name, err)
	}
	if len([]rune(text)) > 24_000 {
		t.Errorf("%s: a text of %d characters", name, len([]rune(text)))
	}
	return r.StructuredContent.(object), text
}

// refused calls a tool that must refuse, and say what to do.
func (a *agent) refused(t *testing.T, name string, args any, want string) {
	t.Helper()
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if text := textOf(t, r); !r.IsError || !strings.Contains(text, want) || strings.Count(text, ". ") == 0 || !strings.HasSuffix(text, ".") {
		t.Errorf("%s %v: error %v: %s\nwant %q", name, args, r.IsError, text, want)
	}
}

func textOf(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}

// first is the first element of a list in a result.
func first(t *testing.T, list any) object {
	t.Helper()
	all, _ := list.([]any)
	if len(all) == 0 {
		t.Fatal("the list is empty")
	}
	return all[0].(object)
}

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
		if !regexp.MustCompile(`^[a-z]{1,64}$`).MatchString(tool.Name) || tool.Description == "" || len(tool.Description) > 2000 || tool.Annotations == nil || tool.OutputSchema == nil {
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

func TestMCPGet(t *testing.T) {
	a := serving(t, fixtures.Large)
	list := a.lines(t, "list", "--all", "--quiet")
	result, text := a.use(t, "get", object{"ids": []string{list[0], "mem_nowhere", list[1]}})
	if n := len(result["memories"].([]any)); n != 2 || !strings.Contains(text, list[1]) || !strings.Contains(text, `No memory has the id "mem_nowhere"`) {
		t.Errorf("%d memories\n%s", n, text)
	}
	_, record := a.use(t, "get", object{"ids": []string{list[0]}, "record": true})
	if !strings.Contains(record, "> {") || !strings.Contains(record, `"id"`) {
		t.Errorf("the record is\n%s", record)
	}
	reads := first(t, result["memories"])["reads"].(float64)
	if again := first(t, a.got(t, list[0])["memories"])["reads"].(float64); again < reads {
		t.Errorf("read %v times, then %v", reads, again)
	}
	access, err := os.ReadFile(filepath.Join(a.dir, "ops", "access.jsonl"))
	if err != nil || !strings.Contains(string(access), list[0]) {
		t.Errorf("the read is not counted: %v\n%s", err, access)
	}

	// A long content comes in parts, which together are all of it.
	long := strings.Repeat("Die Größe zählt: 数える。\n", 3000)
	a.must(t, "add", "--type", "factual", "--id", "mem_long", "--by", "DEV-001", "--content", string(mustJSON(t, long)))
	var parts strings.Builder
	for offset, n := 0.0, 0; ; n++ {
		result, text := a.use(t, "get", object{"ids": []string{"mem_long"}, "offset": offset})
		m := first(t, result["memories"])
		parts.WriteString(m["content"].(string))
		next, more := m["next_offset"].(float64)
		if !more {
			break
		}
		if offset = next; !strings.Contains(text, fmt.Sprintf("get mem_long with offset %d", int(next))) || n > 100 {
			t.Fatalf("part %d:\n%s", n, text)
		}
	}
	if parts.String() != long {
		t.Errorf("%d characters of %d", parts.Len(), len(long))
	}
	a.refused(t, "get", object{"ids": []string{"mem_long"}, "offset": 1e6}, "behind its end")
	a.refused(t, "get", object{"ids": list[:2], "offset": 5}, "one memory at a time")
	a.refused(t, "get", object{"ids": []string{strings.TrimSuffix(list[0], list[0][len(list[0])-1:])}}, "Did you mean "+list[0])

	r, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://" + list[0]})
	if err != nil || len(r.Contents) != 1 || !strings.Contains(r.Contents[0].Text, list[0]) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://nowhere%2f.."}); err == nil {
		t.Error("a memory that isn't there was read")
	}
	c, err := a.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "memory://{id}"}, Argument: sdk.CompleteParamsArgument{Name: "id", Value: list[0][:len(list[0])-1]}})
	if err != nil || !slices.Contains(c.Completion.Values, list[0]) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMCPUpdate(t *testing.T) {
	a := serving(t, fixtures.Small)
	a.must(t, "add", "--type", "factual", "--id", "mem_x", "--by", "DEV-001", "--tag", "db", "--content", `{"summary":"Port 5432.","n":1.50,"deep":{"a":1,"b":[2]}}`)
	m := first(t, a.got(t, "mem_x")["memories"])
	result, _ := a.use(t, "update", object{"id": "mem_x", "version": m["version"], "fields": object{
		"priority": "high", "content": object{"summary": "Port 5433.", "deep": object{"a": json.Number("12345678901234567890")}}, "x.y": nil,
	}, "add_tags": []string{"ports"}, "remove_tags": []string{"DB"}})
	_, record := a.use(t, "get", object{"ids": []string{"mem_x"}, "record": true})
	for _, want := range []string{`"priority": "high"`, `"summary": "Port 5433."`, `"n": 1.50`, `"a": 12345678901234567890`, `"b": [`, `"x.y": null`, `"ports"`} {
		if !strings.Contains(record, want) {
			t.Errorf("no %s in\n%s", want, record)
		}
	}
	if strings.Contains(record, `"db"`) || result["changed"] != true {
		t.Errorf("%v\n%s", result, record)
	}
	a.refused(t, "update", object{"id": "mem_x", "version": m["version"], "content": "old"}, "has been changed since")
	again, _ := a.use(t, "update", object{"id": "mem_x", "fields": object{"priority": "high"}, "add_tags": []string{"ports"}})
	if again["changed"] != false || again["version"] != result["version"] {
		t.Errorf("%v", again)
	}
	a.refused(t, "update", object{"id": "mem_x", "fields": object{"id": "mem_y"}}, "the id changed")
	a.refused(t, "update", json.RawMessage(`{"id":"mem_x","content":{"a":1,"a":2}}`), "twice")
	a.refused(t, "update", object{"id": "mem_x", "content": 7}, "can't be called so")
	a.refused(t, "update", object{"id": "mem_x", "content": strings.Repeat("x", 1<<21)}, "too long")
	many := object{}
	for i := range 300 {
		many[fmt.Sprint("f", i)] = i
	}
	a.refused(t, "update", object{"id": "mem_x", "fields": many}, "more than 200 fields")
	a.refused(t, "update", object{"id": "mem_none", "content": "x"}, "no memory has the id")

	history, text := a.use(t, "history", object{"id": "mem_x"})
	if len(history["changes"].([]any)) != 2 || !strings.Contains(text, "> +") || !strings.Contains(text, "Port 5433.") {
		t.Errorf("%v\n%s", history, text)
	}
	a.use(t, "undo", object{"run": result["run_id"]})
	if back := first(t, a.got(t, "mem_x")["memories"]); back["version"] != m["version"] {
		t.Errorf("undone: version %v, was %v", back["version"], m["version"])
	}
	a.use(t, "update", object{"id": "mem_x", "content": "Only a text."})
	if got := first(t, a.got(t, "mem_x")["memories"]); got["content"] != "Only a text." {
		t.Errorf("%v", got)
	}
}

func TestMCPSave(t *testing.T) {
	a := serving(t, fixtures.Small)
	const said = "The billing service retries a failed payment three times, with ten minutes between the tries, before it tells the customer."
	saved, text := a.use(t, "save", object{"content": said, "type": "procedural", "scope": "project:shop", "tags": []string{"billing"}, "priority": "high"})
	id, _ := saved["id"].(string)
	if saved["status"] != "saved" || !strings.Contains(text, "Saved as "+id) {
		t.Errorf("%v\n%s", saved, text)
	}
	m := first(t, a.got(t, id)["memories"])
	if m["created_by"] != "test" || m["scope"] != "project:shop" || m["type"] != "procedural" || m["priority"] != "high" || strings.TrimSpace(m["content"].(string)) != said {
		t.Errorf("%v", m)
	}
	merged, text := a.use(t, "save", object{"content": said, "type": "procedural", "scope": "project:shop", "tags": []string{"billing", "payment"}})
	if merged["status"] != "merged" || merged["id"] != id || !strings.Contains(text, "says it already") {
		t.Errorf("%v\n%s", merged, text)
	}
	if m := first(t, a.got(t, id)["memories"]); len(m["tags"].([]any)) != 2 {
		t.Errorf("%v", m)
	}
	flagged, text := a.use(t, "save", object{"content": strings.Replace(said, "three times", "five times", 1), "type": "procedural", "scope": "project:shop", "tags": []string{"billing", "payment"}})
	if flagged["status"] != "flagged" || flagged["with"] != id || !strings.Contains(text, "review "+flagged["pair"].(string)) {
		t.Errorf("%v\n%s", flagged, text)
	}
	if open, _ := a.use(t, "review", object{"pair": flagged["pair"]}); len(open["pairs"].([]any)) != 1 {
		t.Errorf("%v", open)
	}
	beside, _ := a.use(t, "save", object{"content": said, "type": "procedural", "scope": "project:shop", "no_check": true})
	if beside["status"] != "saved" || beside["id"] == id {
		t.Errorf("%v", beside)
	}
	a.use(t, "undo", object{"run": merged["run_id"]})

	structured, _ := a.use(t, "save", object{"content": object{"summary": "Ports", "n": json.Number("1.50")}, "type": "factual", "by": "USER"})
	if _, record := a.use(t, "get", object{"ids": []any{structured["id"]}, "record": true}); !strings.Contains(record, "1.50") || !strings.Contains(record, `"USER"`) {
		t.Errorf("%s", record)
	}

	const secret = "The database is at postgres://app:hunter2horse@db.internal:5432/shop."
	before := hashes(t, a.dir)
	a.refused(t, "save", object{"content": secret, "type": "factual"}, "password in a URL")
	a.refused(t, "update", object{"id": id, "content": secret}, "password in a URL")
	a.refused(t, "save", object{"content": " \n", "type": "factual"}, "empty")
	a.refused(t, "save", object{"content": "x", "type": "poem"}, "can't be called so")
	a.refused(t, "save", object{"content": "x", "type": "factual", "scope": "planet:mars"}, "scope")
	a.refused(t, "save", object{"content": "x", "type": "factual", "tags": []string{""}}, "can't be called so")
	a.refused(t, "save", object{"content": strings.Repeat("x", 1<<21), "type": "factual"}, "too long")
	a.refused(t, "save", object{"type": "factual"}, "content")
	if after := hashes(t, a.dir); !cmp.Equal(before, after) {
		t.Errorf("what was refused left something:\n%s", cmp.Diff(before, after))
	}
	redacted, _ := a.use(t, "save", object{"content": secret, "type": "factual", "redact": true})
	if got := first(t, a.got(t, redacted["id"].(string))["memories"]); len(redacted["redacted"].([]any)) == 0 || strings.Contains(got["content"].(string), "hunter2") {
		t.Errorf("%v, %v", redacted, got)
	}
}

func TestMCPSearch(t *testing.T) {
	a := serving(t, fixtures.Large)
	saved, _ := a.use(t, "save", object{"content": "The walrus cache evicts entries after 17 minutes.", "type": "factual", "tags": []string{"cache"}})
	id := saved["id"].(string)
	found, text := a.use(t, "search", object{"query": "when does the walrus evict?", "explain": true})
	best := first(t, found["hits"])
	if best["id"] != id || !strings.Contains(best["content"].(string), "17 minutes") || len(best["parts"].(object)) == 0 || !strings.Contains(text, "> The walrus cache") {
		t.Errorf("%v\n%s", best, text)
	}
	// An update is found by its new words, what is forgotten in the archive only.
	a.use(t, "update", object{"id": id, "content": "The narwhal cache evicts entries after 19 minutes."})
	if found, _ := a.use(t, "search", object{"query": "narwhal"}); first(t, found["hits"])["id"] != id {
		t.Errorf("%v", found)
	}
	if found, _ := a.use(t, "search", object{"query": "walrus"}); len(found["hits"].([]any)) > 0 {
		t.Errorf("%v", found)
	}
	a.use(t, "forget", object{"ids": []string{id}})
	if found, _ := a.use(t, "search", object{"query": "narwhal"}); len(found["hits"].([]any)) > 0 {
		t.Errorf("%v", found)
	}
	if found, _ := a.use(t, "search", object{"query": "narwhal", "mode": "exhaustive"}); first(t, found["hits"])["archived"] != true {
		t.Errorf("%v", found)
	}
	// What another program has written just now is found.
	a.must(t, "add", "--type", "factual", "--id", "mem_ibex", "--by", "DEV-001", "--text", "The ibex queue is drained at noon.")
	if found, _ := a.use(t, "search", object{"query": "ibex"}); first(t, found["hits"])["id"] != "mem_ibex" {
		t.Errorf("%v", found)
	}

	for _, query := range []string{`"`, "AND (", `\`, "what's \"up? AND (", "\u202e\x00", strings.Repeat("cache ", 300), "日本"} {
		a.use(t, "search", object{"query": query})
	}
	only, _ := a.use(t, "search", object{"query": "", "type": "procedural", "limit": 50, "mode": "deep"})
	for _, h := range only["hits"].([]any) {
		if h.(object)["type"] != "procedural" {
			t.Errorf("%v", h)
		}
	}
	seen, cursor := map[string]bool{}, ""
	for pages := 1; ; pages++ {
		args := object{"query": "", "mode": "exhaustive", "limit": 7}
		if cursor != "" {
			args["cursor"] = cursor
		}
		result, text := a.use(t, "search", args)
		for _, h := range result["hits"].([]any) {
			id := h.(object)["file"].(string)
			if seen[id] {
				t.Errorf("%s twice", id)
			}
			seen[id] = true
		}
		if cursor, _ = result["next_cursor"].(string); cursor == "" {
			if pages < 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
		if !strings.Contains(text, cursor) {
			t.Errorf("%s", text)
		}
	}
	a.refused(t, "search", object{"query": "x", "cursor": "eyJvZiI6IiIsImF0Ijo5fQ"}, "not one of this list")
	a.refused(t, "search", object{"query": "x", "since": "soonish"}, "no time")
	a.refused(t, "search", object{"query": "x", "mode": "psychic"}, "can't be called so")
	a.refused(t, "search", object{"query": strings.Repeat("x", 3000)}, "can't be called so")
	a.use(t, "search", object{"query": "x", "since": "last week", "until": "2026-03-01"})
}

func TestMCPContext(t *testing.T) {
	a := serving(t, fixtures.Large)
	a.use(t, "save", object{"content": "Deploys of the shop are frozen on Fridays.", "type": "procedural", "priority": "high", "scope": "project:shop"})
	block, text := a.use(t, "context", object{"project": "/home/ines/shop", "query": "deploy"})
	if !strings.Contains(text, "frozen on Fridays") || block["block"] != text || len(block["given"].([]any)) == 0 || block["tokens"].(float64) > 4000 {
		t.Errorf("%v\n%s", block, text)
	}
	a.use(t, "context", object{"session": "s1", "query": "deploy"})
	if told := a.must(t, "receipts", "--json"); !strings.Contains(told, `"s1"`) {
		t.Errorf("no receipt of what the session was given:\n%s", told)
	}
	small, _ := a.use(t, "context", object{"budget": 300, "format": "markdown"})
	if small["tokens"].(float64) > 300 {
		t.Errorf("%v", small)
	}
	if none, text := a.use(t, "context", object{"budget": 1}); none["block"] != "" || !strings.Contains(text, "No memory") {
		t.Errorf("%v\n%s", none, text)
	}
	a.refused(t, "context", object{"format": "yaml"}, "can't be called so")
}

func TestMCPForget(t *testing.T) {
	a := serving(t, fixtures.Small)
	a.must(t, "add", "--type", "factual", "--id", "mem_x", "--by", "DEV-001", "--text", "The cache lives in Redis.")
	m := first(t, a.got(t, "mem_x")["memories"])
	a.refused(t, "forget", object{"ids": []string{"mem_x", "mem_none"}}, "no memory has the id")
	result, _ := a.use(t, "forget", object{"ids": []string{"mem_x", "mem_x"}, "reason": "moved to Valkey"})
	if len(result["archived"].([]any)) != 1 {
		t.Errorf("%v", result)
	}
	gone := first(t, a.got(t, "mem_x")["memories"])
	if gone["archived"] != true || gone["content"] != m["content"] {
		t.Errorf("%v", gone)
	}
	again, text := a.use(t, "forget", object{"ids": []string{"mem_x"}})
	if len(again["archived"].([]any)) != 0 || !strings.Contains(text, "already: mem_x") {
		t.Errorf("%v %s", again, text)
	}
	_, text = a.use(t, "history", object{"run": result["run_id"]})
	if !strings.Contains(text, "archive mem_x") {
		t.Errorf("%s", text)
	}
	a.use(t, "undo", object{"run": "last"})
	if back := first(t, a.got(t, "mem_x")["memories"]); back["archived"] == true || back["file"] != m["file"] {
		t.Errorf("%v", back)
	}
	a.refused(t, "undo", object{"run": "run_nowhere"}, "no run")
	a.refused(t, "undo", object{"run": result["run_id"], "action": 7}, "has no action 7")
	a.refused(t, "undo", object{"run": result["run_id"], "memory": "mem_y"}, "did nothing to")
}

func TestMCPConsolidate(t *testing.T) {
	a := serving(t, fixtures.Large)
	before := hashes(t, a.dir)
	plan, text := a.use(t, "consolidate", nil)
	id, _ := plan["plan_id"].(string)
	if plan["applied"] != false || len(plan["actions"].([]any)) < 5 || !strings.Contains(text, "apply "+id) {
		t.Fatalf("%v\n%s", plan, text)
	}
	if after := hashes(t, a.dir); !cmp.Equal(before, after) {
		t.Errorf("a plan wrote something:\n%s", cmp.Diff(before, after))
	}
	if again, _ := a.use(t, "consolidate", nil); again["plan_id"] != id {
		t.Errorf("planned twice: %v, %v", id, again["plan_id"])
	}
	a.refused(t, "consolidate", object{"apply": "plan_20260301T090000Z_00000000"}, "not what would be done now")
	a.refused(t, "consolidate", object{"apply": id, "scope": "team:development"}, "not what would be done now")
	a.refused(t, "consolidate", object{"apply": "yes"}, "no id of a plan")
	a.refused(t, "consolidate", object{"apply": strings.Replace(id, "plan_2026", "plan_2019", 1)}, "too old")
	a.refused(t, "consolidate", object{"scope": "planet:mars"}, "scope")
	a.refused(t, "consolidate", object{"cursor": "nonsense"}, "without a cursor")

	// An edit of a memory that the plan changes makes it another plan.
	changed := first(t, plan["actions"])["memory_ids"].([]any)[0].(string)
	edit, _ := a.use(t, "update", object{"id": changed, "fields": object{"note": "edited"}})
	a.refused(t, "consolidate", object{"apply": id}, "not what would be done now")
	a.use(t, "undo", object{"run": edit["run_id"]})

	plan, _ = a.use(t, "consolidate", nil)
	done, text := a.use(t, "consolidate", object{"apply": plan["plan_id"]})
	run, _ := done["run_id"].(string)
	if done["applied"] != true || len(done["actions"].([]any)) != len(plan["actions"].([]any)) || !strings.Contains(text, "undo "+run) {
		t.Errorf("%v\n%s", done, text)
	}
	a.refused(t, "consolidate", object{"apply": plan["plan_id"]}, "not what would be done now")
	runs, _ := a.use(t, "history", nil)
	if latest := first(t, runs["runs"]); latest["run_id"] != run {
		t.Errorf("the latest run is %v", latest)
	}
	what, _ := a.use(t, "history", object{"run": run})
	if len(what["actions"].([]any)) < len(plan["actions"].([]any)) {
		t.Errorf("%v", what)
	}

	p, err := a.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "consolidate", Arguments: map[string]string{"scope": "agent:DEV-001"}})
	if err != nil || !strings.Contains(p.Messages[0].Content.(*sdk.TextContent).Text, "with scope agent:DEV-001") {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := a.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "consolidate", Arguments: map[string]string{"scope": "x"}}); err == nil {
		t.Error("a prompt for no scope")
	}
	scopes, err := a.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "consolidate"}, Argument: sdk.CompleteParamsArgument{Name: "scope", Value: "agent:"}})
	if err != nil || len(scopes.Completion.Values) == 0 {
		t.Errorf("%+v, %v", scopes, err)
	}
}

func TestMCPReview(t *testing.T) {
	a := serving(t, fixtures.Large)
	plan, _ := a.use(t, "consolidate", nil)
	a.use(t, "consolidate", object{"apply": plan["plan_id"]})
	open, text := a.use(t, "review", nil)
	total := open["total"].(float64)
	pair := first(t, open["pairs"])
	id := pair["id"].(string)
	if total < 1 || !strings.Contains(text, id) || !strings.Contains(text, "older: ") {
		t.Fatalf("%v\n%s", open, text)
	}
	older := pair["older"].(object)["id"].(string)
	one, text := a.use(t, "review", object{"pair": id})
	if len(one["pairs"].([]any)) != 1 || !strings.Contains(text, older) {
		t.Errorf("%v\n%s", one, text)
	}
	a.refused(t, "review", object{"decision": "merge"}, "one pair")
	a.refused(t, "review", object{"pair": id, "decision": "keep"}, "don't fit together")
	a.refused(t, "review", object{"pair": id, "keep": older}, "don't fit together")
	a.refused(t, "review", object{"pair": id, "decision": "keep", "keep": "mem_y"}, "is neither")
	a.refused(t, "review", object{"pair": id, "decision": "delete"}, "can't be called so")
	a.refused(t, "review", object{"pair": "rev_none"}, "waits for a decision")
	decided, _ := a.use(t, "review", object{"pair": id, "decision": "keep_both"})
	if decided["total"].(float64) != total-1 {
		t.Errorf("%v", decided)
	}
	a.refused(t, "review", object{"pair": id, "decision": "keep_both"}, "waits for a decision")
	a.use(t, "undo", object{"run": decided["run_id"]})
	newer := pair["newer"].(object)["id"].(string)
	a.use(t, "review", object{"pair": id, "decision": "keep", "keep": newer})
	if m := first(t, a.got(t, older)["memories"]); m["archived"] != true {
		t.Errorf("%v", m)
	}
	p, err := a.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "review"})
	if err != nil || len(p.Messages) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Lists come in pages, which together are all of it, each once.
func TestMCPPages(t *testing.T) {
	a := serving(t, fixtures.Small)
	const n = 120
	a.must(t, "add", "--type", "factual", "--id", "mem_x", "--by", "DEV-001", "--text", "n")
	for i := range n {
		a.use(t, "update", object{"id": "mem_x", "content": fmt.Sprint("The value is ", i)})
	}
	seen, cursor := map[string]bool{}, ""
	for pages := 1; ; pages++ {
		args := object{}
		if cursor != "" {
			args["cursor"] = cursor
		}
		result, text := a.use(t, "history", args)
		for _, r := range result["runs"].([]any) {
			id := r.(object)["run_id"].(string)
			if seen[id] {
				t.Errorf("%s twice", id)
			}
			seen[id] = true
		}
		if cursor, _ = result["next_cursor"].(string); cursor == "" {
			if len(seen) != int(result["total"].(float64)) || len(seen) < n || pages < 3 {
				t.Errorf("%d runs of %v on %d pages", len(seen), result["total"], pages)
			}
			break
		}
		if !strings.Contains(text, "cursor "+cursor) {
			t.Errorf("the text does not tell the cursor:\n%s", text)
		}
		if pages == 1 {
			a.refused(t, "history", object{"id": "mem_x", "cursor": cursor}, "not one of this list")
		}
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
		a.refused(t, "get", object{"ids": []string{id}}, "no memory has the id")
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

func (a *agent) got(t *testing.T, id string) object {
	t.Helper()
	result, _ := a.use(t, "get", object{"ids": []string{id}})
	return result
}

// must runs a command beside the server.
func (a *agent) must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code, err := call(program(t), a.dir, append(os.Environ(), "MEMORY_WORKSPACE="+a.dir, "MEMORY_AT="+fixtures.At), args...)
	if err != nil || code != 0 {
		t.Fatalf("%v: exit code %d, %v\n%s", args, code, err, errs)
	}
	return out
}

func (a *agent) lines(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Fields(a.must(t, args...))
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// hashes are the bytes of all files below a directory but those that a reader may
// write.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
