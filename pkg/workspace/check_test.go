package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// TestCheckFinds breaks one thing at a time and expects check to say so.
func TestCheckFinds(t *testing.T) {
	good := `{"id":"mem_aaaaaaaaaaaa",` + rec + `}`
	cases := []struct {
		name     string
		files    tree
		severity string
		says     string
	}{
		{"broken JSON", tree{"global/b.json": `{"id":"b",}`}, memory.Error, "line 1, column 10"},
		{"repeated key", tree{"global/b.json": `{"id":"b","type":"semantic","content":"x","tags":[],"tags":[]}`}, memory.Error, "tags"},
		{"repeated id", tree{"global/b.json": good, "teams/qa/c.json": good}, memory.Error, "is that of"},
		{"bad date", tree{"global/b.json": `{"id":"b","type":"semantic","content":"x","created_at":"yesterday"}`}, memory.Warning, "yesterday"},
		{"future", tree{"global/b.json": `{"id":"b","type":"semantic","content":"x","created_at":"2031-01-01T00:00:00Z"}`}, memory.Warning, "in the future"},
		{"dangling link", tree{"global/b.json": `{"id":"b","supersedes":"gone",` + rec + `}`}, memory.Warning, "gone"},
		{"no id", tree{"global/b.json": `{"id":null,` + rec + `}`}, memory.Warning, "no id"},
		{"index drift", tree{"global/_index.json": `{"entries":[]}`, "global/b.json": good}, memory.Error, "not in the index"},
		{"index ghost", tree{"global/_index.json": `{"entries":[{"id":"ghost","file_path":"g.json"}]}`}, memory.Error, "isn't there"},
		{"index path out", tree{"global/_index.json": `{"entries":[{"id":"mem_aaaaaaaaaaaa","file_path":"../../etc/x.json"}]}`, "global/b.json": good}, memory.Error, "leads out"},
		{"index missing", tree{"global/b.json": good}, memory.Warning, "no index"},
		{"log broken", tree{"ops/consolidation-log.json": `{"entries":[`}, memory.Error, "line 1"},
		{"log forged", tree{"ops/consolidation-log.json": `{"version":"1.0.0","entries":[{"run_id":"r","timestamp":"2026-01-01T00:00:00Z","trigger":"manual","scope":"all","actions":[],"stats":{},"duration_ms":1,"status":"done","prev_hash":"","hash":"00"}]}`}, memory.Error, "hash"},
		{"temporary file", tree{"global/.mem-tmp-0123456789abcdef": "x"}, memory.Warning, "interrupted"},
		{"edges broken", tree{"global/_edges.json": "{"}, memory.Error, "not valid JSON"},
		{"no list of edges", tree{"global/_edges.json": `{"edges": {}}`}, memory.Error, "holds no edges"},
		{"an end of an edge is missing", tree{"global/_edges.json": `{"edges": [{"from": "a", "type": "FIXES", "to": "nowhere"}]}`}, memory.Warning, "nowhere"},
		{"review broken", tree{"ops/review.json": "[]"}, memory.Error, "pairs"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.files)
			problems, err := s.Check(load(t, s).At)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range problems {
				if p.Severity == c.severity && strings.Contains(p.Message, c.says) {
					return
				}
			}
			t.Errorf("no %s with %q in %+v", c.severity, c.says, problems)
		})
	}
}

func TestCheckMissesWhatWasPutAway(t *testing.T) {
	s := open(t, tree{"global/_index.json": `{"entries":[]}`, "global/x.json": `{"id":"x",` + rec + `}`, "global/y.json": `{"id":"y",` + rec + `}`})
	snap := load(t, s)
	y := snap.Live("y")
	short := put(y, `{"id":"y","type":"semantic","created_at":"2026-01-02T03:04:05Z","content":"t"}`)
	short.Action = oplog.Action{
		Type: oplog.Summarize, Rule: "summarise", MemoryID: "y", Original: "ops/originals/y/1.json",
		CharsBefore: 4, CharsAfter: 1, Digests: map[string]string{"y": string(y.Digest())},
	}
	short.Originals = []memory.Original{{File: "ops/originals/y/1.json", Raw: y.Raw()}}
	commit(t, s, snap, toArchive(snap, "x"), short)
	clean(t, s)

	expect := func(severity, file, says string) {
		t.Helper()
		problems, err := s.Check(load(t, s).At)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if p.Severity == severity && p.File == file && strings.Contains(p.Message, says) {
				return
			}
		}
		t.Errorf("no %s about %s with %q in %+v", severity, file, says, problems)
	}
	original := filepath.Join(s.Dir(), "ops/originals/y/1.json")
	if err := os.WriteFile(original, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(memory.Error, "ops/originals/y/1.json", "was changed")
	if err := os.Remove(original); err != nil {
		t.Fatal(err)
	}
	expect(memory.Error, "ops/originals/y/1.json", "can't be read")
	if err := os.Remove(filepath.Join(s.Dir(), "archive/x.json")); err != nil {
		t.Fatal(err)
	}
	expect(memory.Warning, memory.LogFile, "no longer there")
}

func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{
		"mem_abc123", "MEM-20251218-USR001", "../../etc/passwd", "mem/../a\x00b", "..", ".", ".hidden", "_x", "a/b", "a\\b", "CON", "nul.txt",
		"com1", "x.", "", "日本", "日木", strings.Repeat("long", 100), "a:b", "a b",
	} {
		name := memory.FileName(id)
		if strings.ContainsAny(name, "/\\\x00: ") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || strings.HasSuffix(name, ".") || len(name) > 100 || name == "" {
			t.Errorf("%q -> %q is no safe name", id, name)
		}
		if was, ok := seen[name]; ok {
			t.Errorf("%q and %q have the same name %q", id, was, name)
		}
		seen[name] = id
	}
	if got := memory.FileName("mem_abc123"); got != "mem_abc123" {
		t.Errorf("a safe id changed: %q", got)
	}
}

func TestParseScope(t *testing.T) {
	for text, want := range map[string]string{"global": "global", "agent:DEV-001": "agent:DEV-001", " team:qa ": "team:qa", "project:a:b": "project:a:b"} {
		if s, err := memory.ParseScope(text); err != nil || s.String() != want {
			t.Errorf("%q: %v %v", text, s, err)
		}
	}
	for _, text := range []string{"", "agent", "agent:", "global:x", "everybody", "Agent:x"} {
		if _, err := memory.ParseScope(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
