package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// edits are the ways in which somebody else changes a file.
var edits = []string{"in place", "rename", "delete", "directory", "late"}

const mark = "by-another-hand"

// byHand is what a person makes of a file: of an index, the log and the queue a
// document with a member more, of others a text of their own.
func byHand(name string, now []byte) []byte {
	var doc map[string]any
	if (path.Base(name) == memory.IndexFile || strings.HasPrefix(name, memory.OpsDir+"/")) && json.Unmarshal(now, &doc) == nil {
		return []byte(strings.Replace(string(now), "{", `{"`+mark+`":1,`, 1))
	}
	return []byte(record("hand", mark))
}

// edit makes one edit; it is false when it can't be made at that moment.
func edit(m *faultfs.Mem, kind, name string, late func([]byte)) bool {
	now, _, err := m.Read(name, 1<<30)
	switch kind {
	case "in place":
		return err == nil && m.Overwrite(name, byHand(name, now)) == nil
	case "rename":
		return m.Put(name, byHand(name, now)) == nil
	case "delete":
		return err == nil && m.Remove(name) == nil
	case "directory":
		return err == nil && m.Remove(name) == nil && m.Mkdir(name) == nil && m.Put(name+"/inside", []byte(mark)) == nil
	case "late":
		if late != nil {
			late([]byte(mark))
		}
		return late != nil
	}
	panic(kind)
}

