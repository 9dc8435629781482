package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

func open(t interface {
	Fatal(...any)
}, dir string, files map[string]string) *workspace.FileStore {
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// memories reads back every file that holds, or held, memories.
func memories(t interface{ Fatal(...any) }, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == memory.IndexFile || strings.Contains(filepath.ToSlash(name), "/ops/") {
			return err
		}
		text, err := os.ReadFile(name)
		out[strings.TrimPrefix(name, dir)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compact(text string) string {
	return string(jsonedit.Compact([]byte(strings.TrimPrefix(text, "\ufeff"))))
}

func apply(t interface{ Fatal(...any) }, s *workspace.FileStore, build func(*memory.Snapshot) ([]memory.Action, error)) *workspace.Result {
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	actions, err := build(snap)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Commit(context.Background(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), actions...)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Archiving any memories one by one and restoring them in any order gives back
// every file, byte for byte.
func TestRestoreUndoesArchive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "archive")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := random.Workspace(t)
		s := open(t, dir, files)
		defer s.Close()
		before := memories(t, dir)
		snap, err := s.Load(random.At)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, m := range snap.Memories() {
			if len(ids) < 5 && rapid.Bool().Draw(t, "archive "+m.ID) && m.Locked == "" {
				ids = append(ids, m.ID)
			}
		}
		left, emptied := map[string]int{}, map[string]bool{}
		for _, m := range snap.Memories() {
			if !m.Whole() {
				left["/"+m.File]++
			}
		}
		for _, id := range ids {
			if m := snap.Live(id); !m.Whole() {
				left["/"+m.File]--
				emptied["/"+m.File] = emptied["/"+m.File] || left["/"+m.File] == 0
			}
		}
		// The last one out is the first one back: positions in a collection are
		// those at the time of archiving.
		for _, id := range ids {
			if res := apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", id) }); res.Applied != 1 {
				t.Fatalf("archive %s: %+v", id, res)
			}
		}
		for i := range ids {
			id := ids[len(ids)-1-i]
			if res := apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, id) }); res.Applied != 1 {
				t.Fatalf("restore %s: %+v", id, res)
			}
		}
		after := memories(t, dir)
		for name := range before {
			if emptied[name] { // the layout inside [] can't be known any more
				before[name], after[name] = compact(before[name]), compact(after[name])
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestErrors(t *testing.T) {
	s := open(t, t.TempDir(), map[string]string{
		"global/a.json":  `{"id":"a","type":"x","content":"1"}`,
		"archive/b.json": `{"id":"b","type":"x","content":"2"}`,
	})
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Archive(snap, "", "nobody"); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := archive.Archive(snap, "", "b"); err == nil || !strings.Contains(err.Error(), "archived already") {
		t.Errorf("archived id: %v", err)
	}
	if _, err := archive.Restore(snap, "a"); err == nil || !strings.Contains(err.Error(), "not archived") {
		t.Errorf("live id: %v", err)
	}
}

// A memory whose old place is taken, or unknown, comes back as a file of its own.
func TestRestoreWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, map[string]string{
		"archive/b.json": `{"id":"b","type":"x","scope":"team","scope_id":"qa","content":"2"}`,
		"global/a.json":  `{"id":"a","type":"x","content":"1"}`,
	})
	apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", "a") })
	if err := os.WriteFile(filepath.Join(dir, "global/a.json"), []byte(`{"taken":true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, "a", "b") })
	got := memories(t, dir)
	for name, want := range map[string]string{
		"/global/a.json": `{"taken":true}`, "/teams/qa/b.json": `{"id":"b","type":"x","scope":"team","scope_id":"qa","content":"2"}`,
	} {
		if got[name] != want {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	if m := snap.Live("a"); m == nil || m.File != "global/a-2.json" {
		t.Errorf("a: %+v", m)
	}
}

// Elements archived together come back together, in their order.
func TestRestoreSeveralElements(t *testing.T) {
	const before = `{"entries":[{"id":"a","type":"x"},{"id":"b","type":"x"},{"id":"c","type":"x"},{"id":"d","type":"x"},{"id":"e","type":"x"}]}`
	for _, ids := range [][]string{{"b", "c"}, {"d", "b", "c"}, {"e", "a"}, {"e", "d", "c", "b"}} {
		dir := t.TempDir()
		s := open(t, dir, map[string]string{"l.json": before})
		apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Archive(sn, "test", ids...) })
		apply(t, s, func(sn *memory.Snapshot) ([]memory.Action, error) { return archive.Restore(sn, ids...) })
		if got := memories(t, dir)["/l.json"]; got != before {
			t.Errorf("%v: %s", ids, got)
		}
	}
}

// What promotion has spread is taken back, with what was made of it; what layers have made of a memory in its own scope is not a spreading, but what rose
// from there to a wider scope is.
func TestDemote(t *testing.T) {
	files := map[string]string{}
	for _, m := range []struct{ file, from string }{
		{"agents/DEV-001/own", ""},
		{"teams/dev/copy", "own"},      // promoted
		{"teams/dev/fact", "copy"},     // of layers, from what was promoted
		{"global/all", "fact"},         // promoted
		{"teams/dev/working", ""},      // the team's own
		{"teams/dev/rose", "working"},  // of layers
		{"global/spread", "rose"},      // promoted
		{"teams/dev/adopted", "other"}, // whose original isn't here
	} {
		id := m.file[strings.LastIndexByte(m.file, '/')+1:]
		from := ""
		if m.from != "" {
			from = fmt.Sprintf(`, "promoted_from": "mem_%s"`, m.from)
		}
		files[m.file+".json"] = fmt.Sprintf(`{"id": "mem_%s", "type": "semantic", "created_at": "2026-01-01T00:00:00Z", "content": "About %s."%s}`, id, id, from)
	}
	s := open(t, t.TempDir(), files)
	defer func() { _ = s.Close() }()
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, want string }{
		{"own", "copy fact all"}, {"copy", "copy fact all"}, {"fact", "all"}, {"all", "all"},
		{"working", "spread"}, {"rose", "spread"}, {"spread", "spread"}, {"adopted", "adopted"},
	} {
		actions, _, err := archive.Demote(snap, "mem_"+c.id)
		var got []string
		for _, a := range actions {
			got = append(got, strings.TrimPrefix(a.MemoryID, "mem_"))
		}
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("demote %s takes back %v, want %s: %v", c.id, got, c.want, err)
		}
	}
	delete(files, "global/spread.json")
	plain := open(t, t.TempDir(), files)
	defer func() { _ = plain.Close() }()
	if snap, err = plain.Load(random.At); err != nil {
		t.Fatal(err)
	}
	if actions, _, err := archive.Demote(snap, "mem_working"); err == nil {
		t.Errorf("a layer within a team is taken back: %+v", actions)
	}
}

// What a rule archived comes back if the archived record was edited since, as a merge of two machines leaves it; reads and what was
// done to it in the archive are not a reason, nor is what the log has of other machines at later times.
func TestEditedMeanwhile(t *testing.T) {
	const was = `{"id": "mem_a", "type": "factual", "updated_at": "2026-01-01T00:00:00Z", "content": "The shed is green.", "access_count": 1}`
	for name, c := range map[string]struct {
		now, rule string
		after     *oplog.Action // in the log of another machine, later
		back      bool
	}{
		"as it was":           {now: was, rule: "archive"},
		"read":                {now: strings.Replace(was, `"access_count": 1`, `"access_count": 7, "last_accessed": "2026-02-01T00:00:00Z"`, 1), rule: "archive"},
		"edited":              {now: strings.Replace(was, "green", "red", 1), rule: "archive", back: true},
		"by hand":             {now: strings.Replace(was, "green", "red", 1), rule: memory.RuleManual},
		"edited there, later": {now: strings.Replace(was, "green", "red", 1), rule: "archive", back: true, after: &oplog.Action{Type: oplog.Edit, MemoryID: "mem_a", From: "global/mem_a.json"}},
		"redacted":            {now: strings.Replace(was, "green", "red", 1), rule: "archive", after: &oplog.Action{Type: oplog.Edit, MemoryID: "mem_a", From: "archive/mem_a.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory.ParseRecord([]byte(was), memory.Ref{File: "archive/mem_a.json"})
			log := &oplog.Log{Entries: []oplog.Entry{{RunID: "run_1", Actions: []oplog.Action{{
				Type: oplog.Archive, Rule: c.rule, MemoryID: "mem_a", From: "global/mem_a.json", Archived: map[string]string{"mem_a": string(m.EditDigest())},
			}}}}}
			if c.after != nil {
				log.Entries = append(log.Entries, oplog.Entry{RunID: "run_2", Actions: []oplog.Action{*c.after}})
			}
			s := open(t, t.TempDir(), map[string]string{"archive/mem_a.json": c.now})
			defer func() { _ = s.Close() }()
			snap, err := s.Load(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			actions := archive.EditedMeanwhile(snap, log)
			if got := len(actions) == 1; got != c.back || got && (actions[0].Reason != archive.ReasonEdited || actions[0].Type != oplog.Restore) {
				t.Errorf("%+v", actions)
			}
		})
	}
}
