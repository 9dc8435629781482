package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// limitsAt is when the cases of this file plan.
var limitsAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// before gives a time so long before limitsAt.
func before(d time.Duration) string { return limitsAt.Add(-d).Format(time.RFC3339) }

const aDay = 24 * time.Hour

// planOf plans records, one to a line: a file name, a blank and the members of an object.
func planOf(t *testing.T, trigger, settings string, lines ...string) *memory.Plan {
	t.Helper()
	var all []*memory.Memory
	for _, line := range lines {
		file, members, _ := strings.Cut(line, " ")
		ms, err := memory.ParseRecords(file, []byte("{"+members+"}"))
		if err != nil || len(ms) != 1 {
			t.Fatalf("%s: %d memories, %v", line, len(ms), err)
		}
		all = append(all, ms[0])
	}
	c, err := config.Parse("memory.toml", []byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	return rules.Plan(memory.NewSnapshot(limitsAt, all, nil), rules.Request{Trigger: trigger, Settings: c.Settings})
}

// did names the actions of a plan: what was done to which memory.
func did(plan *memory.Plan) string {
	var all []string
	for _, a := range plan.LogActions() {
		id := a.MemoryID
		if a.Type == oplog.Merge {
			id = strings.Join(a.SourceIDs, "+")
		}
		all = append(all, a.Type+" "+id)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// note is a record that no rule takes unless something is added to it.
func note(id, members string) string {
	return fmt.Sprintf(`agents/DEV-001/%s.json "id":%q,"type":"factual","scope":"agent","scope_id":"DEV-001","created_by":"DEV-001",%s`, id, id, members)
}

// Each limit of the rules on both sides: at the limit, and just beyond it.
func TestLimits(t *testing.T) {
	const same = `"content":"The lamp at gate 4 is green and is changed by the porter."`
	read := `"access_count":1,"last_accessed":"` + before(aDay) + `"`
	old := `"created_at":"` + before(60*aDay) + `",` + read
	longAgo := `"created_at":"` + before(300*aDay) + `"`
	pair := func(tags string) []string {
		return []string{note("a", old+`,"tags":["a","b","c","d"],`+same), note("b", old+`,"tags":[`+tags+`],`+same)}
	}
	episode := func(age time.Duration, chars int) string {
		sentence := "The build of branch 7 failed at 10:15 with error E42. "
		details := strings.Repeat(sentence, chars/len(sentence)+1)[:chars]
		return note("e", fmt.Sprintf(`"created_at":%q,%s,"content":{"details":%q}`, before(age), read, details))
	}
	episodic := func(line string) string { return strings.Replace(line, "factual", "episodic", 1) }
	procedure := func(scope, id string, reads int) string {
		return fmt.Sprintf(`%ss/%s/p.json "id":"p","type":"procedural","scope":%q,"scope_id":%q,"created_at":%q,"access_count":%d,"last_accessed":%q,"content":"Drain the node first."`,
			scope, id, scope, id, before(30*aDay), reads, before(aDay))
	}
	lastRead := func(ago time.Duration) string {
		return note("m", fmt.Sprintf(`"created_at":%q,"access_count":1,"last_accessed":%q,%s`, before(200*aDay), before(ago), same))
	}
	young := func(age time.Duration) []string {
		born := fmt.Sprintf(`"created_at":%q,%s,%s`, before(age), read, same)
		return []string{note("a", born), note("b", born)}
	}
	ttl := func(age time.Duration) string {
		return note("m", fmt.Sprintf(`"created_at":%q,"ttl":"PT48H",%s,%s`, before(age), read, same))
	}
	working := func(members string) string {
		return fmt.Sprintf(`sessions/s/w.json "id":"w","type":"working","created_by":"DEV-001","created_at":%q,%s,"content":"Port 8081 is taken."`, before(time.Hour), members)
	}
	var unread []string
	for i := range 51 {
		unread = append(unread, note(fmt.Sprintf("m%02d", i), fmt.Sprintf(`"created_at":%q,"content":"Note %d about crate %d."`, before(60*aDay), i, i)))
	}
	merged51 := slices.Concat(young(60*aDay), unread[:49])

	for _, tt := range []struct {
		name, trigger, settings string
		lines                   []string
		want                    string
	}{
		{"tag overlap of .80", "", "", pair(`"a","b","c","d","e"`), ""},
		{"tag overlap of .83", "", "", []string{note("a", old+`,"tags":["a","b","c","d","e"],`+same), note("b", old+`,"tags":["a","b","c","d","e","f"],`+same)}, "merge a"},
		{"content similarity at the limit", "", "[merge]\ncontent_similarity = 1", pair(`"a","b","c","d"`), ""},
		{"content similarity above", "", "[merge]\ncontent_similarity = 0.99", pair(`"a","b","c","d"`), "merge a"},
		{"no tags on either side", "", "", young(60 * aDay), "merge a"},
		{"tags on one side", "", "", []string{note("a", old+`,"tags":["a"],`+same), note("b", old+`,`+same)}, ""},
		{"7 days old", "", "", young(7 * aDay), "merge a"},
		{"younger than 7 days", "", "", young(7*aDay - time.Second), ""},

		{"30 days old", "", "", []string{episodic(episode(30*aDay, 5001))}, ""},
		{"over 30 days old", "", "", []string{episodic(episode(30*aDay+time.Second, 5001))}, "summarize e"},
		{"5000 characters", "", "", []string{episodic(episode(60*aDay, 5000))}, ""},
		{"not episodic", "", "", []string{episode(60*aDay, 5001)}, ""},

		{"read 4 times", "", "", []string{procedure("agent", "DEV-001", 4)}, ""},
		{"read 5 times", "", "", []string{procedure("agent", "DEV-001", 5)}, "promote p"},
		{"of a team, read 9 times", "", "", []string{procedure("team", "qa", 9)}, ""},
		{"of a team, read 10 times", "", "", []string{procedure("team", "qa", 10)}, "promote p"},
		{"of a project", "", "", []string{procedure("project", "web", 50)}, ""},

		{"last read 90 days ago", "", "", []string{lastRead(90 * aDay)}, ""},
		{"last read before", "", "", []string{lastRead(90*aDay + time.Second)}, "archive m"},
		{"never read, under 7 days old", "", "", []string{note("m", `"created_at":"`+before(7*aDay-time.Second)+`",`+same)}, ""},
		{"never read, over 7 days old", "", "", []string{note("m", `"created_at":"`+before(7*aDay+time.Second)+`",`+same)}, "archive m"},
		{"never read, says its count, read yesterday", "", "", []string{note("m", longAgo+`,"access_count":0,"last_accessed":"`+before(aDay)+`",`+same)}, "archive m"},
		{"careful: never read for 89 days", "", `preset = "careful"`, []string{note("m", `"created_at":"`+before(89*aDay)+`",`+same)}, ""},
		{"careful: never read for 90 days", "", `preset = "careful"`, []string{note("m", `"created_at":"`+before(90*aDay)+`",`+same)}, "archive m"},
		{"careful: written 89 days ago", "", `preset = "careful"`, []string{note("m", longAgo+`,"updated_at":"`+before(89*aDay)+`",`+same)}, ""},
		{"careful: written 90 days ago", "", `preset = "careful"`, []string{note("m", longAgo+`,"updated_at":"`+before(90*aDay)+`",`+same)}, "archive m"},
		{"careful: read yesterday, and not counted", "", `preset = "careful"`, []string{note("m", longAgo+`,"access_count":0,"last_accessed":"`+before(aDay)+`",`+same)}, ""},
		{"careful: read 90 days ago", "", `preset = "careful"`, []string{note("m", longAgo+`,"access_count":2,"last_accessed":"`+before(90*aDay)+`",`+same)}, ""},
		{"careful: read before", "", `preset = "careful"`, []string{note("m", longAgo+`,"access_count":2,"last_accessed":"`+before(90*aDay+time.Second)+`",`+same)}, "archive m"},
		{"careful: read long ago, written an hour ago", "", `preset = "careful"`, []string{note("m", longAgo+`,"updated_at":"`+before(time.Hour)+`","access_count":2,"last_accessed":"`+before(100*aDay)+`",`+same)}, ""},

		{"ttl of 48 hours at its end", "", "", []string{ttl(48 * time.Hour)}, ""},
		{"ttl of 48 hours passed", "", "", []string{ttl(48*time.Hour + time.Second)}, "archive m"},

		{"importance .7", "session_end", "", []string{working(`"importance":0.7`)}, "archive w"},
		{"importance .71", "session_end", "", []string{working(`"importance":0.71`)}, "promote w"},
		{"read twice", "session_end", "", []string{working(`"access_count":2`)}, "archive w"},
		{"read thrice", "session_end", "", []string{working(`"access_count":3`)}, "promote w"},
		{"priority high", "session_end", "", []string{working(`"priority":"high"`)}, "promote w"},
		{"critical", "session_end", "", []string{working(`"priority":"critical"`)}, ""},
		{"the session goes on", "threshold", "", []string{working(`"importance":0.7`)}, ""},
		{"the session goes on, worth keeping", "threshold", "", []string{working(`"importance":0.71`)}, "promote w"},
		{"the session goes on, not expired", "threshold", "", []string{working(`"ttl":"PT1H"`)}, ""},
		{"the session goes on, expired", "threshold", "", []string{working(`"ttl":"PT59M"`)}, "archive w"},

		{"merge off", "", "[merge]\nenabled = false", young(60 * aDay), ""},
		{"summarise off", "", "[summarise]\nenabled = false", []string{episodic(episode(60*aDay, 5001))}, ""},
		{"promote off", "", "[promote]\nenabled = false", []string{procedure("agent", "DEV-001", 5)}, ""},
		{"archive off", "", "[archive]\nenabled = false", []string{lastRead(100 * aDay)}, ""},
		{"expired off", "", "[expired]\nenabled = false", []string{ttl(72 * time.Hour)}, ""},
		{"working off", "session_end", "[working]\nenabled = false", []string{working(`"importance":0.71`)}, ""},

		{"50 memories", "", "", unread[:50], strings.Join(archives(unread[:50]), ", ")},
		{"51 memories", "", "", unread, strings.Join(archives(unread[:50]), ", ")},
		{"51 memories, 2 of them merged", "", "", merged51, strings.Join(append(archives(unread[:48]), "merge a"), ", ")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := planOf(t, tt.trigger, tt.settings, tt.lines...)
			if got := did(plan); got != tt.want {
				t.Errorf("did %q, want %q; left alone: %v", got, tt.want, plan.Skipped)
			}
			if over := len(tt.lines) - 50; over > 0 && len(plan.Deferred) != over {
				t.Errorf("%d are deferred, want %d", len(plan.Deferred), over)
			}
		})
	}
}

// The preset "careful" counts what an agent was given, too.
func TestCarefulCountsGifts(t *testing.T) {
	c, err := config.Parse("memory.toml", []byte(`preset = "careful"`))
	if err != nil {
		t.Fatal(err)
	}
	for ago, want := range map[time.Duration]string{90 * aDay: "", 90*aDay + time.Second: "archive m"} {
		m, err := memory.OneRecord("agents/DEV-001/m.json", fmt.Appendf(nil, `{"id":"m","type":"factual","created_by":"DEV-001","created_at":%q,"content":"The lamp is green."}`, before(300*aDay)))
		if err != nil {
			t.Fatal(err)
		}
		snap := memory.NewSnapshot(limitsAt, []*memory.Memory{m}, nil)
		snap.Given = map[string]memory.Usage{"m": {N: 1, At: limitsAt.Add(-ago)}}
		if got := did(rules.Plan(snap, rules.Request{Settings: c.Settings})); got != want {
			t.Errorf("given %s ago: did %q, want %q", ago, got, want)
		}
	}
}

// archives names the archiving of memories that note made.
func archives(lines []string) (all []string) {
	for _, line := range lines {
		file, _, _ := strings.Cut(line, " ")
		all = append(all, "archive "+strings.TrimSuffix(strings.TrimPrefix(file, "agents/DEV-001/"), ".json"))
	}
	return all
}

// A merge keeps the highest importance and priority, and the lowest confidence.
func TestMergeKeepsTheHighestImportance(t *testing.T) {
	for _, tt := range []struct{ older, newer, want string }{
		{`"importance":0.9,`, `"importance":0.2,`, "0.9"},
		{`"importance":0.2,`, `"importance":0.90,`, "0.90"},
		{`"importance":1,`, ``, "1"},
		{``, `"importance":0.4,`, "0.4"},
		{`"importance":"great",`, `"importance":0.4,`, "0.4"},
		{``, ``, ""},
	} {
		const same = `"content":"The lamp at gate 4 is green."`
		plan := planOf(t, "", "", note("a", tt.older+`"created_at":"`+before(60*aDay)+`",`+same), note("b", tt.newer+`"created_at":"`+before(50*aDay)+`",`+same))
		if did(plan) != "merge a" {
			t.Fatalf("%+v: %s", tt, did(plan))
		}
		ms, err := memory.ParseRecords("b.json", plan.Actions[0].Ops[0].Raw)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, rest, ok := strings.Cut(string(ms[0].Raw()), `"importance":`); ok {
			got = strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == '}' })[0]
		}
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("%q and %q: importance %q, want %q", tt.older, tt.newer, got, tt.want)
		}
	}
}

