//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
)

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
	reads := first(t, result["memories"])["access_count"].(float64)
	if again := first(t, a.got(t, list[0])["memories"])["access_count"].(float64); again < reads {
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

func TestMCPSearch(t *testing.T) {
	a := serving(t, fixtures.Large)
	saved, _ := a.use(t, "save", object{"content": "The walrus cache evicts entries after 17 minutes.", "type": "factual", "tags": []string{"cache"}})
	id := saved["id"].(string)
	found, text := a.use(t, "search", object{"query": "when does the walrus evict?", "explain": true})
	best := first(t, found["hits"])
	if best["id"] != id || !strings.Contains(best["content"].(string), "17 minutes") || len(best["parts"].(object)) == 0 || !strings.Contains(text, "> The walrus cache") {
		t.Errorf("%v\n%s", best, text)
	}
	// What is found with a passage of its text is read: once, however often it is found.
	a.use(t, "get", object{"ids": []string{id}})
	if told := a.must(t, "show", "--no-count", id); !strings.Contains(strings.Join(strings.Fields(told), " "), "read 1 time, ") {
		t.Errorf("not read once:\n%s", told)
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
	if found, _ := a.use(t, "search", object{"query": "narwhal"}); first(t, found["hits"])["archived"] != true || first(t, found["hits"])["beyond"] != true {
		t.Errorf("%v", found)
	}
	if found, _ := a.use(t, "search", object{"query": "narwhal", "mode": "reflexive"}); len(found["hits"].([]any)) > 0 {
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
			id := fmt.Sprint(h.(object)["file"], h.(object)["json_path"])
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
	a.refused(t, "search", object{"query": "x", "since": "soonish"}, "not a time")
	a.refused(t, "search", object{"query": "x", "mode": "psychic"}, `search: "mode" is "psychic": write `)
	a.refused(t, "search", object{"query": strings.Repeat("x", 3000)}, `"query" is too long: at most`)
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
	given := first(t, block["given"])["id"].(string)
	if told := a.must(t, "show", "--no-count", given); !strings.Contains(strings.Join(strings.Fields(told), " "), "given 2 times, ") {
		t.Errorf("what was given to two sessions:\n%s", told)
	}
	small, _ := a.use(t, "context", object{"budget": 300, "format": "markdown"})
	if small["tokens"].(float64) > 300 {
		t.Errorf("%v", small)
	}
	if none, text := a.use(t, "context", object{"budget": 1}); none["block"] != "" || !strings.Contains(text, "No memory") {
		t.Errorf("%v\n%s", none, text)
	}
	a.refused(t, "context", object{"format": "yaml"}, `"format" is "yaml": write `)
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
