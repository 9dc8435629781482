package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// saves commits a new memory, as "memory add" does.
func saves(id string) func(s *FileStore) error {
	return func(s *FileStore) error {
		snap, err := s.Load(day)
		if err != nil {
			return err
		}
		a, err := memory.New(snap, memory.Draft{ID: id, Type: memory.Semantic, Scope: memory.Global, CreatedBy: "a", Content: []byte(`"A text of ` + id + `."`)})
		if err != nil {
			return err
		}
		_, err = s.Commit(context.Background(), &Tx{Plan: memory.Command(snap, s.Log().Head(), a), Save: true})
		return err
	}
}

// loggedRuns lists the runs of the log, and checks its chain.
func loggedRuns(t *testing.T, s *FileStore) (entries []oplog.Entry) {
	t.Helper()
	log, err := s.Log().Read()
	if err != nil {
		t.Fatal(err)
	}
	problems, count, head, err := s.Log().Verify()
	if err != nil || len(problems) > 0 || count != len(log.Entries) || head != s.Log().Head() {
		t.Fatalf("%d entries, %d by the chain, head %s, not %s: %v, %v", len(log.Entries), count, head, s.Log().Head(), problems, err)
	}
	for i, e := range log.Entries {
		if prev := ""; i > 0 {
			if prev = log.Entries[i-1].Hash; e.PrevHash != prev {
				t.Fatalf("entry %d follows %s, not %s", i, e.PrevHash, prev)
			}
		}
	}
	return log.Entries
}

// TestSavesAreLogged: a save stands in the log as soon as it is made and costs no writing of the log's document, into
// which the next other run moves it as it is.
func TestSavesAreLogged(t *testing.T) {
	sc := scenario{name: "saves", files: memories("agents/a", 5)}
	m := sc.disk(t)
	s := sc.store(m, 0)
	if err := archives("a-4")(s); err != nil {
		t.Fatal(err)
	}
	before, err := s.Read(memory.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := saves(fmt.Sprintf("new-%d", n))(s); err != nil {
			t.Fatal(err)
		}
		entries := loggedRuns(t, s)
		last := entries[len(entries)-1]
		if len(entries) != n+2 || last.Actions[0].Type != oplog.Add || last.Actions[0].MemoryID != fmt.Sprintf("new-%d", n) || last.Actions[0].Actor != "a" || last.Stats.MemoriesAdded != 1 {
			t.Fatalf("after save %d: %+v", n, last)
		}
	}
	if now, err := s.Read(memory.LogFile); err != nil || string(now) != string(before) {
		t.Fatal("a save wrote the log", err)
	}
	apart := loggedRuns(t, s)
	if err := archives("a-3")(s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(memory.SavesFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", memory.SavesFile, err)
	}
	moved := loggedRuns(t, s)
	if len(moved) != len(apart)+1 {
		t.Fatalf("%d entries, then %d", len(apart), len(moved))
	}
	for i := range apart {
		if apart[i].Hash != moved[i].Hash {
			t.Errorf("entry %d has another hash now", i)
		}
	}
	if problems, err := s.Check(day); err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
}

// TestManySavesMoveThemselves: lines don't grow without end where nothing but saves is made.
func TestManySavesMoveThemselves(t *testing.T) {
	sc := scenario{name: "saves", files: memories("agents/a", 1)}
	m := sc.disk(t)
	s := sc.store(m, 0)
	if err := saves("first")(s); err != nil {
		t.Fatal(err)
	}
	line := loggedRuns(t, s)[0]
	doc, err := s.Read(memory.SavesFile)
	if err != nil {
		t.Fatal(err)
	}
	lines, head := oplog.ParseLines(doc), line
	for n := 0; len(doc) < savesLimit; n++ {
		head.RunID = fmt.Sprintf("run_%d", n)
		added, err := lines.Line(&head, oplog.Tail{})
		if err != nil {
			t.Fatal(err)
		}
		doc = append(doc, added...)
		lines = oplog.ParseLines(doc)
	}
	if err := m.Put(memory.SavesFile, doc); err != nil {
		t.Fatal(err)
	}
	if err := saves("last")(s); err != nil {
		t.Fatal(err)
	}
	if entries := loggedRuns(t, s); len(entries) != lines.Len()+1 {
		t.Errorf("%d entries of %d", len(entries), lines.Len()+1)
	}
	if _, err := s.Read(memory.SavesFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", memory.SavesFile, err)
	}
}

// TestLinesOfOthers: lines that somebody has changed, cut or torn are found out, and no save is kept from being made.
func TestLinesOfOthers(t *testing.T) {
	for name, spoil := range map[string]struct {
		do    func(doc string) string
		found bool
	}{
		"changed":         {func(doc string) string { return strings.Replace(doc, "new-0", "new-9", 1) }, true},
		"a line is gone":  {func(doc string) string { lines := strings.SplitAfter(doc, "\n"); return lines[0] + lines[2] }, true},
		"a line is prose": {func(doc string) string { return doc + "so what\n" }, true},
		"the end is torn": {func(doc string) string { return doc + `{"run_id": "run_x", "act` }, false},
		"no end of line":  {func(doc string) string { return strings.TrimSuffix(doc, "\n") }, false},
		"all of it":       {func(string) string { return "" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			sc := scenario{name: "saves", files: memories("agents/a", 3)}
			m := sc.disk(t)
			s := sc.store(m, 0)
			for n := range 2 {
				if err := saves(fmt.Sprintf("new-%d", n))(s); err != nil {
					t.Fatal(err)
				}
			}
			doc, err := s.Read(memory.SavesFile)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Put(memory.SavesFile, []byte(spoil.do(string(doc)))); err != nil {
				t.Fatal(err)
			}
			problems, _, _, err := s.Log().Verify()
			if err != nil || len(problems) > 0 != spoil.found {
				t.Errorf("verify: %v, %v", problems, err)
			}
			if err := saves("new-2")(s); err != nil {
				t.Fatal(err)
			}
			if err := archives("a-1")(s); err != nil {
				t.Fatal(err)
			}
			log, err := s.Log().Read()
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"new-2", "a-1"} {
				found := false
				for _, e := range log.Entries {
					for _, a := range e.Actions {
						found = found || a.MemoryID == id
					}
				}
				if !found {
					t.Errorf("the log lacks %s", id)
				}
			}
			if !spoil.found {
				loggedRuns(t, s)
			}
		})
	}
}

