package enrich

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// deploys are notes about one subject, others about none.
var deploys = map[string]string{
	"dep_1": "The staging deploy runs from the pipeline after each merge. We decided to keep one pipeline for all services.",
	"dep_2": "The production deploy runs from the pipeline on Tuesdays at 10:00.",
	"dep_3": "A deploy is rolled back with the pipeline's rollback job. The rollback job takes 4 minutes.",
	"oth_1": "Invoices are sent by e-mail on the first day of a month.",
	"oth_2": "The parser keeps comments beside tokens.",
}

// workspace is a snapshot with records by id, as they would be in files.
type workspace map[string]string

func start() workspace {
	w := workspace{}
	for id, text := range deploys {
		w.set(id, text, `,"tags":["deploy"]`)
	}
	w.set("oth_1", deploys["oth_1"], `,"tags":["billing"]`)
	w.set("oth_2", deploys["oth_2"], `,"tags":["parser"]`)
	return w
}

func (w workspace) set(id, text, more string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	w[id] = fmt.Sprintf(`{"id":%q,"type":"semantic","created_by":"DEV-001","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:05Z","content":%s%s}`, id, quoted, more)
}

func (w workspace) snapshot() *memory.Snapshot {
	var live, archived []*memory.Memory
	for id, raw := range w {
		dir := "global/"
		list := &live
		if strings.HasPrefix(raw, "archived") {
			raw, dir, list = strings.TrimPrefix(raw, "archived"), "archive/", &archived
		}
		*list = append(*list, memory.ParseRecord([]byte(raw), memory.Ref{File: dir + id + ".json"}))
	}
	for _, l := range [][]*memory.Memory{live, archived} {
		slices.SortFunc(l, func(a, b *memory.Memory) int { return strings.Compare(a.ID, b.ID) })
	}
	return memory.NewSnapshot(at, live, archived)
}

// apply makes the changes of a plan.
func (w workspace) apply(t *testing.T, p *memory.Plan) {
	t.Helper()
	for _, a := range p.Actions {
		for _, op := range a.Ops {
			switch op.Kind {
			case memory.Create, memory.Put:
				w[op.ID] = string(op.Raw)
			case memory.Move:
				w[op.ID] = "archived" + w[op.ID]
			default:
				t.Fatalf("%s of %s", op.Kind, op.ID)
			}
		}
	}
}

