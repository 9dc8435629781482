package rules_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// statements are texts of which some update others, some repeat them, and some are
// about other things.
var statements = []string{
	"The release manager of the shop is Ana Silva.",
	"The release manager of the shop is Ben Okafor.",
	"The release manager of the shop is now Chen Wei.",
	"The release manager of the bank is Dana Fox.",
	"We deploy the shop with Jenkins pipelines.",
	"We switched from Jenkins to Tekton to deploy the shop.",
	"We no longer deploy the shop with Jenkins pipelines.",
	"This supersedes m1 and m2.",
	"Deprecated in favour of m0.",
	"Buttons of the checkout use the accent colour.",
}

// drawnUpdates is a workspace of memories that no other rule takes.
func drawnUpdates(t *rapid.T) map[string]string {
	files := map[string]string{}
	for i := range rapid.IntRange(2, 7).Draw(t, "memories") {
		at := random.At.AddDate(0, 0, -rapid.IntRange(8, 20).Draw(t, "age")).Format(time.RFC3339)
		files[fmt.Sprintf("agents/DEV-001/m%d.json", i)] = fmt.Sprintf(
			`{"id":"m%d","type":%q,"created_by":"A%d","created_at":%q,"updated_at":%q,"tags":%s,"access_count":2,"last_accessed":%q,"content":%q}`,
			i, rapid.SampledFrom([]string{"semantic", "semantic", "episodic"}).Draw(t, "type"), i, at, at,
			rapid.SampledFrom([]string{`["a"]`, `["a","b"]`, `["c"]`}).Draw(t, "tags"), random.At.Format(time.RFC3339),
			rapid.SampledFrom(statements).Draw(t, "text"))
	}
	return files
}

// Proposals ask about each memory once, change none, say what explain says and are
// made once. Accepted, they link the two and archive the older; undo takes that back.
func TestUpdatesAreProposedOnce(t *testing.T) {
	proposed := 0
	rapid.Check(t, func(t *rapid.T) {
		files := drawnUpdates(t)
		dir, err := os.MkdirTemp("", "updates")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		s, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		req := rules.Request{Settings: config.Default()}
		before, err := s.Load(random.At)
		if err != nil {
			t.Fatal(err)
		}
		plan, _ := once(t, s, random.At, req)
		checkPlan(t, plan, 0)
		asked := map[string]bool{}
		for _, a := range plan.Actions {
			if a.Type != "review" || a.Rule != rules.RuleSupersede || len(a.Ops) > 0 {
				t.Fatalf("the plan has %+v", a.Action)
			}
			for _, id := range a.MemoryIDs {
				asked[id] = true
			}
			proposed += len(a.Pairs)
		}
		for _, m := range before.Memories() {
			for _, v := range rules.Explain(before, req, m).Verdicts {
				if v.Rule == rules.RuleSupersede && (v.Acts != asked[m.ID] || v.Acts && !v.Conditions[0].Met) {
					t.Fatalf("%s: explain says acts=%v (%s, %+v), the plan says %v", m.ID, v.Acts, v.Outcome, v.Conditions, asked[m.ID])
				}
			}
		}
		if again, _ := once(t, s, random.At, req); !again.Empty() {
			t.Fatalf("asked again: %+v", again.Actions[0].Action)
		}
		for name, text := range files {
			if got := readTree(t, dir)[name]; got != text {
				t.Fatalf("%s changed to %s", name, got)
			}
		}
		accept(t, s, dir, req)
	})
	if proposed == 0 {
		t.Error("no update was proposed in any workspace")
	}
}

// accept accepts a waiting pair, if there is one, and undoes that.
func accept(t *rapid.T, s *workspace.FileStore, dir string, req rules.Request) {
	at := random.At.Add(time.Hour)
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	open := snap.Open()
	if len(open) == 0 {
		return
	}
	pair := rapid.SampledFrom(open).Draw(t, "pair")
	a, err := rules.Decide(snap, req, pair, rules.VerdictSupersede, "")
	if err != nil {
		t.Fatal(err)
	}
	before := memoryFiles(readTree(t, dir))
	plan := &memory.Plan{At: at, Trigger: rules.Manual, Actions: []memory.Action{a}}
	plan.Seal(s.Log().Head())
	if _, err := s.Commit(context.Background(), &workspace.Tx{Plan: plan, Snapshot: snap}); err != nil {
		t.Fatal(err)
	}
	if snap, err = s.Load(at); err != nil {
		t.Fatal(err)
	}
	older, newer := snap.Find(pair.A), snap.Live(pair.B)
	if len(older) != 1 || !older[0].Archived || !slices.Contains(older[0].SupersededBy, pair.B) || newer == nil || !slices.Contains(newer.Supersedes, pair.A) {
		t.Fatalf("after accepting that %s supersedes %s: %+v", pair.B, pair.A, snap.Memories())
	}
	if d := snap.Review.Decided; len(d) != 1 || d[0].Verdict != rules.VerdictSupersede {
		t.Fatalf("the queue remembers %+v", d)
	}
	if _, err := s.Undo(context.Background(), plan.RunID, nil, at); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, memoryFiles(readTree(t, dir))); diff != "" {
		t.Fatalf("undo left (-before +after): %s", diff)
	}
}

func memoryFiles(tree map[string]string) map[string]string {
	for name := range tree {
		if strings.HasPrefix(name, memory.OpsDir+"/") || strings.HasSuffix(name, memory.IndexFile) {
			delete(tree, name)
		}
	}
	return tree
}

// A run that is full doesn't look for updates and says so; later ones do.
func TestUpdatesWaitForRoom(t *testing.T) {
	files := map[string]string{}
	for i, text := range []string{
		"The release manager of the shop is Ana Silva.", "The release manager of the shop is Ben Okafor.",
		"Buttons of the checkout use the accent colour.", "Invoices are printed on Mondays.", "The cellar floods in spring.",
	} {
		read := random.At.Format(time.RFC3339)
		if i > 1 { // stale
			read = "2020-01-01T00:00:00Z"
		}
		at := random.At.AddDate(0, 0, i-20).Format(time.RFC3339)
		files[fmt.Sprintf("agents/DEV-001/m%d.json", i)] = fmt.Sprintf(
			`{"id":"m%d","type":"semantic","created_by":"A","created_at":%q,"updated_at":%q,"tags":["a"],"access_count":2,"last_accessed":%q,"content":%q}`,
			i, at, at, read, text)
	}
	dir := t.TempDir()
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	req := rules.Request{Settings: config.Default()}
	req.Settings.Run.Limit = 2
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range rules.Explain(snap, req, snap.Live("m1")).Verdicts {
		if v.Rule == rules.RuleSupersede && (v.Acts || !strings.Contains(v.Outcome, "the run is full")) {
			t.Errorf("explain says %q", v.Outcome)
		}
	}
	var rulesOf [][]string
	for _, plan := range settle(t, s, random.At, req) {
		names := slices.Clone(plan.DeferredRules)
		for _, a := range plan.Actions {
			names = append(names, a.Rule)
		}
		rulesOf = append(rulesOf, names)
	}
	want := [][]string{{"supersede", "archive", "archive"}, {"archive", "supersede"}}
	if diff := cmp.Diff(want, rulesOf); diff != "" {
		t.Errorf("rules that were put off, and that acted, by run (-want +got): %s", diff)
	}
}