// TestSavesLeaveRunsTheirRecords: a day after a burst of saves the last run of the rules can still be taken back, and
// so can the last saves.
func TestSavesLeaveRunsTheirRecords(t *testing.T) {
	const keep = 3
	sc := scenario{name: "burst", files: memories("agents/a", 5), keep: keep}
	m := sc.disk(t)
	at := day
	s := sc.store(m, 0)
	s.Now = func() time.Time { return at }
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	plan := &memory.Plan{At: day, Trigger: "manual", Actions: []memory.Action{archiveOf(snap, "a-1", snap.NewFiles())}}
	plan.Seal(s.Log().Head())
	run, err := s.Commit(t.Context(), &Tx{Plan: plan, Snapshot: snap})
	if err != nil || run.RunID == "" {
		t.Fatalf("%+v, %v", run, err)
	}
	var last string
	for n := range 40 {
		at = at.Add(3 * time.Hour)
		if err := saves(fmt.Sprintf("new-%d", n))(s); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		at = at.Add(48 * time.Hour)
		if err := saves(fmt.Sprintf("later-%d", n))(s); err != nil {
			t.Fatal(err)
		}
		entries := loggedRuns(t, s)
		last = entries[len(entries)-1].RunID
	}
	if all, _, err := runNames(m); err != nil || len(all) > 2*keep+keep/5+1 {
		t.Errorf("%d records are left, %v", len(all), err)
	}
	for _, id := range []string{run.RunID, last} {
		if res, err := s.Undo(t.Context(), id, nil, day); err != nil || res.Applied != 1 {
			t.Errorf("undo %s: %+v, %v", id, res, err)
		}
	}
}

