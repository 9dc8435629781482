package refine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/guard"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// model answers with what a function makes of a request.
type model func(r provider.Request) (string, error)

func (m model) Ask(_ context.Context, r provider.Request) (provider.Answer, error) {
	object, err := m(r)
	return provider.Answer{Object: json.RawMessage(object), Receipt: provider.Receipt{Provider: "p", Model: "m", TokensIn: 1, Key: "k"}}, err
}

var at = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func parse(t interface{ Fatal(...any) }, records ...string) *memory.Snapshot {
	var live []*memory.Memory
	for i, raw := range records {
		ms, err := memory.ParseRecords(fmt.Sprintf("global/m%d.json", i), []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, ms...)
	}
	return memory.NewSnapshot(at, live, nil)
}

func refiner(m model, apply string) *Refiner {
	set := config.Default()
	set.Deep.Apply, set.Archive.Enabled = apply, false
	return &Refiner{
		Model: m, Request: rules.Request{Settings: set},
		Reach:  func(m *memory.Memory) provider.Reach { return provider.Local },
		Judged: func(a, b *memory.Memory) bool { return false },
	}
}

const (
	older = `{"id":"mem_a","type":"factual","created_by":"D","created_at":"2026-01-01T00:00:00Z","content":"The nightly backup copies the billing database. Operators check it in the morning."}`
	newer = `{"id":"mem_b","type":"factual","created_by":"D","created_at":"2026-02-01T00:00:00Z","content":"The nightly backup copies the billing database."}`
)

func one(decision string) model {
	return func(provider.Request) (string, error) { return `{"decisions":[` + decision + `]}`, nil }
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, decision, apply string
		want                  string // types of the actions
		text                  string // of mem_b afterwards
	}{
		{"merge", `{"pair":1,"action":"MERGE","stays":"","sentences":[2],"quotes":[],"reason":"one backup","confidence":1}`, "guarded", "judge merge", "The nightly backup copies the billing database. Operators check it in the morning."},
		{"merge for review", `{"pair":1,"action":"MERGE","stays":"","sentences":[2],"quotes":[],"reason":"one backup","confidence":1}`, "review", "judge review", ""},
		{"update", `{"pair":1,"action":"UPDATE","stays":"mem_b","sentences":[2],"quotes":[],"reason":"","confidence":1}`, "guarded", "judge edit", "The nightly backup copies the billing database.\nOperators check it in the morning."},
		{"update with its own sentence", `{"pair":1,"action":"UPDATE","stays":"mem_b","sentences":[3],"quotes":[],"reason":"","confidence":1}`, "guarded", "", ""},
		{"replace of what isn't alike enough", `{"pair":1,"action":"REPLACE","stays":"mem_a","sentences":[],"quotes":[],"reason":"","confidence":1}`, "guarded", "judge merge", ""},
		{"separate", `{"pair":1,"action":"KEEP_SEPARATE","stays":"","sentences":[],"quotes":[1,3],"reason":"","confidence":0}`, "guarded", "judge", ""},
		{"skip", `{"pair":1,"action":"SKIP","stays":"","sentences":[],"quotes":[],"reason":"","confidence":0}`, "guarded", "judge", ""},
		{"unknown pair", `{"pair":2,"action":"SKIP","stays":"","sentences":[],"quotes":[],"reason":"","confidence":0}`, "guarded", "", ""},
		{"unknown id", `{"pair":1,"action":"REPLACE","stays":"mem_x","sentences":[],"quotes":[],"reason":"","confidence":0}`, "guarded", "", ""},
		{"unknown sentence", `{"pair":1,"action":"MERGE","stays":"","sentences":[4],"quotes":[],"reason":"","confidence":0}`, "guarded", "", ""},
		{"a sentence twice", `{"pair":1,"action":"MERGE","stays":"","sentences":[2,2],"quotes":[],"reason":"","confidence":0}`, "guarded", "", ""},
		{"unknown action", `{"pair":1,"action":"DELETE","stays":"","sentences":[],"quotes":[],"reason":"","confidence":0}`, "guarded", "", ""},
		{"the pair twice", `{"pair":1,"action":"SKIP"},{"pair":1,"action":"MERGE"}`, "guarded", "", ""},
	} {
		s := parse(t, older, newer)
		f := refiner(one(tt.decision), tt.apply)
		plan, report, err := f.Refine(t.Context(), s, rules.Plan(s, f.Request))
		if err != nil || len(report.Degraded) > 0 {
			t.Fatal(tt.name, err, report)
		}
		var types []string
		text := ""
		for _, a := range plan.Actions {
			types = append(types, a.Type)
			for _, op := range a.Ops {
				if ms, err := memory.ParseRecords("x.json", op.Raw); err == nil && op.ID == "mem_b" {
					text = ms[0].Text()
				}
			}
		}
		if got := strings.Join(types, " "); got != tt.want || tt.text != "" && text != tt.text {
			t.Errorf("%s: %s, %q (%+v)", tt.name, got, text, report)
		}
	}
}