func plan(t *testing.T, w workspace, change func(*Request)) *Result {
	t.Helper()
	r := Request{Settings: config.Default()}
	if change != nil {
		change(&r)
	}
	out, err := Plan(context.Background(), w.snapshot(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func types(p *memory.Plan) (list []string) {
	for _, a := range p.Actions {
		list = append(list, a.Type)
	}
	return list
}

// summaryIn is the one summary of a workspace.
func summaryIn(t *testing.T, w workspace) (id string, raw gjson.Result) {
	t.Helper()
	for key, text := range w {
		if v := gjson.Parse(strings.TrimPrefix(text, "archived")); v.Get("subtype").Str == memory.ClusterSummary {
			if id != "" {
				t.Fatalf("two summaries: %s, %s", id, key)
			}
			id, raw = key, v
		}
	}
	if id == "" {
		t.Fatal("no summary")
	}
	return id, raw
}

func TestSummaryOfACluster(t *testing.T) {
	w := start()
	w.set("dep_2", deploys["dep_2"], `,"tags":["deploy"],"confidence":0.6`)
	w.set("dep_3", deploys["dep_3"], `,"tags":["deploy"],"confidence":0.9`)
	sources := map[string]string{}
	for id, raw := range w {
		sources[id] = raw
	}
	first := plan(t, w, nil)
	if got := types(first.Plan); !slices.Equal(got, []string{oplog.Cluster}) {
		t.Fatalf("%q", got)
	}
	if a := first.Plan.Actions[0]; !slices.Equal(a.MemoryIDs, []string{"dep_1", "dep_2", "dep_3"}) || a.Coherence == nil || *a.Coherence <= 0 {
		t.Errorf("%+v", a.Action)
	}
	w.apply(t, first.Plan)
	for id, raw := range sources {
		if w[id] != raw {
			t.Errorf("the source %s was touched: %s", id, w[id])
		}
	}
	_, m := summaryIn(t, w)
	for path, want := range map[string]string{
		"type": "semantic", "created_by": "SYSTEM", "scope": "global", "confidence": "0.6", "tags.0": "deploy", "cluster.by": "rules", "cluster.members.#": "3",
		"content.temporal_span.from": "2026-01-02",
	} {
		if got := m.Get(path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if n := len(strings.Fields(m.Get("content.title").Str)); n < 1 || n > 10 {
		t.Errorf("title %q", m.Get("content.title").Str)
	}
	if n := len(strings.Fields(m.Get("content.summary").Str)); n < 5 || n > 100 {
		t.Errorf("summary %q", m.Get("content.summary").Str)
	}
	insights := m.Get("content.key_insights").Array()
	if len(insights) < 3 || len(insights) > 5 {
		t.Errorf("%d insights", len(insights))
	}
	for _, i := range insights { // each a sentence of those that it names
		for _, id := range i.Get("from").Array() {
			if !strings.Contains(deploys[id.Str], i.Get("text").Str) {
				t.Errorf("%q isn't in %s", i.Get("text").Str, id.Str)
			}
		}
	}
	if again := plan(t, w, nil); !again.Plan.Empty() {
		t.Errorf("again: %+v", again.Plan.LogActions())
	}
}

// A summary has sentences of its members: it goes to no model to which one of them may not go.
// A summary keeps which members are near in meaning, while they say what they said: its cluster stays where nothing compares meanings.
func TestNearInMeaning(t *testing.T) {
	w := workspace{}
	for id, text := range map[string]string{"dep_1": "The pipeline deploys to staging.", "dep_2": "The pipeline deploys to production.", "dep_3": "The pipeline deploys to tests.", "oth_1": deploys["oth_1"]} {
		w.set(id, text, "")
	}
	nearby := func(r *Request) {
		r.Near = func(all []*memory.Memory) (pairs [][2]*memory.Memory) {
			for i := range all {
				for k := i + 1; k < len(all); k++ {
					if strings.HasPrefix(all[i].ID, "dep") && strings.HasPrefix(all[k].ID, "dep") {
						pairs = append(pairs, [2]*memory.Memory{all[k], all[i]})
					}
				}
			}
			return pairs
		}
	}
	if p := plan(t, w, nil); len(p.Plan.Actions) > 0 {
		t.Fatalf("without ties: %q", types(p.Plan))
	}
	w.apply(t, plan(t, w, nearby).Plan)
	if _, raw := summaryIn(t, w); raw.Get("cluster.near.@ugly").Raw != `[["dep_1","dep_2"],["dep_1","dep_3"],["dep_2","dep_3"]]` {
		t.Errorf("kept: %s", raw.Get("cluster.near"))
	}
	for name, change := range map[string]func(*Request){"with": nearby, "without": nil} {
		if p := plan(t, w, change); len(p.Plan.Actions) > 0 {
			t.Errorf("again, %s a server: %q", name, types(p.Plan))
		}
	}
	w.set("dep_2", "Lunch is served at noon.", "")
	w.apply(t, plan(t, w, nil).Plan)
	if id, _ := summaryIn(t, w); !strings.HasPrefix(w[id], "archived") {
		t.Errorf("it stays, though a member says something else: %s", w[id])
	}
}

func TestSummaryTravelsNoFarther(t *testing.T) {
	for extra, want := range map[string]string{
		`,"tags":["deploy"]`: "", `,"tags":["deploy","Private"]`: "never", `,"tags":["deploy"],"model":"never"`: "never", `,"tags":["deploy"],"model":"local"`: "local",
	} {
		w := start()
		w.set("dep_2", deploys["dep_2"], extra)
		w.apply(t, plan(t, w, nil).Plan)
		if _, m := summaryIn(t, w); m.Get("model").Str != want {
			t.Errorf("with a member that has %s: model is %q, want %q", extra, m.Get("model").Str, want)
		}
		if want == "" { // a member is marked later
			w.set("dep_2", deploys["dep_2"], `,"tags":["deploy","private"]`)
			w.apply(t, plan(t, w, nil).Plan)
			if _, m := summaryIn(t, w); m.Get("model").Str != "never" {
				t.Errorf("after a member became private: model is %q", m.Get("model").Str)
			}
		}
	}
}

func TestMembersChange(t *testing.T) {
	w := start()
	w.apply(t, plan(t, w, nil).Plan)
	id, _ := summaryIn(t, w)

	w.set("dep_4", "The deploy of the pipeline needs a token of the pipeline.", `,"tags":["deploy"]`)
	w.set("dep_2", "The production deploy runs from the pipeline on Fridays.", `,"tags":["deploy"]`)
	second := plan(t, w, nil)
	if got := types(second.Plan); !slices.Equal(got, []string{oplog.Edit}) || second.Plan.Actions[0].MemoryID != id {
		t.Fatalf("%q", got)
	}
	if d := second.Plan.Actions[0].Detail; !strings.Contains(d, "1 came, 0 went, 1 say") {
		t.Error(d)
	}
	w.apply(t, second.Plan)
	if _, m := summaryIn(t, w); !strings.Contains(m.Raw, "Fridays") || strings.Contains(m.Raw, "Tuesdays") {
		t.Errorf("%s", m.Raw)
	}

	// Reads and times are not news.
	w["dep_1"] = strings.Replace(w["dep_1"], `"updated_at":"2026-01-02`, `"access_count":7,"last_accessed":"2026-02-01T00:00:00Z","updated_at":"2026-02-02`, 1)
	if p := plan(t, w, nil).Plan; !p.Empty() {
		t.Errorf("after a read: %+v", p.LogActions())
	}

	for _, gone := range []string{"dep_1", "dep_3", "dep_4"} {
		w[gone] = "archived" + w[gone]
	}
	last := plan(t, w, nil)
	if got := types(last.Plan); !slices.Equal(got, []string{oplog.Archive}) || last.Plan.Actions[0].Reason != ReasonGone {
		t.Fatalf("%q", got)
	}
	w.apply(t, last.Plan)
	if p := plan(t, w, nil).Plan; !p.Empty() {
		t.Errorf("again: %+v", p.LogActions())
	}
}

// What somebody has edited, or protects, stays as it is, and is told.
func TestHandsWin(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"edited":    func(raw string) string { return strings.Replace(raw, `"title": "`, `"title": "My `, 1) },
		"protected": func(raw string) string { return strings.Replace(raw, `"type"`, `"protected": true, "type"`, 1) },
	} {
		w := start()
		w.apply(t, plan(t, w, nil).Plan)
		id, _ := summaryIn(t, w)
		w[id] = edit(w[id])
		if p := plan(t, w, nil); !p.Plan.Empty() || len(p.Stale) > 0 {
			t.Errorf("%s, members as they were: %+v, %+v", name, p.Plan.LogActions(), p.Stale)
		}
		w.set("dep_2", "The production deploy runs from the pipeline on Fridays.", `,"tags":["deploy"]`)
		if p := plan(t, w, nil); !p.Plan.Empty() || len(p.Stale) != 1 || p.Stale[0].ID != id {
			t.Errorf("%s, a member changed: %+v, %+v", name, p.Plan.LogActions(), p.Stale)
		}
		w["dep_1"], w["dep_3"] = "archived"+w["dep_1"], "archived"+w["dep_3"]
		if p := plan(t, w, nil); !p.Plan.Empty() || len(p.Stale) != 1 {
			t.Errorf("%s, its cluster gone: %+v, %+v", name, p.Plan.LogActions(), p.Stale)
		}
	}
}

func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		want   []string
	}{
		"all":                {nil, []string{oplog.Cluster}},
		"another scope":      {func(r *Request) { r.Scope = &memory.Scope{Kind: "team", ID: "qa"} }, nil},
		"its scope":          {func(r *Request) { r.Scope = &memory.Global }, []string{oplog.Cluster}},
		"another type":       {func(r *Request) { r.Type = "episodic" }, nil},
		"its type":           {func(r *Request) { r.Type = "semantic" }, []string{oplog.Cluster}},
		"since later":        {func(r *Request) { r.Since = at }, nil},
		"until earlier":      {func(r *Request) { r.Until = at.AddDate(-1, 0, 0) }, nil},
		"in the time":        {func(r *Request) { r.Since, r.Until = at.AddDate(-1, 0, 0), at }, []string{oplog.Cluster}},
		"a stage":            {func(r *Request) { r.Stages = []string{StageSummarise} }, []string{oplog.Cluster}},
		"stages that ask":    {func(r *Request) { r.Stages = []string{StageSupersede, StageEdge} }, nil},
		"clusters of four":   {func(r *Request) { r.Settings.Cluster.Min = 4 }, nil},
		"too alike for them": {func(r *Request) { r.Settings.Cluster.Threshold = .99 }, nil},
	} {
		if got := types(plan(t, start(), c.change).Plan); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A text that says it contradicts another memory is a question, once.
func TestContradiction(t *testing.T) {
	w := workspace{}
	w.set("rule_1", "The export runs at night.", "")
	w.set("rule_2", "The export runs at noon. This contradicts rule_1.", "")
	p := plan(t, w, func(r *Request) { r.Stages = []string{StageEdge} })
	if got := types(p.Plan); !slices.Equal(got, []string{oplog.Review}) || len(p.Plan.Actions[0].Pairs) != 1 || p.Edges[edgefile.Contradicts] != 1 {
		t.Fatalf("%q, %v", got, p.Edges)
	}
	s := w.snapshot()
	s.Review = memory.NewReviewQueue(p.Plan.Actions[0].Pairs, nil)
	again, err := Plan(context.Background(), s, Request{Settings: config.Default()})
	if err != nil || !again.Plan.Empty() {
		t.Errorf("again: %+v, %v", again.Plan.LogActions(), err)
	}
}

func TestEvents(t *testing.T) {
	var told []string
	now := int64(0)
	p := plan(t, start(), func(r *Request) {
		r.Event = func(e Event) { told = append(told, e.Event+" "+e.Stage) }
		r.Now = func() int64 { now += 5; return now }
	})
	if len(told) != 10 || told[0] != "stage_started cluster" || told[9] != "stage_finished edge" {
		t.Errorf("%q", told)
	}
	if e := p.Events[0]; e.Seen != 5 || e.Made != 1 || e.MS != 5 {
		t.Errorf("%+v", e)
	}
}

func plainSettings() config.Settings { return config.Default() }