// TestSaveLeavesIndexBehind: a save writes no index that is there; a check counts no error; and the next writer, or who
// closes the store, brings it up to date.
func TestSaveLeavesIndexBehind(t *testing.T) {
	sc := scenario{name: "saves", files: memories("global", 2)}
	for name, then := range map[string]func(s *FileStore) error{
		"an update": updatesIndexes,
		"a run":     archives("global-0"),
		"a close":   func(s *FileStore) error { return s.Close() },
		"a repair":  func(s *FileStore) error { _, err := s.Fix(context.Background(), day); return err },
	} {
		m := sc.disk(t)
		s := sc.store(m, 0)
		before := m.Files()["global/"+memory.IndexFile]
		for n := range 3 {
			if err := saves(fmt.Sprintf("new-%d", n))(s); err != nil {
				t.Fatal(err)
			}
		}
		if now := m.Files()["global/"+memory.IndexFile]; now != before || !Behind(s) {
			t.Errorf("%s: a save wrote the index", name)
		}
		if problems, err := s.Check(day); err != nil || len(problems) > 0 {
			t.Errorf("%s: check: %v, %v", name, problems, err)
		}
		if behind, err := IndexesBehind(s); err != nil || len(behind) != 1 {
			t.Errorf("%s: behind are %v, %v", name, behind, err)
		}
		if err := then(s); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if !strings.Contains(m.Files()["global/"+memory.IndexFile], fmt.Sprintf(`"new-%d"`, n)) {
				t.Errorf("%s: new-%d is not listed", name, n)
			}
		}
		other := sc.store(m, 1)
		if problems, err := other.Check(day); err != nil || len(problems) > 0 {
			t.Errorf("%s: then check: %v, %v", name, problems, err)
		}
		if behind, err := IndexesBehind(other); err != nil || len(behind) > 0 {
			t.Errorf("%s: then behind are %v, %v", name, behind, err)
		}
	}
}

// TestUndoOfSavesListedTogether: saves that an index listed at once are taken back one by one, last first, and each time every
// byte is as it was before, whatever the form of the index. Undone undos do all of it again.
func TestUndoOfSavesListedTogether(t *testing.T) {
	for name, doc := range map[string]string{
		"ours": `{
  "version": "1.0.0",
  "last_updated": "2026-01-02T03:04:05Z",
  "entry_count": 0,
  "entries": [],
  "tag_index": {},
  "type_index": {}
}
`,
		"of one line":    `{"memories":[]}`,
		"out of step":    "{\"last_updated\": \"yesterday\",\n\t\"entries\": [\n\n\t], \"entry_count\": 7 }",
		"with its lines": `{"entries": [ {"id": "global-0", "file": "global-0.json", "mine": 1}  ] }`,
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			if name == "with its lines" {
				files = memories("global", 1)
			}
			files["global/"+memory.IndexFile] = doc
			sc := scenario{name: "saves", files: files}
			m := sc.disk(t)
			s := sc.store(m, 0)
			before := logless(m)
			for n := range 3 {
				if err := saves(fmt.Sprintf("new-%d", n))(sc.store(m, n)); err != nil {
					t.Fatal(err)
				}
			}
			if err := updatesIndexes(sc.store(m, 3)); err != nil {
				t.Fatal(err)
			}
			all := logless(m)
			runs, err := s.finished()
			if err != nil || len(runs) != 3 {
				t.Fatal(runs, err)
			}
			var undos []string
			for i := range 3 {
				res, err := sc.store(m, 4+i).Undo(context.Background(), runs[2-i].name, nil, day)
				if err != nil {
					t.Fatal(err)
				}
				undos = append(undos, res.RunID)
				if now := m.Files()["global/"+memory.IndexFile]; strings.Count(now, `"new-`) == 0 != (i == 2) {
					t.Errorf("undo %d: the index is\n%s", i, now)
				}
			}
			if diff := cmp.Diff(before, logless(m)); diff != "" {
				t.Errorf("undone:\n%s", diff)
			}
			for i := range 3 {
				if _, err := sc.store(m, 7+i).Undo(context.Background(), undos[2-i], nil, day); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(all, logless(m)); diff != "" {
				t.Errorf("done again:\n%s", diff)
			}
		})
	}
}
