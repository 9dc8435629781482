package enrich

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/rules"
)

// stub is a chooser with fixed answers.
type stub struct {
	choice   Choice
	verdict  string
	err      error
	requests int
	asked    []string // ids of clusters and pairs
}

func (s *stub) Choose(_ context.Context, c Cluster, _ []Sentence) (Choice, error) {
	s.requests++
	s.asked = append(s.asked, strings.Join(ids(c.Members), " "))
	choice := s.choice
	choice.By, choice.Key = "stub/m", "k"
	return choice, s.err
}

func (s *stub) Updates(_ context.Context, pairs []refine.Candidate) (said []refine.Update, r refine.Report, err error) {
	s.requests++
	for _, p := range pairs {
		s.asked = append(s.asked, p.A.ID+" "+p.B.ID)
		said = append(said, refine.Update{Older: p.A, Newer: p.B, Verdict: s.verdict, Confidence: .9, Quotes: []string{p.A.Text(), p.B.Text()}, By: "stub/m"})
	}
	return said, r, nil
}

func (s *stub) Usage() oplog.ModelUse {
	return oplog.ModelUse{Requests: s.requests, TokensIn: 10 * s.requests}
}

// told is what choosers have said according to a plan.
func told(p *memory.Plan) Judged {
	return Judged{
		Cluster: func(members []*memory.Memory) (leftOut []string, ok bool) {
			for _, a := range p.Actions {
				if a.Verdict == VerdictCluster && maps.Equal(a.Digests, Digests(members)) {
					return a.LeftOut, true
				}
			}
			return nil, false
		},
		Pair: func(a, b *memory.Memory) bool {
			return slices.ContainsFunc(p.Actions, func(x memory.Action) bool {
				return maps.Equal(x.Digests, refine.Digests(a, b)) && x.Type == oplog.Judge
			})
		},
	}
}

func edge(from, kind, to string, confidence float64) edgefile.Edge {
	return edgefile.Edge{Name: edgefile.Name{From: from, Type: kind, To: to}, Confidence: confidence, By: edgefile.User, Quote: "The rollback job takes 4 minutes."}
}

func TestChooser(t *testing.T) {
	s := &stub{choice: Choice{Summary: []int{2, 0}, Insights: []int{1}, Edges: []edgefile.Edge{
		edge("dep_3", edgefile.DependsOn, "dep_2", .8), edge("dep_3", edgefile.Fixes, "dep_2", .6), edge("dep_3", "LIKES", "dep_2", .9), edge("dep_3", edgefile.Supersedes, "dep_2", 1),
		edge("dep_3", edgefile.Fixes, "oth_1", .9), edge("dep_3", edgefile.DependsOn, "dep_2", .9), edge("dep_1", edgefile.Fixes, "dep_2", .9),
	}}}
	w := start()
	p := plan(t, w, func(r *Request) { r.Chooser = s })
	if got := types(p.Plan); !slices.Equal(got, []string{oplog.Cluster, oplog.Link, oplog.Judge}) {
		t.Fatalf("%q", got)
	}
	if change := p.Plan.Actions[1].Edges[0]; !strings.Contains(change.Now, `"by": "stub/m"`) || strings.Contains(change.Now, edgefile.User) {
		t.Errorf("%s: an edge is by who states it", change.Now)
	}
	w.apply(t, p.Plan)
	_, m := summaryIn(t, w)
	if by, said := m.Get("cluster.by").Str, m.Get("content.summary").Str; by != "stub/m" || !strings.HasPrefix(said, "The staging deploy") || !strings.Contains(said, "Tuesdays") {
		t.Errorf("by %q: %q", by, said)
	}
	for _, e := range p.Events {
		if e.Stage == StageCluster && (e.Requests != 1 || e.Tokens != 10) {
			t.Errorf("%+v", e)
		}
	}
	for name, judged := range map[string]Judged{"by the log": told(p.Plan), "by the summary": {}} {
		s.requests = 0
		if again := plan(t, w, func(r *Request) { r.Chooser, r.Judged = s, judged }); !again.Plan.Empty() || s.requests > 0 {
			t.Errorf("asked again, %s: %q, %d requests", name, types(again.Plan), s.requests)
		}
	}
}

