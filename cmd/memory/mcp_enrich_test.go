//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/fixtures"
)

func TestMCPReason(t *testing.T) {
	a := serving(t, fixtures.Small)
	a.must(t, "add", "--type", "semantic", "--id", "moved", "--at", "2026-02-26T10:00:00Z", "--text", "Last Friday we moved the cache to Valkey.")
	result, text := a.use(t, "reason", object{"question": "When did we move the cache to Valkey?"})
	times := first(t, result["temporal_resolutions"])
	if result["answer"] != "2026-02-20" || result["requires_inference"] != true || times["expression"] != "Last Friday" || first(t, result["sources"])["id"] != "moved" {
		t.Errorf("%v", result)
	}
	if !strings.HasPrefix(text, "> 2026-02-20\n") || !strings.Contains(text, "> Last Friday we moved the cache to Valkey.") {
		t.Errorf("%s", text)
	}
	if result, text := a.use(t, "reason", object{"question": "When did the elephants dance in Timbuktu?"}); result["answer"] != nil || !strings.Contains(text, "No answer") {
		t.Errorf("%v\n%s", result, text)
	}
	a.refused(t, "reason", nil, "question")
	a.refused(t, "reason", object{"question": "when?", "modell": "x"}, "modell")
}

func TestMCPGraph(t *testing.T) {
	a := serving(t, fixtures.Small)
	for i := range 4 {
		a.must(t, "add", "--type", "semantic", "--id", fmt.Sprintf("invoice-%d", i), "--tag", "invoicing", "--tag", "printer", "--text",
			fmt.Sprintf("The invoice printer prints the invoices of region %d on paper at night.", i))
	}
	a.must(t, "link", "invoice-1", "DEPENDS_ON", "invoice-2", "--reason", "shares the queue")
	graph, text := a.use(t, "graph", object{"id": "invoice-1", "kind": "DEPENDS_ON"})
	if e := first(t, graph["edges"]); e["to"] != "invoice-2" || e["origin"] != "user" || e["why"] != "shares the queue" || !strings.Contains(fmt.Sprint(e["about"]), "region 2") {
		t.Errorf("%v", graph)
	}
	if !strings.Contains(text, "- invoice-1 DEPENDS_ON invoice-2 (shares the queue)") {
		t.Errorf("%s", text)
	}
	if none, text := a.use(t, "graph", object{"id": "invoice-3"}); none["total"] != nil || text != "No edges.\n" {
		t.Errorf("%v\n%s", none, text)
	}
	a.refused(t, "graph", object{"id": "invoice-9"}, "invoice-9")
	a.refused(t, "graph", object{"kind": "HATES"}, `"kind" is "HATES": write `)
	a.refused(t, "clusters", object{"scope": "planet:mars"}, "scope")
	a.refused(t, "clusters", object{"id": "nobody"}, "nobody")

	// A plan of an enrichment writes nothing; its id does it, once.
	found, _ := a.use(t, "clusters", object{"id": "invoice-0"})
	group := first(t, found["clusters"])
	if len(group["members"].([]any)) != 4 || group["state"] != "new" {
		t.Fatalf("%v", found)
	}
	before := hashes(t, a.dir)
	plan, text := a.use(t, "enrich", nil)
	id, _ := plan["plan_id"].(string)
	if plan["applied"] != nil || !strings.Contains(text, "enrich with apply "+id) {
		t.Fatalf("%v\n%s", plan, text)
	}
	if after := hashes(t, a.dir); !cmp.Equal(before, after) {
		t.Errorf("a plan wrote something:\n%s", cmp.Diff(before, after))
	}
	a.refused(t, "enrich", object{"apply": "yes"}, "Call enrich without apply")
	a.refused(t, "enrich", object{"apply": id, "scope": "team:development"}, "not what would be done now")
	a.refused(t, "consolidate", object{"apply": id}, "not what would be done now")
	done, text := a.use(t, "enrich", object{"apply": id})
	run, _ := done["run_id"].(string)
	if done["applied"] != true || !strings.Contains(text, "undo "+run) {
		t.Fatalf("%v\n%s", done, text)
	}
	found, _ = a.use(t, "clusters", object{"id": "invoice-0"})
	summary := fmt.Sprint(first(t, found["clusters"])["id"])
	if _, text := a.use(t, "get", object{"ids": []string{summary}}); !strings.Contains(text, "invoice") {
		t.Errorf("%s", text)
	}
	if again, text := a.use(t, "enrich", nil); again["plan_id"] != nil || !strings.HasPrefix(text, "There is nothing to do.") {
		t.Errorf("%v\n%s", again, text)
	}
	a.use(t, "undo", object{"run": run})
	if gone, _ := a.use(t, "clusters", object{"id": "invoice-0"}); first(t, gone["clusters"])["state"] != "new" {
		t.Errorf("%v", gone)
	}
}
