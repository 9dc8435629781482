package workspace

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// logless is what people see, the log aside.
func logless(m *faultfs.Mem) map[string]string {
	files := visible(m)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return name == memory.LogFile || name == memory.SavesFile || strings.HasPrefix(name, LogArchive)
	})
	return files
}

// Undoing all runs of a scenario, last first, gives every byte back; undoing those
// undos, last first, does everything again.
func TestUndoIsTheIdentity(t *testing.T) {
	for _, sc := range scenarios() {
		if sc.name == "reindex" || sc.name == "saves moved into the log" || sc.name == "gc" || sc.name == "log broken" || strings.HasPrefix(sc.name, "undo") || sc.name == "redo" || sc.name == "all skipped" {
			continue // no actions, or no records
		}
		t.Run(sc.name, func(t *testing.T) {
			m := sc.disk(t)
			var states []map[string]string
			for i, step := range sc.steps {
				runs, err := sc.store(m, 0).finished()
				if err == nil && len(runs) == len(states) { // else the step before was not a run
					states = append(states, logless(m))
				}
				if err = errors.Join(err, step(sc.store(m, i)), sc.recovered(m)); err != nil {
					t.Fatal(err)
				}
			}
			final := logless(m)
			runs, err := sc.store(m, 0).finished()
			if err != nil {
				t.Fatal(err)
			}
			command := len(sc.steps)
			undo := func(name string) string {
				t.Helper()
				s := sc.store(m, command)
				command++
				res, err := s.Undo(context.Background(), name, nil, day)
				if err != nil || len(res.Skipped) > 0 || res.Entry == nil || res.Entry.UndoOf != name {
					t.Fatalf("undo %s: %+v %v", name, res, err)
				}
				return res.RunID
			}
			var undos []string
			for i := len(runs) - 1; i >= 0; i-- {
				undos = append(undos, undo(runs[i].name))
				if diff := cmp.Diff(states[i], logless(m)); diff != "" {
					t.Fatalf("after undoing run %d:\n%s", i, diff)
				}
			}
			for i := len(undos) - 1; i >= 0; i-- {
				undo(undos[i])
			}
			if diff := cmp.Diff(final, logless(m)); diff != "" {
				t.Errorf("after undoing the undos:\n%s", diff)
			}
			if problems := oplog.Verify([]byte(names(m)[memory.LogFile])); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
}

func scenarioNamed(t testing.TB, name string) scenario {
	for _, sc := range scenarios() {
		if sc.name == name {
			return sc
		}
	}
	t.Fatalf("no scenario %q", name)
	return scenario{}
}

func TestUndoOfOneAction(t *testing.T) {
	for _, name := range []string{"merges", "collection"} {
		sc := scenarioNamed(t, name)
		m := sc.disk(t)
		before := logless(m)
		if err := sc.steps[0](sc.store(m, 0)); err != nil {
			t.Fatal(err)
		}
		after := logless(m)
		s := sc.store(m, 1)
		runs, err := s.finished()
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Undo(context.Background(), runs[0].name, func(n int, _ oplog.Action) bool { return n == 1 }, day)
		if err != nil || res.Applied != 1 || len(res.Skipped) != 0 {
			t.Fatalf("%s: %+v %v", name, res, err)
		}
		back := runs[0].j.Actions[1]
		got := logless(m)
		for _, c := range runs[0].j.Files {
			want := after[c.Path]
			if len(c.Actions) == 1 && c.Actions[0] == back.Plan {
				want = before[c.Path]
			}
			if got[c.Path] != want {
				t.Errorf("%s: %s is %q, want %q", name, c.Path, got[c.Path], want)
			}
		}
		problems, err := s.Check(day)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if p.Severity == memory.Error {
				t.Errorf("%s: %s: %s", name, p.File, p.Message)
			}
		}
	}
}

func mustLoad(t *testing.T, s *FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := s.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// What was changed since is left, a whole action at a time.
func TestUndoLeavesWhatChangedSince(t *testing.T) {
	sc := scenarioNamed(t, "merges")
	m := sc.disk(t)
	before := logless(m)
	if err := sc.steps[0](sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	after := logless(m)
	mine := strings.Replace(after["agents/a/a-0.json"], "merged", "edited by hand", 1)
	if err := m.Overwrite("agents/a/a-0.json", []byte(mine)); err != nil {
		t.Fatal(err)
	}
	s := sc.store(m, 1)
	runs, err := s.finished()
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Undo(context.Background(), runs[0].name, nil, day)
	if err != nil || res.Applied != 2 || len(res.Skipped) == 0 || res.Skipped[0].Reason != ReasonChanged {
		t.Fatalf("%+v %v", res, err)
	}
	got := logless(m)
	for name, want := range map[string]string{
		"agents/a/a-0.json": mine, "archive/a-1.json": after["archive/a-1.json"], "agents/a/a-1.json": "",
		"agents/a/a-2.json": before["agents/a/a-2.json"], "agents/a/a-3.json": before["agents/a/a-3.json"], "archive/a-3.json": "",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if res, err := s.Undo(context.Background(), runs[0].name, nil, day); err != nil || res.Applied != 0 {
		t.Errorf("a second undo: %+v %v", res, err)
	}
	if _, err := s.Undo(context.Background(), "run_unknown", nil, day); !errors.Is(err, ErrNoRun) {
		t.Errorf("an unknown run: %v", err)
	}
	if _, err := s.Undo(context.Background(), "../x", nil, day); !errors.Is(err, ErrNoRun) {
		t.Errorf("a path: %v", err)
	}
}

func TestHistory(t *testing.T) {
	sc := scenarioNamed(t, "two runs")
	m := sc.disk(t)
	for i, step := range sc.steps {
		if err := step(sc.store(m, i)); err != nil {
			t.Fatal(err)
		}
	}
	s := sc.store(m, 2)
	runs, err := s.finished()
	if err != nil {
		t.Fatal(err)
	}
	vs, err := s.History("a-0")
	if err != nil || len(vs) != 1 || !strings.Contains(string(vs[0].After), "merged") || strings.Contains(string(vs[0].Before), "merged") || vs[0].Action.Rule != "merge" {
		t.Fatalf("%+v %v", vs, err)
	}
	if got, err := s.RecordAt("a-2", runs[0].name); err != nil || got.File != "agents/a/a-2.json" {
		t.Errorf("a-2 after the first run: %+v %v", got, err)
	}
	if got, err := s.RecordAt("a-2", runs[1].name); err != nil || got.File != "archive/a-2.json" {
		t.Errorf("a-2 after the second run: %+v %v", got, err)
	}
	if got, err := s.RecordAt("nobody", runs[0].name); got != nil || err != nil {
		t.Errorf("nobody: %+v %v", got, err)
	}
}

// Putting a record where it stands already changes nothing: no file is written for it,
// it keeps no other change from being undone, and another action may take the memory.
func TestPutOfTheSame(t *testing.T) {
	sc := scenario{files: indexed(map[string]string{"long/c.json": collection, "long/d.json": record("d", "text of d")}, "long")}
	m := sc.disk(t)
	before := logless(m)
	s := sc.store(m, 0)
	snap := mustLoad(t, s)
	same := func(id string) memory.Op {
		m := snap.Live(id)
		return memory.Op{Kind: memory.Put, ID: id, Ref: m.Ref, Base: m.Digest(), Raw: m.Raw()}
	}
	edit := func(ops ...memory.Op) memory.Action {
		return memory.Action{Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: ops[0].ID}, Ops: ops}
	}
	changed := same("c1")
	changed.Raw = edited(snap.Live("c1"), "changed")
	taken := archiveOf(snap, "d", snap.NewFiles())
	res, err := s.Commit(context.Background(), &Tx{Plan: memory.Command(snap, "", edit(same("c0"), same("d"), changed), edit(same("c2")), taken)})
	if err != nil || res.Applied != 3 || len(res.Skipped) > 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	runs, err := s.finished()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range runs[0].j.Actions {
		for _, op := range a.Ops {
			if op.Idle() {
				t.Errorf("recorded though it changes nothing: %+v", op)
			}
		}
	}
	if got, err := s.RecordAt("c0", res.RunID); err != nil && !errors.Is(err, ErrNotFound) || got != nil && got.ID != "c0" {
		t.Errorf("c0 after the run: %+v, %v", got, err)
	}
	undone, err := s.Undo(context.Background(), res.RunID, nil, day)
	if err != nil || undone.Applied != 3 || len(undone.Skipped) > 0 {
		t.Fatalf("%+v, %v", undone, err)
	}
	if diff := cmp.Diff(before, logless(m)); diff != "" {
		t.Errorf("after undoing it:\n%s", diff)
	}
}