// touched lists the paths that a scenario writes, and what it writes into each
// action's files.
func (sc *scenario) touched(t *testing.T) (names []string) {
	all := map[string]bool{}
	stages := sc.stages(t)
	for i := range stages[1:] {
		for name, text := range stages[i+1] {
			if was, ok := stages[i][name]; !ok || was != text {
				all[name] = true
			}
		}
		for name := range stages[i] {
			if _, ok := stages[i+1][name]; !ok {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// TestEveryMomentIsEdited lets somebody else change each file that a run touches,
// in each way, at each step: nothing of theirs is lost, and each action happens
// whole or not at all.
func TestEveryMomentIsEdited(t *testing.T) {
	total := 0
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			names := sc.touched(t)
			steps, _ := sc.disturbed(sc.disk(t), func(int, faultfs.Step) error { return nil })
			if len(sc.files) > 20 {
				names = names[:3]
			}
			var bad []string
			for at := 1; at <= steps; at += size(13, 2, 1) {
				for i, name := range names {
					for k, kind := range edits {
						if harness != "full" && (at+i*len(edits)+k)%(len(names)*len(edits)) != 0 {
							continue
						}
						if len(sc.files) > 20 && at%size(40, 20, 2) != 1 {
							continue
						}
						id := fmt.Sprintf("%s/%d/%s/%s", sc.name, at, kind, name)
						if *onlyCase != "" && *onlyCase != id {
							continue
						}
						if made, err := sc.editedAt(t, sc.disk(t), at, kind, name); err != nil {
							bad = append(bad, fmt.Sprintf("-harness.case='%s': %v", id, err))
						} else if made {
							total++
						}
					}
				}
			}
			report(t, bad)
		})
	}
	t.Logf("%d edits", total)
}

// editedAt runs the scenario with one edit and judges what came out.
func (sc *scenario) editedAt(t *testing.T, m *faultfs.Mem, at int, kind, name string) (made bool, err error) {
	var late func([]byte)
	var log []string
	sc.disturbed(m, func(n int, s faultfs.Step) error {
		if s.Op == "lock" && kind == "late" {
			late, _ = m.Open(sc.bare(name)) // as the command found it; nil if it isn't there
		}
		if n == at {
			made = edit(m, kind, sc.bare(name), late)
			log = append(log, fmt.Sprintf("before %s %s %s", s.Op, s.Name, s.To))
		}
		return nil
	})
	if !made {
		return false, nil
	}
	if err := sc.recovered(m); err != nil {
		return true, fmt.Errorf("%v: recovery: %w", log, err)
	}
	if kind != "delete" && !held(m, kind == "late") {
		return true, fmt.Errorf("%v: the edit is lost", log)
	}
	if err := sc.whole(m, name); err != nil {
		return true, fmt.Errorf("%v: %w", log, err)
	}
	if open, err := openRuns(sc.root(m)); err != nil || len(open) > 0 {
		return true, fmt.Errorf("%v: unfinished %v %w", log, open, err)
	}
	return true, nil
}

// held reports whether the other's text still is somewhere that people look, or,
// if it came late, in a slot that will be looked through.
func held(m *faultfs.Mem, slots bool) bool {
	for name, text := range names(m) {
		if strings.Contains(text, mark) && (slots || !strings.HasPrefix(name, RunsDir+"/")) {
			return true
		}
	}
	return false
}

// whole checks every logged and journaled action: its files, but for the one that
// was edited, are all as before or all as after.
func (sc *scenario) whole(m *faultfs.Mem, edited string) error {
	files, root := names(m), sc.root(m)
	names, _, err := runNames(root)
	if err != nil {
		return err
	}
	last := map[string]string{} // path -> the last run that wrote it
	var runs []*journal.Run
	for _, name := range names {
		j := &journal.Run{}
		if err := journal.Read(root, RunsDir+"/"+name+"/"+journalFile, j); err != nil {
			return err
		}
		runs = append(runs, j)
	}
	slices.SortFunc(runs, func(a, b *journal.Run) int { return a.Started.Compare(b.Started) })
	for _, j := range runs {
		for _, c := range j.Files {
			last[c.Path] = j.RunID
		}
	}
	var logged oplog.Log
	if log, err := oplog.Read([]byte(files[memory.LogFile])); err == nil {
		logged = *log
	}
	for _, j := range runs {
		d := &journal.Done{}
		if err := journal.Read(root, RunsDir+"/"+j.RunID+"/"+doneFile, d); err != nil {
			return err
		}
		for i := range j.Files {
			c := &j.Files[i]
			if c.Path == edited || strings.HasPrefix(edited, c.Path+"/") || last[c.Path] != j.RunID {
				continue
			}
			want, verb := c.Next, "should be as after it"
			if _, dead := d.Dead[c.Group]; dead {
				want, verb = c.Base, "should be as before it"
			}
			if got, _ := durable.Hash(root, c.Path); got != want {
				return fmt.Errorf("run %s, group %d (dead: %q): %s %s", j.RunID, c.Group, d.Dead[c.Group], c.Path, verb)
			}
		}
		if entry, ok := logged.Find(j.RunID); ok && edited != memory.LogFile {
			for _, a := range j.Actions {
				_, dead := d.Dead[a.Group]
				told := slices.ContainsFunc(entry.Actions, func(l oplog.Action) bool {
					return l.Type == a.Action.Type && l.MemoryID == a.Action.MemoryID && l.ResultID == a.Action.ResultID && slices.Equal(l.MemoryIDs, a.Action.MemoryIDs)
				})
				if told == dead {
					return fmt.Errorf("run %s: the log tells %s, dead: %v", j.RunID, a.Action.Type, dead)
				}
			}
		}
	}
	return nil
}

// TestLateWritesAreSwept writes into a displaced file after its run is over: the
// text comes to light when the record is collected.
func TestLateWritesAreSwept(t *testing.T) {
	sc := scenarios()[0]
	m := sc.disk(t)
	late, err := m.Open("agents/a/a-1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.steps[0](sc.store(m, 0)); err != nil {
		t.Fatal(err)
	}
	late([]byte(mark))
	s := sc.store(m, 3)
	s.Keep = 0
	if _, err := s.Commit(context.Background(), &Tx{Plan: memory.Command(&memory.Snapshot{At: day}, "")}); err != nil {
		t.Fatal(err)
	}
	if err := s.writer().Collect(); err != nil {
		t.Fatal(err)
	}
	if names, trash, _ := runNames(m); len(names)+len(trash) > 0 || !held(m, false) {
		t.Errorf("runs %v %v, text held: %v", names, trash, held(m, false))
	}
}

// TestSweptWithoutJournal: what was displaced, and nobody has written into since, goes though
// the journal of its run can't be read.
func TestSweptWithoutJournal(t *testing.T) {
	m := scenarios()[0].disk(t)
	if err := scenarios()[0].steps[0](scenarios()[0].store(m, 0)); err != nil {
		t.Fatal(err)
	}
	displaced, journals := 0, 0
	for name := range m.Files() {
		switch {
		case strings.HasPrefix(name, displacedDir+"/"):
			displaced++
		case strings.HasSuffix(name, "/"+journalFile):
			journals++
			if err := m.Append(name, []byte("torn")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if displaced == 0 || journals == 0 {
		t.Fatalf("%d displaced files, %d journals", displaced, journals)
	}
	s := scenarios()[0].store(m, 1)
	s.Now = func() time.Time { return day.Add(2 * keepPatched) }
	if err := s.writer().SweepDisplaced(); err != nil {
		t.Fatal(err)
	}
	for name := range m.Files() {
		if strings.HasPrefix(name, displacedDir+"/") {
			t.Errorf("%s is still there", name)
		}
	}
}