func TestAnswersOfAnotherShape(t *testing.T) {
	for _, object := range []string{`{}x`, `{"decisions":{}}`, `{"decisions":[{"pair":"1"}]}`, `{"decisions":[],"more":1}`, `{"decisions":[{"pair":1,"text":"new"}]}`} {
		s := parse(t, older, newer)
		f := refiner(func(provider.Request) (string, error) { return object, nil }, "guarded")
		before := rules.Plan(s, f.Request)
		plan, report, err := f.Refine(t.Context(), s, before)
		if err != nil || len(plan.Actions) > len(before.Actions) || len(report.Degraded) == 0 {
			t.Errorf("%s: %v %+v", object, err, report)
		}
	}
}

// A batch that is too much is asked about in halves, down to one pair, and no half twice.
func TestTooMuchIsHalved(t *testing.T) {
	var records []string
	for i := range 6 {
		records = append(records, fmt.Sprintf(`{"id":"mem_%d","type":"factual","created_by":"D","created_at":"2026-01-0%dT00:00:00Z","content":"The nightly backup copies the billing database to host %d."}`, i, i+1, i))
	}
	s := parse(t, records...)
	asked := map[string]int{}
	f := refiner(func(r provider.Request) (string, error) {
		asked[r.User]++
		if len(r.IDs) > 2 {
			return "", &provider.Error{Outcome: provider.Length}
		}
		return `{"decisions":[{"pair":1,"action":"SKIP","stays":"","sentences":[],"quotes":[],"reason":"","confidence":0}]}`, nil
	}, "review")
	plan, report, err := f.Refine(t.Context(), s, &memory.Plan{At: at})
	if err != nil || report.Judged != 15 || len(plan.Actions) != 15 {
		t.Errorf("%v, %+v", err, report)
	}
	for user, n := range asked {
		if n > 1 {
			t.Errorf("asked %d times: %.60s", n, user)
		}
	}
}

func TestAFailureChangesNothing(t *testing.T) {
	s := parse(t, older, newer)
	for _, fail := range []error{&provider.Error{Outcome: provider.Timeout}, &provider.BudgetError{Limit: "run_tokens"}} {
		f := refiner(func(provider.Request) (string, error) { return "", fail }, "guarded")
		before := rules.Plan(s, f.Request)
		plan, report, err := f.Refine(t.Context(), s, before)
		if err != nil || len(report.Degraded) != 1 || len(plan.Actions) != len(before.Actions) {
			t.Errorf("%v: %v %+v", fail, err, report)
		}
	}
	broken := errors.New("disk full")
	f := refiner(func(provider.Request) (string, error) { return "", broken }, "guarded")
	if _, _, err := f.Refine(t.Context(), s, &memory.Plan{At: at}); !errors.Is(err, broken) {
		t.Errorf("a ledger that can't be written is no reason to go on: %v", err)
	}
}

func TestNothingInvisibleIsSent(t *testing.T) {
	s := parse(t, strings.Replace(older, "nightly", "night\u200bly \U000E0041", 1), newer)
	f := refiner(nil, "review")
	r, err := f.Preview(s, &memory.Plan{At: at})
	if err != nil || r == nil || strings.ContainsAny(r.User, "\u200b\U000E0041") {
		t.Errorf("%v %+v", err, r)
	}
	f.Reach = func(*memory.Memory) provider.Reach { return provider.Never }
	if r, err := f.Preview(s, &memory.Plan{At: at}); err != nil || r != nil {
		t.Errorf("sent: %v, %v", r, err)
	}
}

