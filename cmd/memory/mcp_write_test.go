//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures"
)

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
	a.refused(t, "update", object{"id": "mem_x", "content": []int{1}}, `"content" is [1]: write string or object`)
	a.refused(t, "update", object{"id": "mem_x", "content": strings.Repeat("x", 1<<21)}, "too long")
	many := object{}
	for i := range 300 {
		many[fmt.Sprint("f", i)] = i
	}
	a.refused(t, "update", object{"id": "mem_x", "fields": many}, "more than 200 fields")
	a.refused(t, "update", object{"id": "mem_none", "content": "x"}, "no such memory")

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
	if merged["status"] != "merged" || merged["id"] != id || !strings.Contains(text, "has gained what it lacked") {
		t.Errorf("%v\n%s", merged, text)
	}
	if m := first(t, a.got(t, id)["memories"]); len(m["tags"].([]any)) != 2 {
		t.Errorf("%v", m)
	}
	if again, text := a.use(t, "save", object{"content": said, "type": "procedural", "scope": "project:shop", "tags": []string{"billing", "payment"}}); again["status"] != "merged" || again["run_id"] != nil || !strings.Contains(text, "nothing was written") || strings.Contains(text, "undo") {
		t.Errorf("the same once more: %v\n%s", again, text)
	}
	flagged, text := a.use(t, "save", object{"content": strings.Replace(said, "three times", "five times", 1), "type": "procedural", "scope": "project:shop", "tags": []string{"billing", "payment"}})
	if flagged["status"] != "flagged" || flagged["with"] != id || !strings.Contains(text, "review "+flagged["pair_id"].(string)) {
		t.Errorf("%v\n%s", flagged, text)
	}
	if open, _ := a.use(t, "review", object{"pair": flagged["pair_id"]}); len(open["pairs"].([]any)) != 1 {
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
	a.refused(t, "save", object{"content": "x", "type": "poem"}, `save: "type" is "poem": write factual, procedural, episodic, semantic or working`)
	a.refused(t, "save", object{"content": "x", "type": "factual", "scope": "planet:mars"}, "scope")
	a.refused(t, "save", object{"content": "x", "type": "factual", "tags": []string{""}}, `"tags" element 1 is empty`)
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

func TestMCPForget(t *testing.T) {
	a := serving(t, fixtures.Small)
	a.must(t, "add", "--type", "factual", "--id", "mem_x", "--by", "DEV-001", "--text", "The cache lives in Redis.")
	m := first(t, a.got(t, "mem_x")["memories"])
	a.refused(t, "forget", object{"ids": []string{"mem_x", "mem_none"}}, "no such memory")
	result, _ := a.use(t, "forget", object{"ids": []string{"mem_x", "mem_x"}, "reason": "moved to Valkey"})
	if len(result["archived"].([]any)) != 1 {
		t.Errorf("%v", result)
	}
	gone := first(t, a.got(t, "mem_x")["memories"])
	if gone["archived"] != true || gone["content"] != m["content"] {
		t.Errorf("%v", gone)
	}
	again, text := a.use(t, "forget", object{"ids": []string{"mem_x"}})
	if again["archived"] != nil || !strings.Contains(text, "already: mem_x") {
		t.Errorf("%v %s", again, text)
	}
	_, text = a.use(t, "history", object{"run": result["run_id"]})
	if !strings.Contains(text, "archive mem_x") {
		t.Errorf("%s", text)
	}
	back, _ := a.use(t, "undo", object{"run": "last"})
	runs, _ := a.use(t, "history", object{})
	if newest, saved := runs["runs"].([]any)[0].(map[string]any), runs["runs"].([]any)[1].(map[string]any); newest["run_id"] != back["run_id"] || newest["actor"] == nil || newest["actor"] != saved["actor"] {
		t.Errorf("an undo names who asked for it: %v, the change before it %v", newest, saved)
	}
	if back := first(t, a.got(t, "mem_x")["memories"]); back["archived"] == true || back["file"] != m["file"] {
		t.Errorf("%v", back)
	}
	a.refused(t, "undo", object{"run": "run_nowhere"}, "no run")
	a.refused(t, "undo", object{"run": result["run_id"], "action": 7}, "has no action 7")
	a.refused(t, "undo", object{"run": result["run_id"], "memory": "mem_y"}, "did nothing to")
}
