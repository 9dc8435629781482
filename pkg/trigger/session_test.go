package trigger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/sessionfile"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// sight is what Look knows of files with working memories, each written so many
// minutes ago, and with records.
type file struct {
	name    string
	ago     time.Duration
	text    string
	records []sessionfile.Record
	broken  bool
}

func sight(t interface{ Fatal(...any) }, now time.Time, begun []memory.Session, files ...file) Facts {
	var all []*memory.Memory
	var seen []sessionfile.File
	for _, f := range files {
		seen = append(seen, sessionfile.File{Name: f.name, Touched: now.Add(-f.ago), Broken: f.broken, Records: f.records})
		if f.text == "" {
			continue
		}
		memories, err := memory.ParseRecords(f.name, []byte(f.text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, memories...)
	}
	return FactsOf(memory.NewSnapshot(now, all, nil), seen, begun)
}

func note(id string) string {
	return fmt.Sprintf(`{"id":%q,"type":"working","created_at":"2026-03-04T08:00:00Z","content":"A note."}`, id)
}

func ended(session, agent string, at time.Time) []sessionfile.Record {
	return []sessionfile.Record{{Session: session, Agent: agent, Said: sessionfile.Ended, Ended: at}}
}

// settled plans every end that is due, and lists the ids by the key of the session.
func settled(t interface{ Fatal(...any) }, f Facts, now time.Time, memories ...*memory.Memory) map[string]string {
	c, got := settings("", ""), map[string]string{}
	for _, d := range look(t, &State{}, c, f, now, time.UTC) {
		if d.Trigger != rules.SessionEnd {
			t.Fatal("due: ", d)
		}
		ending, ok := f.Ending(c.Triggers, d.Session, now)
		if !ok {
			t.Fatal(d.Session, " is due, and goes on")
		}
		plan := rules.Plan(memory.NewSnapshot(now, memories, nil), rules.Request{Trigger: rules.SessionEnd, Settings: c, Ending: ending})
		var ids []string
		for _, a := range plan.Actions {
			ids = append(ids, a.Members()...)
		}
		slices.Sort(ids)
		got[d.Session] = strings.Join(ids, " ")
	}
	return got
}

func TestSessionsThatEnded(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	ongoing := []sessionfile.Record{{Session: "s1", Said: sessionfile.Ongoing}}
	for _, tt := range []struct {
		name  string
		begun []memory.Session
		files []file
		want  map[string]string
	}{
		{name: "its file says so", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(-hour))},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "a file of another name says so", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/current.json", ago: hour, records: ended("s1", "", time.Time{})},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "it goes on", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: day, records: ongoing},
		}},
		{name: "nobody says anything, and it is fresh", files: []file{{name: "sessions/s1/a.json", ago: 6 * day, text: note("a")}}},
		{name: "nobody has touched it", files: []file{
			{name: "sessions/s1/a.json", ago: 8 * day, text: note("a")},
			{name: "sessions/s1/b.json", ago: 7 * day, text: note("b")},
		}, want: map[string]string{"session:s1": "a b"}},
		{name: "a part of it was touched", files: []file{
			{name: "sessions/s1/a.json", ago: 8 * day, text: note("a")},
			{name: "sessions/s1/b.json", ago: 6 * day, text: note("b")},
		}},
		{name: "its file says that it goes on, long ago", files: []file{
			{name: "sessions/s1/a.json", ago: 9 * day, text: note("a")},
			{name: "sessions/s1.json", ago: 8 * day, records: ongoing},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "it was active by its own word", files: []file{
			{name: "sessions/s1/a.json", ago: 9 * day, text: note("a")},
			{name: "sessions/s1.json", ago: 8 * day, records: []sessionfile.Record{{Session: "s1", Active: noon.Add(-day)}}},
		}},
		{name: "it will end", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(hour))},
		}},
		{name: "a file of it is half written", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1/b.json", ago: 8 * day, broken: true},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(-hour))},
		}},
		{name: "the later word counts", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: 2 * hour, records: ended("s1", "", noon.Add(-hour))},
			{name: "sessions/current.json", ago: hour, records: ongoing},
		}},
		{name: "the index has less to say", files: []file{
			{name: "sessions/_index.json", ago: time.Minute, records: ongoing},
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: 2 * hour, records: ended("s1", "", noon.Add(-hour))},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "it was told to begin again", begun: []memory.Session{{ID: "s1", At: noon.Add(-time.Minute)}}, files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(-hour))},
		}},
		{name: "it was told to begin before", begun: []memory.Session{{ID: "s1", Agent: "A-1", At: noon.Add(-2 * hour)}}, files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "agents/A-1/working-memory.json", ago: hour, text: note("of-agent")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(-hour))},
		}, want: map[string]string{"session:s1": "a of-agent"}},
		{name: "what is the agent's and nobody's goes along", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "A-1", noon.Add(-hour))},
			{name: "agents/A-1/working-memory.json", ago: 2 * hour, text: note("of-agent")},
			{name: "agents/A-2/working-memory.json", ago: 2 * hour, text: note("of-other")},
			{name: "working/x.json", ago: 2 * hour, text: note("nobodys")},
		}, want: map[string]string{"session:s1": "a nobodys of-agent"}},
		{name: "what is worked on since is spared", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "A-1", noon.Add(-hour))},
			{name: "agents/A-1/working-memory.json", ago: 30 * time.Minute, text: note("of-agent")},
			{name: "working/x.json", ago: 10 * time.Minute, text: note("nobodys")},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "the agent has another session", files: []file{
			{name: "sessions/s1/a.json", ago: hour, text: note("a")},
			{name: "sessions/s1.json", ago: hour, records: ended("s1", "A-1", noon.Add(-hour))},
			{name: "sessions/s2.json", ago: hour, records: []sessionfile.Record{{Session: "s2", Agent: "a-1"}}},
			{name: "agents/A-1/working-memory.json", ago: 2 * hour, text: note("of-agent")},
			{name: "working/x.json", ago: 2 * hour, text: note("nobodys")},
		}, want: map[string]string{"session:s1": "a"}},
		{name: "an agent's file says that it is done", files: []file{
			{name: "agents/A-1/working-memory.json", ago: hour, text: `{"status":"completed","working_memory":[` + note("of-agent") + `]}`, records: ended("", "", time.Time{})},
			{name: "agents/A-2/working-memory.json", ago: hour, text: note("of-other")},
		}, want: map[string]string{"agent:A-1": "of-agent"}},
		{name: "an agent in a session is not done", begun: []memory.Session{{ID: "s9", Agent: "A-1", At: noon.Add(-hour)}}, files: []file{
			{name: "agents/A-1/working-memory.json", ago: 8 * day, text: note("of-agent")},
		}},
		{name: "a file of nobody's", files: []file{
			{name: "working/x.json", ago: hour, text: note("x"), records: ended("", "", time.Time{})},
			{name: "working/y.json", ago: 2 * hour, text: note("y")},
			{name: "agents/A-1/working-memory.json", ago: 2 * hour, text: note("of-agent")},
		}, want: map[string]string{"working/x.json": "x"}},
		{name: "nobody's, in a session", begun: []memory.Session{{ID: "s9", At: noon.Add(-hour)}}, files: []file{
			{name: "working/x.json", ago: hour, text: note("x"), records: ended("", "", time.Time{})},
		}},
		{name: "nothing to settle", files: []file{{name: "sessions/s1.json", ago: hour, records: ended("s1", "", noon.Add(-hour))}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var memories []*memory.Memory
			for _, f := range tt.files {
				if f.text == "" {
					continue
				}
				of, err := memory.ParseRecords(f.name, []byte(f.text))
				if err != nil {
					t.Fatal(err)
				}
				memories = append(memories, of...)
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if got := settled(t, sight(t, noon, tt.begun, tt.files...), noon, memories...); !maps.Equal(got, tt.want) {
				t.Errorf("settled %v, want %v", got, tt.want)
			}
		})
	}
}

