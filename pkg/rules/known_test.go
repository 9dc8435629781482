package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// shape says what the memories of a drawn workspace have in common.
type shape struct {
	tags  []string // JSON
	texts func(t *rapid.T) string
	kinds []string
}

var subjects = []string{"orders queue", "billing export", "search cluster", "login page"}

// sentence is one of many that are alike, in a series, or updates of each other.
func sentence(t *rapid.T) string {
	subject := rapid.SampledFrom(subjects).Draw(t, "subject")
	n := rapid.IntRange(0, 3).Draw(t, "n")
	switch rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("The %s of the shop is restarted by the operators after %d failures in a row, before anybody is called.", subject, n)
	case 1:
		return fmt.Sprintf("The %s of the shop is never restarted by the operators after some failures in a row, before anybody is called.", subject)
	case 2:
		return fmt.Sprintf("The owner of the %s is %s.", subject, []string{"Ana Silva", "Ben Okafor", "Chen Wei", "Dana Fox"}[n])
	case 3:
		return fmt.Sprintf("We switched from Jenkins to Tekton to deploy the %s. It took %d days.", subject, n)
	case 4:
		return fmt.Sprintf("This supersedes m%d.", rapid.IntRange(0, 30).Draw(t, "cited"))
	case 5:
		return " "
	}
	return fmt.Sprintf("We deploy the %s with Jenkins.", subject)
}

func long(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(1, 40).Draw(t, "sentences") {
		b.WriteString(sentence(t) + " ")
	}
	return b.String()
}

var shapes = map[string]shape{
	"mixed":         {tags: []string{`["a","b","c"]`, `["a","b"]`, `["c"]`, `[]`, `["a","b","c","d","e","f"]`, `["B ","a","c"]`}, texts: sentence, kinds: []string{"semantic", "semantic", "procedural", "episodic", "working"}},
	"the same tags": {tags: []string{`["a","b"]`}, texts: sentence, kinds: []string{"semantic"}},
	"no tags":       {tags: []string{`[]`}, texts: sentence, kinds: []string{"semantic", "Semantic "}},
	"one tag":       {tags: []string{`["a"]`, `["b"]`}, texts: sentence, kinds: []string{"semantic"}},
	"equal": {tags: []string{`["a"]`}, kinds: []string{"semantic"}, texts: func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"The queue is drained before it is restarted by anybody.", "The queue is drained before it is restarted by anyone.", "Buttons are green."}).Draw(t, "text")
	}},
	"series": {tags: []string{`["a"]`}, kinds: []string{"semantic"}, texts: func(t *rapid.T) string {
		return fmt.Sprintf("The nightly export of the shop wrote %d rows to the warehouse without an error.", rapid.IntRange(0, 9999).Draw(t, "rows"))
	}},
	"long": {tags: []string{`["a","b"]`, `["a"]`}, texts: long, kinds: []string{"semantic", "episodic"}},
}

// record is a drawn memory.
func record(t *rapid.T, s shape, id string) string {
	born := storetest.At.AddDate(0, 0, -rapid.IntRange(0, 40).Draw(t, "born"))
	updated := born.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "updated")) * time.Hour)
	extra := ""
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		extra = rapid.SampledFrom([]string{`,"priority":"critical"`, `,"protected":true`, `,"supersedes":["m3"]`, `,"created_by":"USER"`, `,"promoted_to":["m1"]`}).Draw(t, "extra")
	}
	content, _ := json.Marshal(s.texts(t))
	return fmt.Sprintf(`{"id":%q,"type":%q,"created_at":%q,"updated_at":%q,"tags":%s,"access_count":%d,"last_accessed":%q,"content":%s%s}`,
		id, rapid.SampledFrom(s.kinds).Draw(t, "type"), born.Format(time.RFC3339), updated.Format(time.RFC3339),
		rapid.SampledFrom(s.tags).Draw(t, "tags"), rapid.IntRange(0, 9).Draw(t, "reads"), storetest.At.Format(time.RFC3339), content, extra)
}

// drawnSnapshot reads files as a store would.
func drawnSnapshot(t *rapid.T, files map[string]string, at time.Time, derives bool) *workspace.Snapshot {
	var live []*workspace.Memory
	for _, name := range slices.Sorted(maps.Keys(files)) {
		ms, err := workspace.ParseRecords(name, []byte(files[name]))
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, ms...)
	}
	s := workspace.NewSnapshot(at, live, nil)
	if derives {
		s.DeriveWith(rules.Derive)
	}
	return s
}

// whole is all that a plan says.
func whole(t *rapid.T, plan *workspace.Plan) string {
	text, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range plan.Actions {
		text = fmt.Appendf(text, "\n%+v", a.Pairs)
		for _, op := range a.Ops {
			text = fmt.Appendf(text, "\n%s %s %s %s %s", op.Kind, op.Ref, op.Base, op.To, op.Raw)
		}
	}
	return string(text)
}

