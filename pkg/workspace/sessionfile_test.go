package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSessionRecords(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tt := range []struct {
		file, text string
		want       []SessionRecord
	}{
		{"sessions/current.json", `{"session_id":"s1","started_at":"2026-03-01T08:00:00Z","last_activity":"2026-03-01T09:00:00Z","agent_context":{"last_agent":"X"},"conversation":[1,2,3]}`,
			[]SessionRecord{{Session: "s1", Active: at("2026-03-01T09:00:00Z"), Messages: 3}}},
		{"sessions/current.json", `{"session_id":null,"ended_at":null,"status":""}`, []SessionRecord{{}}},
		{"sessions/s1.json", `{"sessionId":"s1","agentId":"A-1","endedAt":"2026-03-01T09:00:00+01:00","messageCount":12}`,
			[]SessionRecord{{Session: "s1", Agent: "A-1", Said: SaidEnded, Ended: at("2026-03-01T08:00:00Z"), Messages: 12}}},
		{"sessions/s1.json", `{"end_time":1772352000}`, []SessionRecord{{Said: SaidEnded, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"end_time":1772352000000,"status":"active"}`, []SessionRecord{{Said: SaidOngoing, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"state":" Completed "}`, []SessionRecord{{Said: SaidEnded}}},
		{"sessions/s1.json", `{"is_active":false}`, []SessionRecord{{Said: SaidEnded}}},
		{"sessions/s1.json", `{"active":true,"ended_at":"2026-03-01T08:00:00Z"}`, []SessionRecord{{Said: SaidOngoing, Ended: at("2026-03-01T08:00:00Z")}}},
		{"sessions/s1.json", `{"ended":false}`, []SessionRecord{{Said: SaidOngoing}}},
		{"sessions/s1.json", `{"ended_at":"soon"}`, []SessionRecord{{}}},
		{"sessions/x/meta.json", `{"session":{"id":"s1","status":"closed"},"entries":[]}`, []SessionRecord{{Session: "s1", Said: SaidEnded}}},
		{"sessions/x/a.json", `{"id":"a","type":"working","status":"done","content":"x"}`, nil},
		{"sessions/x.json", `{"id":"a","type":"working","status":"done","content":"x"}`, []SessionRecord{{Said: SaidEnded}}},
		{"agents/A-1/working-memory.json", `{"id":"a","type":"working","content":{"status":"done"},"metadata":{"status":"active"}}`, []SessionRecord{{Said: SaidOngoing}}},
		{"working/current-task.json", `{"session_id":"s1","status":"PASSED","updated_at":"2026-03-01T08:00:00Z"}`,
			[]SessionRecord{{Session: "s1", Said: SaidOngoing, Active: at("2026-03-01T08:00:00Z")}}},
		{"sessions/_index.json", `{"active_session":"s3","sessions":[{"id":"s1","status":"ended"},{"session_id":"s2"},"s4",{"status":"ended"}]}`,
			[]SessionRecord{{Session: "s1", Said: SaidEnded}, {Session: "s2"}, {Session: "s3", Said: SaidOngoing}}},
		{"agents/A-1/_index.json", `{"sessions":[{"id":"s1","status":"ended"}]}`, nil},
		{"agents/A-1/notes.json", `{"status":"ended"}`, nil},
		{"sessions/s1.json", `[{"status":"ended"}]`, nil},
	} {
		if diff := cmp.Diff(tt.want, sessionRecords(tt.file, []byte(tt.text))); diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", tt.file, tt.text, diff)
		}
	}
}

func TestSessionFiles(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-240 * time.Hour)
	put := func(name, text string, touched time.Time) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644), os.Chtimes(full, touched, touched)); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	put("sessions/s1.json", `{"status":"ended"}`, now)
	put("sessions/s2/session.json", `{"status":"ended"`, now) // half written
	put("sessions/s2/deep/er.json", `{}`, now)                // too deep to be of a session
	put("sessions/.hidden.json", `{}`, now)
	put("sessions/notes.txt", `{}`, now)
	put("sessions/old.json", `{"status":"ended"}`, old)
	put("working/task.json", "\xef\xbb\xbf"+`{"status":"active"}`, now)
	put("agents/A-1/working-memory.json", `{"entries":[]}`, now)
	put("agents/A-1/other.json", `{}`, now)
	put("global/w.json", `{"id":"w","type":"working","content":"x","status":"done"}`, old)
	if err := os.Symlink(filepath.Join(dir, "sessions/s1.json"), filepath.Join(dir, "sessions/link.json")); err != nil {
		t.Fatal(err)
	}
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	files, err := store.SessionFiles([]string{"A-1", "A-2"}, []string{"global/w.json", "global/w.json", "global/gone.json"}, now.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		text := ""
		if f.Broken {
			text = "broken"
		}
		for _, r := range f.Records {
			text += string(r.Said) + ";"
		}
		got[f.File] = text
		if stat, err := os.Stat(filepath.Join(dir, f.File)); err != nil || !stat.ModTime().Equal(f.Touched) {
			t.Errorf("%s: touched %s, %v", f.File, f.Touched, err)
		}
	}
	want := map[string]string{
		"sessions/s1.json": "ended;", "sessions/s2/session.json": "broken", "sessions/old.json": "", "working/task.json": "ongoing;",
		"agents/A-1/working-memory.json": ";", "global/w.json": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzSessionRecords(f *testing.F) {
	for _, text := range []string{`{"session_id":"s","ended_at":1e300,"messages":[[]],"message_count":-1}`, `{"sessions":[{"id":"a","status":"x"}]}`, `{"metadata":{"session":{}}}`, `[`, ``} {
		f.Add("sessions/_index.json", []byte(text))
		f.Add("sessions/a/b.json", []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		for _, r := range sessionRecords(name, text) {
			if r.Messages < 0 || r.Said == SaidEnded && r.Ended.Year() > 9999 {
				t.Fatalf("%+v", r)
			}
		}
	})
}