// TestSettledOnce: a session is settled once, and once more when something new of
// it is to be settled; a little after its last file was written.
func TestSettledOnce(t *testing.T) {
	s, c := State{}, settings("", "")
	files := []file{{name: "sessions/s1/a.json", ago: time.Second, text: note("a")}, {name: "sessions/s1.json", ago: time.Second, records: ended("s1", "", noon.Add(-time.Second))}}
	due := look(t, &s, c, sight(t, noon, nil, files...), noon, time.UTC)
	if len(due) != 1 || !due[0].After.Equal(noon.Add(time.Second)) || due[0].Heavy() {
		t.Fatalf("due: %+v", due)
	}
	s = s.Done(due[0], noon)
	if due := look(t, &s, c, sight(t, noon, nil, files...), noon.Add(time.Hour), time.UTC); len(due) != 0 {
		t.Fatalf("due again: %+v", due)
	}
	files = append(files, file{name: "sessions/s1/b.json", text: note("b")})
	due = look(t, &s, c, sight(t, noon.Add(time.Hour), nil, files...), noon.Add(time.Hour), time.UTC)
	if len(due) != 1 || due[0].Count != 2 {
		t.Fatalf("not due for what came later: %+v", due)
	}
	look(t, &s, c, Facts{}, noon, time.UTC)
	if len(s.Settled) != 0 {
		t.Errorf("a session that is gone is remembered: %+v", s.Settled)
	}
}