// Verify refuses a plan that something was slipped into.
func TestVerify(t *testing.T) {
	s := parse(t, older, newer)
	f := refiner(one(`{"pair":1,"action":"MERGE","stays":"","sentences":[2],"quotes":[],"reason":"","confidence":1}`), "guarded")
	before := &memory.Plan{At: at}
	good, _, err := f.Refine(t.Context(), s, before)
	if err != nil || Verify(s, f.Request, before, good) != nil {
		t.Fatal(err)
	}
	for name, slip := range map[string]func(p *memory.Plan){
		"a word": func(p *memory.Plan) {
			p.Actions[1].Ops[0].Raw = []byte(strings.Replace(string(p.Actions[1].Ops[0].Raw), "morning", "evening", 1))
		},
		"an op": func(p *memory.Plan) {
			p.Actions[1].Ops = append(p.Actions[1].Ops, memory.Op{Kind: memory.Remove, ID: "mem_a"})
		},
		"an action":  func(p *memory.Plan) { p.Actions = append(p.Actions[1:], p.Actions[0]) },
		"a verdict":  func(p *memory.Plan) { p.Actions[0].Verdict = rules.VerdictReplace },
		"a sentence": func(p *memory.Plan) { p.Actions[1].Chosen = []string{"All is lost."} },
		"an archive": func(p *memory.Plan) {
			p.Actions = append(p.Actions, memory.Action{Action: oplog.Action{Type: oplog.Archive, MemoryID: "mem_a"}})
		},
	} {
		p := *good
		p.Actions = slices.Clone(good.Actions)
		for i := range p.Actions {
			p.Actions[i].Ops = slices.Clone(p.Actions[i].Ops)
		}
		slip(&p)
		if Verify(s, f.Request, before, &p) == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// Whatever a model says, nothing excluded is changed, and no fact leaves what stays alive.
func TestMaliciousAnswers(t *testing.T) {
	changes := 0
	rapid.Check(t, func(t *rapid.T) {
		s := parse(t, randomRecords(t)...)
		f := refiner(func(r provider.Request) (string, error) { return randomAnswer(t, r), nil }, rapid.SampledFrom([]string{"guarded", "guarded", "guarded", "review"}).Draw(t, "apply"))
		before := &memory.Plan{At: at} // as if the rules left the duplicates
		if rapid.IntRange(0, 3).Draw(t, "rules") == 0 {
			before = rules.Plan(s, f.Request)
		}
		for range 4 {
			plan, _, err := f.Refine(context.Background(), s, before)
			if err != nil {
				t.Fatal(err)
			}
			for i := len(before.Actions); i < len(plan.Actions); i++ {
				changes += min(len(plan.Actions[i].Ops), 1)
				checkAction(t, s, f.Request, &plan.Actions[i])
			}
		}
	})
	if changes == 0 {
		t.Error("no answer has changed anything: that proves nothing")
	}
}

// randomRecords are memories of which many say nearly the same.
func randomRecords(t *rapid.T) (records []string) {
	contents := []string{
		"The nightly backup copies the billing database. Operators check it in the morning.", "The nightly backup copies the billing database.",
		"The nightly backup copies the billing database to db-7.", "The nightly backup does not copy the billing database.",
		"The nightly backup copied the billing database. Maria checked it.", "The nightly backup copies the billing databases!",
		"The nightly backup copies the billing database.", "The nightly backup copies the billing database. Operators check it in the morning.",
		"The nightly backup copies the billing database. Operators check it in the morning. Nobody else does.",
		"Every night the backup copies the billing database to another disk.", "The billing database is copied by the backup, every night. Nobody watches it.",
	}
	extras := []string{"", "", "", "", "", "", "", "", "", "", "", "", `,"priority":"critical"`, `,"tags":["protected"]`, `,"subtype":"decision"`, `,"protected":true`}
	for i := range rapid.IntRange(2, 7).Draw(t, "memories") {
		author := rapid.SampledFrom([]string{"D", "D", "D", "D", "D", "D", "D", "USER"}).Draw(t, "author")
		created := rapid.SampledFrom([]string{"2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-04-15", "2026-05-30"}).Draw(t, "created")
		kind := rapid.SampledFrom([]string{"factual", "factual", "factual", "factual", "semantic"}).Draw(t, "type")
		records = append(records, fmt.Sprintf(`{"id":"mem_%d","type":%q,"created_by":%q,"created_at":"%sT00:00:00Z","content":%q%s}`, i, kind, author, created,
			rapid.SampledFrom(contents).Draw(t, "content"), rapid.SampledFrom(extras).Draw(t, "extra")))
	}
	return records
}

// randomAnswer is an answer that is sometimes right, and often not.
func randomAnswer(t *rapid.T, r provider.Request) string {
	if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
		return rapid.SampledFrom([]string{`{}`, `[]`, `{"decisions":[{}]}`, `{"decisions":null}`, `{"decisions":[{"pair":1e9}]}`}).Draw(t, "shape")
	}
	ids := append([]string{"", "mem_none", "../x"}, r.IDs...)
	var all []Decision
	for pair := range len(r.IDs) / 2 { // these may stand
		all = append(all, Decision{
			Pair: pair + 1, Action: rapid.SampledFrom([]string{"MERGE", "MERGE", "REPLACE", "UPDATE", "KEEP_SEPARATE", "SKIP"}).Draw(t, "verdict"),
			Stays:     rapid.SampledFrom(append([]string{""}, r.IDs[2*pair:2*pair+2]...)).Draw(t, "who"),
			Sentences: rapid.SliceOfNDistinct(rapid.IntRange(1, 3), 0, 2, rapid.ID).Draw(t, "numbers"), Quotes: rapid.SliceOfNDistinct(rapid.IntRange(1, 2), 0, 2, rapid.ID).Draw(t, "shown"),
			Reason: rapid.StringN(0, 20, -1).Draw(t, "why"), Confidence: rapid.Float64Range(0, 1).Draw(t, "sure"),
		})
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 8}).Draw(t, "others") { // these hardly
		all = append(all, Decision{
			Pair:      rapid.IntRange(-1, len(r.IDs)/2+1).Draw(t, "pair"),
			Action:    rapid.SampledFrom([]string{"MERGE", "MERGE", "REPLACE", "UPDATE", "KEEP_SEPARATE", "SKIP", "DELETE", ""}).Draw(t, "action"),
			Stays:     rapid.SampledFrom(ids).Draw(t, "stays"),
			Sentences: rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(t, "sentences"), Quotes: rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "quotes"),
			Reason: rapid.String().Draw(t, "reason"), Confidence: rapid.Float64Range(-.1, 1.1).Draw(t, "confidence"),
		})
	}
	text, err := json.Marshal(map[string]any{"decisions": all})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkAction looks at what an action comes to, without asking how it was made.