// The index that overflows is the scope of its run.
func TestIndexOverflowIsLoggedWithItsIndex(t *testing.T) {
	for entries, want := range map[int]string{100: "", 101: "global/_index.json"} {
		var all []*memory.Memory
		for i := range entries {
			ms, err := memory.ParseRecords(fmt.Sprintf("global/m%d.json", i), fmt.Appendf(nil, `{"id":"m%d","type":"factual","created_at":%q,"content":"x"}`, i, before(60*aDay)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ms...)
		}
		snap := memory.NewSnapshot(limitsAt, all, nil)
		index := memory.NewIndex("global/_index.json", false, func() []byte { return nil })
		index.Own(all)
		snap.Indexes = []*memory.Index{index}
		plan := rules.Plan(snap, rules.Request{Trigger: rules.IndexOverflow, Settings: config.Default()})
		if plan.Scope != want || plan.Empty() != (want == "") {
			t.Errorf("%d entries: scope %q, did %q", entries, plan.Scope, did(plan))
		}
	}
}

// A timeline of six entries stays whole; of a longer one the first and the last three stay.
func TestTimeline(t *testing.T) {
	for entries, want := range map[int]string{6: `["1","2","3","4","5","6"]`, 7: `["1","2","3","5","6","7"]`, 20: `["1","2","3","18","19","20"]`} {
		var list []string
		for i := range entries {
			list = append(list, fmt.Sprintf("%q", fmt.Sprint(i+1)))
		}
		details := strings.Repeat("The build of branch 7 failed at 10:15 with error E42. ", 100)
		plan := planOf(t, "", "", fmt.Sprintf(`global/e.json "id":"e","type":"episodic","created_at":%q,"access_count":1,"last_accessed":%q,"content":{"details":%q,"timeline":[%s]}`,
			before(60*aDay), before(aDay), details, strings.Join(list, ",")))
		if did(plan) != "summarize e" {
			t.Fatalf("%d entries: %s", entries, did(plan))
		}
		_, rest, _ := strings.Cut(string(plan.Actions[0].Ops[0].Raw), `"timeline":`)
		if got, _, _ := strings.Cut(rest, "]"); strings.Join(strings.Fields(got+"]"), "") != want {
			t.Errorf("%d entries: %s, want %s", entries, got, want)
		}
	}
}