// Where there is no usable answer, the summary is the one of the rules.
func TestChooserFails(t *testing.T) {
	plain := plan(t, start(), nil)
	for name, bad := range map[string]*stub{
		"fails": {err: &provider.Error{Outcome: provider.Timeout}}, "over budget": {err: &provider.BudgetError{Limit: "run_tokens"}}, "unsent": {err: ErrUnsent},
		"unknown number": {choice: Choice{Summary: []int{99}}}, "twice": {choice: Choice{Summary: []int{1, 1}}}, "negative": {choice: Choice{Insights: []int{-1}}}, "nothing": {},
		"inventions": {choice: Choice{Wording: &Wording{Title: "Deploys", Summary: []Worded{{"The deploy takes 9 hours.", []int{0}}}}}},
		"no source":  {choice: Choice{Wording: &Wording{Title: "Deploys", Summary: []Worded{{"The staging deploy runs from the pipeline after each merge.", nil}}}}},
	} {
		got := plan(t, start(), func(r *Request) { r.Chooser = bad })
		if string(got.Plan.Actions[0].Ops[0].Raw) != string(plain.Plan.Actions[0].Ops[0].Raw) {
			t.Errorf("%s: not what the rules choose: %s", name, got.Plan.Actions[0].Ops[0].Raw)
		}
		if (len(got.Degraded) > 0) != (bad.err != nil && bad.err != ErrUnsent) || bad.requests != 1 {
			t.Errorf("%s: degraded %q, %d requests", name, got.Degraded, bad.requests)
		}
		if got.Plan.Model == nil || got.Plan.Model.Requests != 1 || (got.Plan.Model.Deferred > 0) != (name == "over budget") {
			t.Errorf("%s: %+v", name, got.Plan.Model)
		}
	}
	broken := errors.New("disk full")
	if _, err := Plan(context.Background(), start().snapshot(), Request{Settings: plainSettings(), Chooser: &stub{err: broken}}); !errors.Is(err, broken) {
		t.Errorf("a ledger that can't be written is no reason to go on: %v", err)
	}
}

// Who doesn't belong to a cluster is left out of it, then and later, and others don't notice.
func TestStrangers(t *testing.T) {
	few := &stub{choice: Choice{Strangers: []string{"dep_2", "oth_1"}}}
	p := plan(t, start(), func(r *Request) { r.Chooser = few })
	if got := types(p.Plan); !slices.Equal(got, []string{oplog.Judge}) {
		t.Errorf("two that belong together are no cluster: %q", got)
	}
	if again := plan(t, start(), func(r *Request) { r.Chooser, r.Judged = few, told(p.Plan) }); !again.Plan.Empty() || few.requests != 1 {
		t.Errorf("again: %q, %d requests", types(again.Plan), few.requests)
	}

	w := start()
	w.set("dep_4", "The deploy of the pipeline needs a token of the pipeline.", `,"tags":["deploy"]`)
	s := &stub{choice: Choice{Strangers: []string{"dep_2"}, Summary: []int{0, 2, 4}}}
	first := plan(t, w, func(r *Request) { r.Chooser = s })
	if got := first.Plan.Actions[0].MemoryIDs; !slices.Equal(got, []string{"dep_1", "dep_3", "dep_4"}) {
		t.Fatalf("%q", got)
	}
	w.apply(t, first.Plan)
	if _, m := summaryIn(t, w); strings.Contains(m.Raw, "Tuesdays") || m.Get("cluster.left_out.0.id").Str != "dep_2" {
		t.Errorf("%s", m.Raw)
	}
	if again := plan(t, w, nil); !again.Plan.Empty() {
		t.Errorf("without a model: %q", types(again.Plan))
	}
	if found := Clusters(w.snapshot(), plainSettings(), nil); len(found) != 1 || found[0].State != Current {
		t.Errorf("%+v", found)
	}
	w.set("dep_2", "The production deploy runs from the pipeline on Fridays.", `,"tags":["deploy"]`)
	if plan(t, w, func(r *Request) { r.Chooser = s }); s.requests != 2 {
		t.Errorf("one of them has changed: %d requests", s.requests)
	}
}

