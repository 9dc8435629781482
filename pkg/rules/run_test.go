package rules_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// once plans and applies one run, as the command line does.
func once(t fataler, s *workspace.FileStore, at time.Time, req rules.Request) (*memory.Plan, *workspace.Result) {
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	req.LogHead = s.Log().Head()
	plan := rules.Plan(snap, req)
	res, err := s.Commit(context.Background(), &workspace.Tx{Plan: plan, Snapshot: snap})
	if err != nil {
		t.Fatal(err)
	}
	return plan, res
}

// settle runs until the plan is empty.
func settle(t fataler, s *workspace.FileStore, at time.Time, req rules.Request) (plans []*memory.Plan) {
	for range 500 {
		plan, res := once(t, s, at, req)
		if plan.Empty() {
			return plans
		}
		if res.Applied != len(plan.Actions) {
			t.Fatalf("%d of %d actions applied: %v", res.Applied, len(plan.Actions), res.Skipped)
		}
		plans = append(plans, plan)
	}
	t.Fatal("no fixed point after 500 runs")
	return nil
}

func readTree(t fataler, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".lock") {
			return err
		}
		text, err := os.ReadFile(name)
		out[filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator)))] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func request(t fataler, files map[string]string, trigger string) rules.Request {
	cfg, err := config.Parse("memory.toml", []byte(files["memory.toml"]))
	if err != nil {
		t.Fatal(err)
	}
	return rules.Request{Trigger: trigger, Settings: cfg.Settings}
}

// On any workspace: every plan applies whole, changes at most the limit, touches
// each memory once and no file that it doesn't name; repeated runs come to a fixed
// point, at which one more changes no byte; no memory is lost; check is clean.
func TestRunsReachAFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "rules")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := random.Workspace(t)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		s, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		req := request(t, files, rapid.SampledFrom([]string{rules.Manual, rules.SessionEnd}).Draw(t, "trigger"))
		req.Settings.Run.Limit = rapid.IntRange(2, 50).Draw(t, "limit")
		req.Settings.Layers.Enabled = rapid.Bool().Draw(t, "layers")

		before, err := s.Load(random.At)
		if err != nil {
			t.Fatal(err)
		}
		tree := readTree(t, dir)
		fields := unknownFields(before)
		first := rules.Plan(before, req)
		plans := settle(t, s, random.At, req)
		named := map[string]bool{}
		for _, plan := range plans {
			checkPlan(t, plan, req.Settings.Run.Limit)
			for _, a := range plan.Actions {
				for _, op := range a.Ops {
					named[op.Ref.File], named[op.To.File] = true, true
				}
			}
		}
		if req.Trigger == rules.Manual && len(first.Deferred) == 0 && len(plans) > 1 {
			t.Fatalf("a second run at the same time has actions: %+v\nafter %+v", plans[1].Actions[0].Action, plans[0].Stats())
		}
		after := readTree(t, dir)
		for name, text := range tree {
			if !named[name] && !strings.HasSuffix(name, memory.IndexFile) && after[name] != text {
				t.Fatalf("%s changed, and no action names it", name)
			}
		}
		if _, res := once(t, s, random.At, req); res.Entry != nil {
			t.Fatal("an empty plan was logged")
		}
		if diff := cmp.Diff(after, readTree(t, dir)); diff != "" {
			t.Fatalf("one more run changes bytes: %s", diff)
		}
		nothingLost(t, s, fields)
	})
}

// checkPlan holds a plan to its promises.
func checkPlan(t fataler, plan *memory.Plan, limit int) {
	taken, changed := map[string]bool{}, 0
	for _, a := range plan.Actions {
		for _, id := range a.Members() {
			if taken[id] {
				t.Fatalf("%s takes part in two actions", id)
			}
			taken[id] = true
		}
		if a.Type != "review" {
			changed += len(a.Members())
		}
		if a.Type == "merge" && (a.FactsKept == nil || a.FactsArchived == nil) {
			t.Fatalf("the merge into %s doesn't say what became of the facts", a.ResultID)
		}
	}
	if changed > limit {
		t.Fatalf("%d memories changed, the limit is %d", changed, limit)
	}
	for _, id := range plan.Deferred {
		if taken[id] {
			t.Fatalf("%s is deferred, and acted on", id)
		}
	}
}

// unknownFields are those of each memory, by its id, in their shortest form.
func unknownFields(s *memory.Snapshot) map[string]string {
	out := map[string]string{}
	for _, m := range s.Memories() {
		v, _ := jsonedit.Get(m.Raw(), "unknown")
		out[m.ID] = string(jsonedit.Compact([]byte(v.Raw)))
	}
	return out
}

// nothingLost looks for every memory that was there, and for each of its unknown
// fields, and runs check.
func nothingLost(t fataler, s *workspace.FileStore, before map[string]string) {
	after, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	for id, was := range before {
		found := after.Find(id)
		if len(found) != 1 {
			t.Fatalf("%s stands in %d places", id, len(found))
		}
		is, _ := jsonedit.Get(found[0].Raw(), "unknown")
		if is := string(jsonedit.Compact([]byte(is.Raw))); is != was {
			t.Fatalf("%s: unknown field changed from %s to %s", id, was, is)
		}
	}
	// The drawn indexes may be wrong from the start.
	if _, err := s.Reindex(context.Background(), random.At); err != nil {
		t.Fatal(err)
	}
	if after, err = s.Load(random.At); err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(after.At)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.Severity == memory.Error {
			t.Fatalf("check: %+v", p)
		}
	}
}

// Explain and Plan can't disagree.
func TestExplainAgreesWithPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := random.Workspace(t)
		var live []*memory.Memory
		for name, text := range files {
			if strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, memory.IndexFile) {
				ms, err := memory.ParseRecords(name, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				live = append(live, ms...)
			}
		}
		if len(live) == 0 {
			return
		}
		snap := memory.NewSnapshot(random.At, live, nil)
		req := request(t, files, rules.Manual)
		req.Settings.Layers.Enabled = rapid.Bool().Draw(t, "layers")
		acts := map[string]string{}
		for _, a := range rules.Plan(snap, req).Actions {
			for _, id := range a.Members() {
				acts[id] = a.Rule
			}
		}
		m := rapid.SampledFrom(live).Draw(t, "memory")
		for _, v := range rules.Explain(snap, req, m).Verdicts {
			if v.Rule == rules.RuleWorking {
				continue // that is about the session's end
			}
			if v.Acts != (acts[m.ID] == v.Rule) {
				t.Fatalf("%s: explain says %s acts=%v (%s), the plan says %q", m.ID, v.Rule, v.Acts, v.Outcome, acts[m.ID])
			}
			if v.Acts {
				for _, c := range v.Conditions {
					if !c.Met {
						t.Fatalf("%s: %s acts although %q is not met: %s", m.ID, v.Rule, c.What, c.Is)
					}
				}
			}
		}
	})
}
