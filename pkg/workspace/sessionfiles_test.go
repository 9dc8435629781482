package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
	put("sessions/s2/session.json", `{"status":"ended"`, now)                                   // half written
	put("sessions/s2/deep/er.json", `{}`, now)                                                  // too deep to be of a session
	put("sessions/s2/a.json", `{"id":"a","type":"working","status":"done","content":"x"}`, now) // a memory
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
	files, err := store.Ops().SessionFiles([]string{"A-1", "A-2"}, []string{"global/w.json", "global/w.json", "global/gone.json"}, now.Add(-time.Hour))
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
		got[f.Name] = text
		if stat, err := os.Stat(filepath.Join(dir, f.Name)); err != nil || !stat.ModTime().Equal(f.Touched) {
			t.Errorf("%s: touched %s, %v", f.Name, f.Touched, err)
		}
	}
	want := map[string]string{
		"sessions/s1.json": "ended;", "sessions/s2/session.json": "broken", "sessions/s2/a.json": "", "sessions/old.json": "", "working/task.json": "ongoing;",
		"agents/A-1/working-memory.json": ";", "global/w.json": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