// A model that comes later chooses the sentences of a summary once, unless somebody has edited it.
func TestModelComesLater(t *testing.T) {
	for _, edited := range []bool{false, true} {
		w := start()
		w.apply(t, plan(t, w, nil).Plan)
		id, _ := summaryIn(t, w)
		if edited {
			w[id] = strings.Replace(w[id], `"title": "`, `"title": "My `, 1)
		}
		s := &stub{choice: Choice{Summary: []int{2}}}
		p := plan(t, w, func(r *Request) { r.Chooser = s })
		want := []string{oplog.Edit, oplog.Judge}
		if edited {
			want = want[1:]
		}
		if got := types(p.Plan); !slices.Equal(got, want) {
			t.Fatalf("edited %t: %q", edited, got)
		}
		w.apply(t, p.Plan)
		if again := plan(t, w, func(r *Request) { r.Chooser, r.Judged = s, told(p.Plan) }); !again.Plan.Empty() || s.requests != 1 {
			t.Errorf("edited %t, again: %q", edited, types(again.Plan))
		}
	}
}

func TestFreeWording(t *testing.T) {
	s := &stub{choice: Choice{Wording: &Wording{
		Title: "Deploys from the pipeline",
		Summary: []Worded{
			{"We keep one pipeline for all services.", []int{1}}, {"The production deploy runs on Tuesdays at 11:00.", []int{2}},
			{"The rollback job takes 4 minutes.", []int{4}},
		},
		Insights: []Worded{{"We decided: keep one pipeline for all services.", []int{1}}, {"We decided not to keep one pipeline for all services.", []int{1}}, {"Nothing.", []int{77}}},
	}}}
	w := start()
	w.apply(t, plan(t, w, func(r *Request) { r.Chooser = s }).Plan)
	_, m := summaryIn(t, w)
	if got := m.Get("content.summary").Str; got != "We keep one pipeline for all services. The rollback job takes 4 minutes." {
		t.Errorf("%q: what its sources don't say is left out", got)
	}
	if got := m.Get("content.key_insights.#.text").Raw; got != `["We decided: keep one pipeline for all services."]` {
		t.Errorf("%s", got)
	}
	if m.Get("cluster.wording").Str != "free" || m.Get("content.title").Str != "Deploys from the pipeline" {
		t.Errorf("%s", m.Raw)
	}
}

// A model tells whether a newer memory makes an older one untrue. A person is asked as before, with an edge where the model is sure.
func TestUpdates(t *testing.T) {
	w := workspace{}
	w.set("cache_1", "The cache of the search service holds entries for 10 minutes.", `,"tags":["cache","search"]`)
	w.set("cache_2", "The cache of the search service now holds entries for 30 minutes instead of 10 minutes.", `,"tags":["cache","search"]`)
	w["cache_2"] = strings.ReplaceAll(w["cache_2"], "2026-01-02", "2026-02-02")
	plain := plan(t, w, nil)
	if got := types(plain.Plan); !slices.Equal(got, []string{oplog.Review}) {
		t.Fatalf("%q", got)
	}
	for verdict, want := range map[string][]string{
		rules.VerdictFull: {oplog.Review, oplog.Judge, oplog.Link}, rules.VerdictPartial: {oplog.Review, oplog.Judge}, rules.VerdictNone: {oplog.Review, oplog.Judge},
	} {
		s := &stub{verdict: verdict}
		p := plan(t, w, func(r *Request) { r.Chooser = s })
		if got := types(p.Plan); !slices.Equal(got, want) {
			t.Errorf("%s: %q", verdict, got)
		}
		if len(p.Plan.Actions) == 3 {
			if e := p.Plan.Actions[2].Edges[0]; e.Name != (edgefile.Name{From: "cache_2", Type: edgefile.Supersedes, To: "cache_1"}) {
				t.Errorf("%+v", e)
			}
		}
		snap := w.snapshot()
		snap.Review = memory.NewReviewQueue(p.Plan.Actions[0].Pairs, nil)
		again, err := Plan(context.Background(), snap, Request{Settings: plainSettings(), Chooser: s, Judged: told(p.Plan)})
		if err != nil || !again.Plan.Empty() || s.requests != 1 {
			t.Errorf("%s, again: %q, %v, asked %q", verdict, types(again.Plan), err, s.asked)
		}
	}
}
