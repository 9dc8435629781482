//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
)

func TestMCPConsolidate(t *testing.T) {
	a := serving(t, fixtures.Large)
	before := hashes(t, a.dir)
	plan, text := a.use(t, "consolidate", nil)
	id, _ := plan["plan_id"].(string)
	if plan["applied"] != nil || len(plan["actions"].([]any)) < 5 || !strings.Contains(text, "apply "+id) {
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
	changed := first(t, plan["actions"])["source_ids"].([]any)[0].(string)
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
	a.refused(t, "review", object{"pair": id, "decision": "delete"}, `"decision" is "delete": write `)
	a.refused(t, "review", object{"pair": "rev_none"}, "no such pair waits")
	decided, _ := a.use(t, "review", object{"pair": id, "decision": "keep_both"})
	if left, _ := decided["total"].(float64); left != total-1 {
		t.Errorf("%v", decided)
	}
	a.refused(t, "review", object{"pair": id, "decision": "keep_both"}, "no such pair waits")
	a.use(t, "undo", object{"run": decided["run_ids"].([]any)[0]})
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