// However a workspace, the settings and the clock change: the plan that knows what
// earlier ones found is the plan that knows nothing.
func TestKnowingChangesNothing(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(name, func(t *testing.T) {
			replayed, acted := 0, 0
			rapid.Check(t, func(t *rapid.T) { knowing(t, shapes[name], &replayed, &acted) })
			if replayed == 0 || acted == 0 {
				t.Errorf("%d plans knew all before, %d had actions: nothing was tested", replayed, acted)
			}
		})
	}
}

func knowing(t *rapid.T, s shape, replayed, acted *int) {
	files := map[string]string{}
	place := func() string {
		i := rapid.IntRange(0, 30).Draw(t, "i")
		return fmt.Sprintf("%s/m%d.json", rapid.SampledFrom([]string{"agents/A-1", "agents/A-1", "agents/A-1", "teams/x"}).Draw(t, "dir"), i)
	}
	id := func(name string) string {
		return strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".json") // in two places: not unique
	}
	for range rapid.IntRange(2, 30).Draw(t, "memories") {
		name := place()
		files[name] = record(t, s, id(name))
	}
	at := storetest.At
	req := rules.Request{Settings: config.Default()}
	req.Settings.Run.Limit = rapid.IntRange(2, 40).Draw(t, "limit")
	var last *workspace.Snapshot
	var known []byte
	for range rapid.IntRange(2, 8).Draw(t, "steps") {
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			switch name := place(); rapid.IntRange(0, 3).Draw(t, "edit") {
			case 0:
				delete(files, name)
			case 1:
				if had := files[name]; had != "" { // the same bytes elsewhere
					delete(files, name)
					files["teams/y/"+id(name)+".json"] = had
				}
			default:
				files[name] = record(t, s, id(name))
			}
		}
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0:
			at = at.Add(time.Duration(rapid.IntRange(-100, 400).Draw(t, "hours")) * time.Hour)
		case 1:
			req.Settings.Merge.DistinctFacts = rapid.SampledFrom([]string{"review", "latest-wins"}).Draw(t, "facts")
		case 2:
			req.Settings.Merge.ContentSimilarity = rapid.SampledFrom([]float64{0.5, 0.8}).Draw(t, "content")
		case 3:
			req.Settings.Run.Limit = rapid.IntRange(2, 400).Draw(t, "limit")
		case 4:
			req.Settings.Exclude.ConsentUser = !req.Settings.Exclude.ConsentUser
		}
		req.Scope, req.Trigger = nil, rules.Manual
		switch rapid.IntRange(0, 9).Draw(t, "request") {
		case 0:
			req.Scope = &workspace.Scope{Kind: "agent", ID: "A-1"}
		case 1:
			req.Trigger = rules.SessionEnd
		}
		snap := drawnSnapshot(t, files, at, rapid.Bool().Draw(t, "derives"))
		if last != nil && rapid.IntRange(0, 9).Draw(t, "follows") > 0 {
			snap.Follow(last.Rows())
		}
		if rapid.Bool().Draw(t, "late") {
			for _, m := range snap.Memories() {
				if rapid.IntRange(0, 3).Draw(t, "put off") == 0 {
					snap.Deferred = append(snap.Deferred, m.ID)
				}
			}
		}
		want := rules.Plan(drawnLike(snap, t, files, at), req)
		plan, found := planKnowing(snap, req, known)
		if diff := cmp.Diff(whole(t, want), whole(t, plan)); diff != "" {
			t.Fatalf("-without +with what earlier plans found: %s", diff)
		}
		if len(plan.Actions) > 0 {
			*acted++
		}
		if req.Scope != nil || req.Trigger != rules.Manual {
			continue // says nothing about the rest: what is known stays so
		}
		again := drawnSnapshot(t, files, at, true)
		again.Follow(snap.Rows())
		again.Deferred = snap.Deferred
		plan, same := planKnowing(again, req, found)
		if diff := cmp.Diff(whole(t, want), whole(t, plan)); diff != "" {
			t.Fatalf("-without +with what the same plan found: %s", diff)
		}
		if len(same) == 0 || &same[0] != &found[0] {
			t.Fatal("a plan of the same workspace found something else")
		}
		*replayed++
		last, known = snap, found
	}
}

// drawnLike reads files once more, so that nothing is known of them.
func drawnLike(s *workspace.Snapshot, t *rapid.T, files map[string]string, at time.Time) *workspace.Snapshot {
	fresh := drawnSnapshot(t, files, at, false)
	fresh.Deferred = s.Deferred
	return fresh
}