func checkAction(t *rapid.T, s *memory.Snapshot, r rules.Request, a *memory.Action) {
	var sources, living []string
	for _, op := range a.Ops {
		m := s.Live(op.ID)
		reason, _ := rules.Untouchable(m, r.Settings.Exclude)
		if reason != "" || m.CreatedBy == "USER" || m.Type == memory.Semantic && m.Subtype == "decision" || m.CreatedAt.After(at.AddDate(0, 0, -7)) {
			t.Fatalf("%s of %s, which is excluded", a.Type, op.ID)
		}
		sources = append(sources, m.Text())
		if op.Kind == memory.Put {
			ms, err := memory.ParseRecords("x.json", op.Raw)
			if err != nil {
				t.Fatal(err)
			}
			living = append(living, ms[0].Text())
		}
	}
	if lost := guard.Lost(sources, living); len(lost) > 0 {
		t.Fatalf("%s loses %v", a.Type, lost)
	}
}

// A pair that waits for a person is asked about only if the run is about one of its memories.
func TestWaitingPairsOutsideTheRun(t *testing.T) {
	s := parse(t, older, newer)
	before := &memory.Plan{At: at, Actions: []memory.Action{{Pairs: []review.Pair{{A: "mem_a", B: "mem_b"}}}}}
	day := func(month time.Month) time.Time { return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		request rules.Request
		want    int
	}{
		"all": {rules.Request{}, 1}, "since the newer": {rules.Request{Since: day(2)}, 1}, "since later": {rules.Request{Since: day(3)}, 0},
		"until before": {rules.Request{Until: day(1)}, 0}, "type": {rules.Request{Type: "factual"}, 1}, "another type": {rules.Request{Type: "episodic"}, 0},
	} {
		f := refiner(nil, "review")
		tt.request.Settings = f.Request.Settings
		f.Request = tt.request
		if found, _ := f.Candidates(s, before); len(found) != tt.want {
			t.Errorf("%s: %d pairs, want %d", name, len(found), tt.want)
		}
	}
}
