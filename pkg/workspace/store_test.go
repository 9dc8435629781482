package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// tree is a directory as a map from file names to contents.
type tree map[string]string

// open writes the tree to a new directory and opens it.
func open(t testing.TB, files tree) *workspace.FileStore {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		// Not as if somebody were just writing it: a reader would wait for the rest.
		if err := os.Chtimes(file, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// filesOf reads the tree back; without says which parts to leave out.
func filesOf(t testing.TB, s *workspace.FileStore, without ...string) tree {
	t.Helper()
	out := tree{}
	err := filepath.WalkDir(s.Dir(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.Dir(), name)
		if err != nil {
			return err
		}
		for _, w := range without {
			if strings.Contains(filepath.ToSlash(rel), w) {
				return nil
			}
		}
		text, err := os.ReadFile(name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func load(t testing.TB, s *workspace.FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// commit applies actions as one command.
func commit(t testing.TB, s *workspace.FileStore, snap *memory.Snapshot, actions ...memory.Action) *workspace.Result {
	t.Helper()
	res, err := s.Commit(context.Background(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), actions...)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// toArchive is the action that archives a memory.
func toArchive(snap *memory.Snapshot, id string) memory.Action {
	op := snap.NewFiles().Archive(snap.Live(id), nil)
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, Reason: "test"},
		Ops:    []memory.Op{op},
	}
}

func put(m *memory.Memory, raw string) memory.Action {
	return memory.Action{
		Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID},
		Ops:    []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: []byte(raw)}},
	}
}

// clean fails the test when check finds anything.
func clean(t testing.TB, s *workspace.FileStore) {
	t.Helper()
	problems, err := s.Check(load(t, s).At)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("check: %s %s %s %s: %s", p.Severity, p.File, p.Place, p.ID, p.Message)
	}
}

const rec = `"type": "semantic", "created_at": "2026-01-02T03:04:05Z", "content": "text"`

func TestReadsEveryShape(t *testing.T) {
	s := open(t, tree{
		"global/one.json":               "\ufeff{\r\n  \"id\": \"one\", " + rec + "\r\n}\r\n",
		"teams/qa/two.json":             `{"id":"two",` + rec + `}`,
		"agents/A-1/deep/three.json":    `{"id":"three",` + rec + `}`,
		"long-term/entries.json":        `{"version":"1.0","entries":[{"id":"e1",` + rec + `},{"note":"no memory"},{"id":"e2","content":"x"}]}`,
		"long-term/memories.json":       `{"memories":[{"id":"m1",` + rec + `}]}`,
		"long-term/decisions.json":      `{"decisions":[{"id":"d1","type":"decision"},{"id":"d2","type":"decision"}]}`,
		"long-term/nested.json":         `{"user_preferences":{"a/b~c":{"rules":[{"id":"r1","type":"rule","content":"x"}]}}}`,
		"long-term/array.json":          `[{"id":"a1",` + rec + `},{"id":"a2",` + rec + `}]`,
		"working/now.json":              `{"id":"w1","type":"working","content":{}}`,
		"archive/old.json":              `{"id":"old",` + rec + `}`,
		"agents/A-1/_memory.json":       `{"agent_id":"A-1","team":"QA","seen":[{"id":"x","type":"y"}]}`,
		"projects/_template/t.json":     `{"id":null,` + rec + `}`,
		"projects/_index.json":          `{"projects":[{"id":"p","type":"project"}]}`,
		"config.json":                   `{"agents":[{"id":"x","name":"no type, no content"}]}`,
		"mixed.json":                    `{"list":[{"id":"x","type":"y"},{"id":null,"type":"y"}]}`,
		"sessions/current.json":         `{"session_id":"s","working_memory":{"task_history":[{"task":"t"}]}}`,
		"ops/gc-log.json":               `{"entries":[{"id":"x","type":"y"}]}`,
		"schemas/memory.json":           `{"id":"x","type":"object"}`,
		".hidden/x.json":                `{"id":"x","type":"y"}`,
		"notes/.x.json":                 `{"id":"x","type":"y"}`,
		"notes/readme.md":               `{"id":"x","type":"y"}`,
		"projects/ops/inside.json":      `{"id":"inside",` + rec + `}`,
		"scoped/explicit.json":          `{"id":"explicit","scope":"Team","scope_id":"dev",` + rec + `}`,
		"agents/A-2/unnamed-scope.json": `{"id":"unnamed","scope":"agent",` + rec + `}`,
	})
	snap := load(t, s)
	got := map[string]string{}
	for _, m := range snap.Memories() {
		got[m.ID] = m.Ref.String() + " " + m.Scope.String()
	}
	want := map[string]string{
		"one": "global/one.json global", "two": "teams/qa/two.json team:qa", "three": "agents/A-1/deep/three.json agent:A-1",
		"e1": "long-term/entries.json#/entries/0 global", "e2": "long-term/entries.json#/entries/2 global",
		"m1": "long-term/memories.json#/memories/0 global",
		"d1": "long-term/decisions.json#/decisions/0 global", "d2": "long-term/decisions.json#/decisions/1 global",
		"r1": "long-term/nested.json#/user_preferences/a~1b~0c/rules/0 global",
		"a1": "long-term/array.json#/0 global", "a2": "long-term/array.json#/1 global",
		"w1": "working/now.json global", "inside": "projects/ops/inside.json project:ops",
		"explicit": "scoped/explicit.json team:dev", "unnamed": "agents/A-2/unnamed-scope.json agent:A-2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(snap.Archived()) != 1 || snap.Archived()[0].ID != "old" || !snap.Archived()[0].Archived {
		t.Errorf("archived: %v", snap.Archived())
	}
	if snap.Teams["a-1"] != "QA" {
		t.Errorf("teams: %v", snap.Teams)
	}
	if len(snap.Problems) != 0 {
		t.Errorf("problems: %v", snap.Problems)
	}
}

func TestUnreadableFilesAreReportedAndLeftAlone(t *testing.T) {
	before := tree{
		"a.json":            `{"id":"a","type":"x",}`,
		"utf8.json":         "{\"id\":\"u\",\"type\":\"\xff\"}",
		"empty.json":        ``,
		"two.json":          `{"id":"a","type":"x"}{"id":"b","type":"x"}`,
		"good.json":         `{"id":"good","type":"x","content":"y"}`,
		"_index.json":       `{"entries":[`,
		"no-id.json":        `{"id":null,"type":"x","content":"y"}`,
		"teams/qa/dup.json": `{"id":"dup","type":"x","content":"y","content":"z"}`,
	}
	s := open(t, before)
	if err := os.Symlink("/etc/hostname", filepath.Join(s.Dir(), "link.json")); err != nil {
		t.Skip("SKIPPED: no symbolic links here:", err)
	}
	snap := load(t, s)
	if len(snap.Memories()) != 2 || snap.Live("good") == nil {
		t.Errorf("memories: %v", snap.Memories())
	}
	if m := snap.Live("dup"); m == nil || m.Locked == "" {
		t.Errorf("a repeated key must lock the record: %+v", m)
	}
	said := map[string]string{}
	for _, p := range snap.Problems {
		said[p.File] = p.Severity + " " + p.Message
	}
	for name, want := range map[string]string{
		"a.json": "error", "utf8.json": "error", "empty.json": "error", "two.json": "error",
		"_index.json": "error", "link.json": "warning", "no-id.json": "warning",
	} {
		if !strings.HasPrefix(said[name], want) {
			t.Errorf("%s: want %s, got %q", name, want, said[name])
		}
	}
	commit(t, s, snap, toArchive(snap, "good"))
	after := filesOf(t, s, "ops/", "archive/", "link.json")
	delete(before, "good.json")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

func TestCommitChangesOnlyItsRecords(t *testing.T) {
	const collection = "{\n  \"version\": \"1.0\",\n  \"entries\": [\n    {\"id\": \"a\", \"type\": \"fact\", \"n\": 0.10},\n    {\"id\": \"b\", \"type\": \"fact\", \"big\": 12345678901234567890},\n    {\"id\": \"c\", \"type\": \"fact\"}\n  ],\n  \"tail\": 1e400\n}"
	s := open(t, tree{"long-term/l.json": collection, "global/x.json": "\ufeff{\"id\":\"x\",\"type\":\"y\"}\r\n"})
	snap := load(t, s)
	res := commit(t, s, snap,
		put(snap.Live("a"), `{"id": "a", "type": "fact", "n": 7}`),
		toArchive(snap, "b"),
		put(snap.Live("x"), `{"id":"x","type":"z"}`))
	if res.Applied != 3 || len(res.Skipped) != 0 {
		t.Fatalf("%+v", res)
	}
	got := filesOf(t, s, "ops/", "_index.json")
	want := tree{
		"long-term/l.json": strings.Replace(strings.Replace(collection, "0.10", "7", 1), "    {\"id\": \"b\", \"type\": \"fact\", \"big\": 12345678901234567890},\n", "", 1),
		"archive/b.json":   "{\"id\": \"b\", \"type\": \"fact\", \"big\": 12345678901234567890}\n",
		"global/x.json":    "\ufeff{\"id\":\"x\",\"type\":\"z\"}\r\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChangedMeanwhileIsSkippedAndLogged(t *testing.T) {
	s := open(t, tree{"global/a.json": `{"id":"a",` + rec + `}`, "global/b.json": `{"id":"b",` + rec + `}`, "global/c.json": `{"id":"c",` + rec + `}`})
	snap := load(t, s)
	edited := `{"id":"a","type":"semantic","content":"edited by hand"}`
	if err := os.WriteFile(filepath.Join(s.Dir(), "global/a.json"), []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.Dir(), "global/c.json")); err != nil {
		t.Fatal(err)
	}
	both := toArchive(snap, "b") // relies on a, too: whole or not at all
	both.Ops = append(both.Ops, memory.Op{Kind: memory.Put, ID: "a", Ref: snap.Live("a").Ref, Base: snap.Live("a").Digest(), Raw: []byte(`{"id":"a","type":"x"}`)})
	res := commit(t, s, snap, both, toArchive(snap, "c"))
	if res.Applied != 0 || len(res.Skipped) != 2 {
		t.Fatalf("%+v", res)
	}
	got := filesOf(t, s, "ops/")
	if diff := cmp.Diff(tree{"global/a.json": edited, "global/b.json": `{"id":"b",` + rec + `}`}, got); diff != "" {
		t.Error(diff)
	}
	if res.Entry == nil || res.Entry.Actions[0].Type != oplog.Skip || res.Entry.Actions[0].Reason != workspace.ReasonChanged {
		t.Errorf("entry: %+v", res.Entry)
	}
}

func TestTwoActionsOnOneMemory(t *testing.T) {
	s := open(t, tree{"global/a.json": `{"id":"a",` + rec + `}`})
	snap := load(t, s)
	res := commit(t, s, snap, put(snap.Live("a"), `{"id":"a","type":"x"}`), toArchive(snap, "a"))
	if res.Applied != 1 || len(res.Skipped) != 1 {
		t.Errorf("%+v", res)
	}
}

func TestLockedWorkspace(t *testing.T) {
	s := open(t, tree{"global/a.json": `{"id":"a",` + rec + `}`})
	snap := load(t, s)
	release, err := workspace.LockForTest(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait = 30 * time.Millisecond
	_, err = s.Commit(context.Background(), &workspace.Tx{Plan: memory.Command(snap, "", toArchive(snap, "a"))})
	if !errors.Is(err, workspace.ErrLocked) || !strings.Contains(err.Error(), "pid") {
		t.Errorf("want ErrLocked naming the holder, got %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if res := commit(t, s, snap, toArchive(snap, "a")); res.Applied != 1 {
		t.Errorf("after release: %+v", res)
	}
	clean(t, s)
}