// brokenSnapshot is a workspace with duplicates, updates and names.
func brokenSnapshot(t testing.TB) (*workspace.Snapshot, rules.Request) {
	var live []*workspace.Memory
	for i, text := range []string{
		"The queue of the shop is restarted by the operators after 3 failures in a row.", "The queue of the shop is restarted by the operators after 4 failures in a row.",
		"The queue of the shop is restarted by the operators after 4 failures in a row!", "The owner of the queue is Ana Silva.", "The owner of the queue is Ben Okafor.",
		"This supersedes m3.", "Buttons are green.",
	} {
		at := storetest.At.AddDate(0, 0, i-20).Format(time.RFC3339)
		ms, err := workspace.ParseRecords(fmt.Sprintf("m%d.json", i), fmt.Appendf(nil,
			`{"id":"m%d","type":"semantic","created_at":%q,"tags":["a"],"access_count":1,"last_accessed":%q,"content":%q}`, i, at, storetest.At.Format(time.RFC3339), text))
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, ms...)
	}
	s := workspace.NewSnapshot(storetest.At, live, nil)
	s.Follow(s.Rows())
	return s, rules.Request{Settings: config.Default()}
}

// Whatever is taken for findings, nothing panics.
func FuzzPlanKnowing(f *testing.F) {
	s, req := brokenSnapshot(f)
	plan, known := planKnowing(s, req, nil)
	if len(plan.Actions) < 2 || len(known) < 500 {
		f.Fatalf("%d actions, findings of %d bytes", len(plan.Actions), len(known))
	}
	f.Add(known)
	for i := 0; i < len(known); i += 3 {
		cut := slices.Clone(known)
		cut[i] ^= 0x55
		f.Add(cut)
		f.Add(known[:i])
	}
	f.Fuzz(func(t *testing.T, known []byte) {
		s, req := brokenSnapshot(t)
		_, found := planKnowing(s, req, known)
		planKnowing(s, req, found)
	})
}

// So many changes in one part that it is searched anew, and so many memories that were
// duplicates of one that is gone.
func TestKnowingManyChanges(t *testing.T) {
	const n = 700
	text := func(i, turn int) string {
		return fmt.Sprintf("The %s of the shop is restarted by the operators after some failures in a row, says note %s of turn %s.",
			subjects[i%len(subjects)], string(rune('a'+i%7)), string(rune('a'+turn)))
	}
	read := func(i, turn int) *workspace.Memory {
		at := storetest.At.Add(time.Duration(-30*24*60+i) * time.Minute).Format(time.RFC3339)
		ms, err := workspace.ParseRecords(fmt.Sprintf("m%03d.json", i), fmt.Appendf(nil,
			`{"id":"m%d","type":"semantic","created_at":%q,"tags":["a"],"access_count":1,"last_accessed":%q,"content":%q}`,
			i, at, storetest.At.Format(time.RFC3339), text(i, turn)))
		if err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	live := make([]*workspace.Memory, n)
	for i := range live {
		live[i] = read(i, 0)
	}
	last := workspace.NewSnapshot(storetest.At, live, nil)
	req := rules.Request{Settings: config.Default()}
	req.Settings.Run.Limit = 2 * n
	_, known := planKnowing(last, req, nil)
	for turn, change := range []func(i int) bool{
		func(i int) bool { return i >= n-4 },          // the freshest, which others were duplicates of
		func(i int) bool { return i%2 == 0 },          // more than are compared one by one
		func(i int) bool { return i == 3 || i > 690 }, // few
	} {
		var next []*workspace.Memory
		for i, m := range last.Memories() {
			switch {
			case turn == 0 && change(i): // gone
				continue
			case change(i):
				m = read(i, turn)
			}
			next = append(next, m)
		}
		s := workspace.NewSnapshot(storetest.At, next, nil)
		s.Follow(last.Rows())
		want, err := json.Marshal(rules.Plan(s, req))
		if err != nil {
			t.Fatal(err)
		}
		plan, found := planKnowing(s, req, known)
		got, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("turn %d: -without +with what earlier plans found: %s", turn, diff)
		}
		if len(plan.Actions) == 0 {
			t.Fatalf("turn %d: no actions", turn)
		}
		last, known = s, found
	}
	var err error
	if req.Settings.Exclude.MinAge, err = config.ParseDuration("90d"); err != nil { // nothing is taken out any more
		t.Fatal(err)
	}
	last.Follow(last.Rows())
	want, err := json.Marshal(rules.Plan(last, req))
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := planKnowing(last, req, known)
	if got, err := json.Marshal(plan); err != nil || string(got) != string(want) {
		t.Fatalf("when nothing may be changed: %v, without and with what earlier plans found:\n%s\n%s", err, want, got)
	}
}

// planKnowing is [rules.PlanKnowing] for who wants the bytes of the findings.
func planKnowing(s *workspace.Snapshot, req rules.Request, known []byte) (*workspace.Plan, []byte) {
	req.Progress = func(done, total int) error {
		if done > total {
			panic(fmt.Sprintf("%d of %d compared", done, total))
		}
		return nil
	}
	plan, found, err := rules.PlanKnowing(s, req, known)
	if err != nil {
		panic(err)
	}
	if found == nil {
		return plan, nil
	}
	return plan, found.Bytes()
}
