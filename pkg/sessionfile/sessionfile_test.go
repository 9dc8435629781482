package sessionfile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tt := range []struct {
		file, text string
		want       []Record
	}{
		{"sessions/current.json", `{"session_id":"s1","started_at":"2026-03-01T08:00:00Z","last_activity":"2026-03-01T09:00:00Z","agent_context":{"last_agent":"X"},"conversation":[1,2,3]}`,
			[]Record{{Session: "s1", Active: at("2026-03-01T09:00:00Z"), Messages: 3}}},
		{"sessions/current.json", `{"session_id":null,"ended_at":null,"status":""}`, []Record{{}}},
		{"sessions/s1.json", `{"sessionId":"s1","agentId":"A-1","endedAt":"2026-03-01T09:00:00+01:00","messageCount":12}`,
			[]Record{{Session: "s1", Agent: "A-1", Said: Ended, Ended: at("2026-03-01T08:00:00Z"), Messages: 12}}},
		{"sessions/s1.json", `{"end_time":1772352000}`, []Record{{Said: Ended, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"end_time":1772352000000,"status":"active"}`, []Record{{Said: Ongoing, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"state":" Completed "}`, []Record{{Said: Ended}}},
		{"sessions/s1.json", `{"is_active":false}`, []Record{{Said: Ended}}},
		{"sessions/s1.json", `{"active":true,"ended_at":"2026-03-01T08:00:00Z"}`, []Record{{Said: Ongoing, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"ended":false}`, []Record{{Said: Ongoing}}},
		{"sessions/s1.json", `{"ended_at":"soon"}`, []Record{{}}},
		{"sessions/x/meta.json", `{"session":{"id":"s1","status":"closed"},"entries":[]}`, []Record{{Session: "s1", Said: Ended}}},
		{"sessions/x.json", `{"id":"a","type":"working","status":"done","content":"x"}`, []Record{{Said: Ended}}},
		{"agents/A-1/working-memory.json", `{"id":"a","type":"working","content":{"status":"done"},"metadata":{"status":"active"}}`, []Record{{Said: Ongoing}}},
		{"working/current-task.json", `{"session_id":"s1","status":"PASSED","updated_at":"2026-03-01T08:00:00Z"}`,
			[]Record{{Session: "s1", Said: Ongoing, Active: at("2026-03-01T08:00:00Z")}}},
		{"sessions/_index.json", `{"active_session":"s3","sessions":[{"id":"s1","status":"ended"},{"session_id":"s2"},"s4",{"status":"ended"}]}`,
			[]Record{{Session: "s1", Said: Ended}, {Session: "s2"}, {Session: "s3", Said: Ongoing}}},
		{"agents/A-1/_index.json", `{"sessions":[{"id":"s1","status":"ended"}]}`, nil},
		{"agents/A-1/notes.json", `{"status":"ended"}`, nil},
		{"sessions/s1.json", `[{"status":"ended"}]`, nil},
	} {
		got, broken := Read(tt.file, []byte(tt.text))
		if diff := cmp.Diff(tt.want, got); diff != "" || broken {
			t.Errorf("%s: %s (-want +got)\n%s", tt.file, tt.text, diff)
		}
	}
	if got, broken := Read("sessions/s1.json", []byte(`{"status":"ended"`)); !broken || got != nil {
		t.Errorf("half a file says %v", got)
	}
}

// FuzzSessionFile reads any file: nothing panics, and what it says can be told again.
func FuzzSessionFile(f *testing.F) {
	for _, text := range []string{`{"session_id":"s","ended_at":1e300,"messages":[[]],"message_count":-1}`, `{"sessions":[{"id":"a","status":"x"}]}`, `{"metadata":{"session":{}}}`, `[`, ``} {
		f.Add("sessions/_index.json", []byte(text))
		f.Add("sessions/a/b.json", []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		all, _ := Read(name, text)
		for _, r := range all {
			if r.Messages < 0 || r.Said == Ended && r.Ended.Year() > 9999 {
				t.Fatalf("%+v", r)
			}
		}
	})
}
