package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
)

func TestEndingSettles(t *testing.T) {
	record := func(kind, file, id, by string, scope memory.Scope, raw string) *memory.Memory {
		raw = strings.TrimSuffix(strings.Replace(raw, "{", fmt.Sprintf(`{"id":%q,"type":%q,"created_by":%q,`, id, kind, by), 1), ",}")
		raw = strings.TrimSuffix(raw, "}") + "}"
		ms, err := memory.ParseRecords(file, []byte(raw))
		if err != nil || len(ms) != 1 {
			t.Fatalf("%s: %v", raw, err)
		}
		ms[0].Scope = scope
		return ms[0]
	}
	working := func(file, id, by string, scope memory.Scope, raw string) *memory.Memory {
		return record(memory.Working, file, id, by, scope, raw)
	}
	session := func(id string) memory.Scope { return memory.Scope{Kind: "session", ID: id} }
	agent := func(id string) memory.Scope { return memory.Scope{Kind: "agent", ID: id} }
	memories := []*memory.Memory{
		working("sessions/s1/a.json", "in s1", "A", session("s1"), `{}`),
		working("sessions/s1.json", "file s1", "A", memory.Global, `{}`),
		working("working/n.json", "names s1", "A", memory.Global, `{"session_id":"s1"}`),
		working("sessions/s2/a.json", "in s2", "A", session("s2"), `{}`),
		working("sessions/s2.json", "file s2", "A", memory.Global, `{}`),
		working("agents/A/working-memory.json", "of A", "A", agent("A"), `{}`),
		working("agents/A/working-memory.json", "of A in s2", "A", agent("A"), `{"session_id":"s2"}`),
		working("agents/B/working-memory.json", "of B", "B", agent("B"), `{}`),
		working("working/a.json", "by A", "a", memory.Global, `{}`),
		working("working/x.json", "nobody's", "", memory.Global, `{}`),
		working("projects/p/x.json", "of p", "A", memory.Scope{Kind: "project", ID: "p"}, `{}`),
		record(memory.Factual, "sessions/s1/f.json", "factual", "", session("s1"), `{}`),
	}
	type sessions = []memory.Session
	s1 := []string{"in s1", "file s1", "names s1"}
	for _, tt := range []struct {
		name string
		end  memory.Session
		open sessions
		want []string
	}{
		{"the last session", memory.Session{ID: "s1"}, nil, append(s1, "by A", "nobody's")},
		{"another is open", memory.Session{ID: "s1"}, sessions{{ID: "s2"}}, s1},
		{"with its agent", memory.Session{ID: "s1", Agent: "A"}, sessions{{ID: "s9", Agent: "B"}}, append(s1, "of A", "by A")},
		{"the agent has another", memory.Session{ID: "s1", Agent: "A"}, sessions{{ID: "s2", Agent: "A"}}, s1},
		{"an agent", memory.Session{Agent: "A"}, nil, []string{"names s1", "file s1", "file s2", "of A", "of A in s2", "by A"}},
		{"an agent, s2 open", memory.Session{Agent: "A"}, sessions{{ID: "s2"}}, []string{"names s1", "file s1", "of A", "by A"}},
		{"everything", memory.Session{}, nil, []string{"in s1", "file s1", "names s1", "in s2", "file s2", "of A", "of A in s2", "of B", "by A", "nobody's", "of p"}},
		{"everything, s2 of A open", memory.Session{}, sessions{{ID: "s2", Agent: "A"}}, []string{"in s1", "of B", "nobody's", "of p"}},
		{"unknown, another open", memory.Session{ID: "s3"}, sessions{{ID: "s1"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]bool{}
			for _, id := range tt.want {
				want[id] = true
			}
			e := &Ending{Session: tt.end, Open: tt.open}
			for _, m := range memories {
				if got := e.settles(m); got != want[m.ID] {
					t.Errorf("%s: settled %v", m.ID, got)
				}
			}
		})
	}
}