func TestMessagesInASession(t *testing.T) {
	s, c := State{}, settings("", "")
	c.Triggers.Threshold, c.Triggers.ThresholdMessages = true, 20
	at := func(n int) Facts {
		return sight(t, noon, nil,
			file{name: "sessions/s1.json", records: []sessionfile.Record{{Session: "s1", Messages: n}}},
			file{name: "sessions/s1/a.json", text: note("a")})
	}
	for i, step := range []struct {
		messages int
		due      bool
	}{{19, false}, {20, true}, {39, false}, {40, true}, {3, false}, {25, true}} {
		due := look(t, &s, c, at(step.messages), noon, time.UTC)
		if (len(due) == 1) != step.due {
			t.Fatalf("step %d: due %+v", i, due)
		}
		for _, d := range due {
			if d.Trigger != rules.Threshold || d.Session != "session:s1" {
				t.Fatalf("due: %+v", d)
			}
			s = s.Done(d, noon)
		}
	}
	// Where nothing counts them, they are the working memories.
	var many []string
	for i := range 20 {
		many = append(many, note(fmt.Sprint("n", i)))
	}
	due := look(t, &State{}, c, sight(t, noon, nil, file{name: "sessions/s2.json", text: `{"entries":[` + strings.Join(many, ",") + `]}`}), noon, time.UTC)
	if len(due) != 1 || due[0].Session != "session:s2" || due[0].Count != 20 {
		t.Errorf("due: %+v", due)
	}
}

// TestOngoingIsLeftAlone: whatever the files say and whenever they were written, no
// memory of a session that goes on is settled, nor one of a file that is newer than
// the end of what is settled.
func TestOngoingIsLeftAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []file
		var memories []*memory.Memory
		busy := map[string]bool{}
		for i, name := range []string{"sessions/s1/a.json", "sessions/s2.json", "agents/A-1/working-memory.json", "agents/A-2/working-memory.json", "working/x.json", "working/y.json"} {
			f := file{name: name, text: note(fmt.Sprint("m", i)), ago: time.Duration(rapid.IntRange(0, 10*24*60).Draw(t, "ago")) * time.Minute}
			said := rapid.SampledFrom([]sessionfile.Said{sessionfile.Unsaid, sessionfile.Ongoing, sessionfile.Ended}).Draw(t, "said")
			f.records = []sessionfile.Record{{Said: said, Agent: rapid.SampledFrom([]string{"", "A-1", "A-2"}).Draw(t, "agent")}}
			f.broken = rapid.IntRange(0, 9).Draw(t, "broken") == 0
			of, err := memory.ParseRecords(name, []byte(f.text))
			if err != nil {
				t.Fatal(err)
			}
			files, memories = append(files, f), append(memories, of...)
			if f.broken || strings.HasPrefix(name, "sessions/") && said != sessionfile.Ended && f.ago < 7*24*time.Hour {
				busy[of[0].ID] = true
			}
		}
		for key, ids := range settled(t, sight(t, noon, nil, files...), noon, memories...) {
			for _, id := range strings.Fields(ids) {
				if busy[id] {
					t.Fatalf("%s goes on, and is settled with %s", id, key)
				}
			}
		}
	})
}
