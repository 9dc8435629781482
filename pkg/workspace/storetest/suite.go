package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Run checks a kind of disk. Open makes an empty one, and closes it when the test
// ends.
func Run(t *testing.T, open func(t *testing.T) workspace.Disk) {
	for name, test := range disks {
		t.Run("disk/"+name, func(t *testing.T) { test(t, open(t)) })
	}
	for name, test := range map[string]func(t *testing.T, open func(t *testing.T) workspace.Disk){
		"commit": testCommit, "conflict": testConflict, "recovery": testRecovery, "undo": testUndo,
		"log": testLog, "review": testReview, "limits": testLimits, "reads beside a writer": testReads,
	} {
		t.Run("store/"+name, func(t *testing.T) { test(t, open) })
	}
}

// at is the time of what the suite does.
var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// start opens a disk with four memories, two of them in a collection, and indexes.
func start(t *testing.T, d workspace.Disk) *workspace.FileStore {
	put(t, d, "global/a.json", record("a"))
	put(t, d, "global/b.json", record("b"))
	put(t, d, "agents/X/all.json", `{"entries": [`+record("c")+", "+record("d")+"]}\n")
	s := workspace.OpenOn(d)
	s.Wait = 0
	if _, err := s.Reindex(context.Background(), at); err != nil {
		t.Fatal(err)
	}
	return s
}

func record(id string) string {
	return fmt.Sprintf(`{"id": %q, "type": "semantic", "content": "text of %s", "n": 0.10}`, id, id)
}

func load(t *testing.T, s *workspace.FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := s.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// Archive is the plan that archives memories, an action each.
func Archive(s *workspace.FileStore, snap *memory.Snapshot, ids ...string) *memory.Plan {
	var actions []memory.Action
	files := snap.NewFiles()
	for _, id := range ids {
		actions = append(actions, memory.Action{
			Action: oplog.Action{Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, Reason: "test"},
			Ops:    []memory.Op{files.Archive(snap.Live(id), nil)},
		})
	}
	return memory.Command(snap, s.Log().Head(), actions...)
}

func commit(t *testing.T, s *workspace.FileStore, plan *memory.Plan) *workspace.Result {
	t.Helper()
	res, err := s.Commit(context.Background(), &workspace.Tx{Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// check fails the test where the workspace or its log isn't sound.
func check(t *testing.T, s *workspace.FileStore) {
	t.Helper()
	problems, err := s.Check(load(t, s).At)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("check: %s %s %s: %s", p.Severity, p.File, p.ID, p.Message)
	}
	if broken, _, _, err := s.Log().Verify(); err != nil || len(broken) > 0 {
		t.Errorf("log: %v, %v", broken, err)
	}
}

// memories returns every file outside ops/.
func memories(t *testing.T, d workspace.Disk) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := durable.Walk(d, ".", func(name string, kind durable.Kind) bool {
		if kind == durable.Regular && !strings.HasPrefix(name, memory.OpsDir+"/") {
			data, _, err := d.Read(name, 1<<20)
			if err != nil {
				t.Error(err)
			}
			files[name] = string(data)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func testCommit(t *testing.T, open func(t *testing.T) workspace.Disk) {
	s := start(t, open(t))
	res := commit(t, s, Archive(s, load(t, s), "a", "c"))
	if res.Applied != 2 || len(res.Skipped) > 0 || res.Entry == nil {
		t.Errorf("%+v", res)
	}
	snap := load(t, s)
	for id, live := range map[string]bool{"a": false, "b": true, "c": false, "d": true} {
		if (snap.Live(id) != nil) != live {
			t.Errorf("%s is live: %v", id, !live)
		}
	}
	check(t, s)
}

func testConflict(t *testing.T, open func(t *testing.T) workspace.Disk) {
	d := open(t)
	s := start(t, d)
	plan := Archive(s, load(t, s), "a", "b")
	edited := strings.Replace(record("a"), "0.10", "0.2", 1)
	if err := d.Remove("global/a.json"); err != nil {
		t.Fatal(err)
	}
	put(t, d, "global/a.json", edited)
	res := commit(t, s, plan)
	if res.Applied != 1 || len(res.Skipped) != 1 || res.Skipped[0].Reason != "changed_meanwhile" {
		t.Errorf("%+v", res)
	}
	want(t, d, "global/a.json", edited)
	want(t, d, "global/b.json", "")
	check(t, s)
}

// testRecovery cuts a commit off before each step that writes, as a kill does. The
// next store finds the workspace as it was before or as it is afterwards.
func testRecovery(t *testing.T, open func(t *testing.T) workspace.Disk) {
	run := func(cut int) (steps int, before, after map[string]string) {
		d := open(t)
		start(t, d)
		before = memories(t, d)
		hook := &faultfs.Hook{FS: d}
		var mu sync.Mutex // a commit writes its slots in parallel
		hook.Before = func(step faultfs.Step) error {
			mu.Lock()
			defer mu.Unlock()
			if step.Writes {
				steps++
			}
			if cut > 0 && steps >= cut {
				return faultfs.ErrCrashed
			}
			return nil
		}
		s := workspace.OpenOn(hook)
		_, err := s.Commit(context.Background(), &workspace.Tx{Plan: Archive(s, load(t, s), "a", "c")})
		if cut == 0 && err != nil {
			t.Fatal(err)
		}
		s = workspace.OpenOn(d)
		_, err = s.Undo(context.Background(), "run_none", nil, at) // any writer recovers first
		fails(t, fmt.Sprintf("undo of no run after step %d", cut), err, workspace.ErrNoRun)
		check(t, s)
		return steps, before, memories(t, d)
	}
	steps, _, committed := run(0)
	kept, done := 0, 0
	for cut := 1; cut <= steps; cut++ {
		_, before, after := run(cut)
		switch {
		case maps.Equal(after, committed):
			done++
		case maps.Equal(after, before):
			kept++
		default:
			t.Errorf("cut before step %d of %d: %s", cut, steps, cmp.Diff(committed, after))
		}
	}
	if kept == 0 || done == 0 {
		t.Errorf("%d cuts left the workspace as it was, %d as it is afterwards", kept, done)
	}
}

func testUndo(t *testing.T, open func(t *testing.T) workspace.Disk) {
	d := open(t)
	s := start(t, d)
	before := memories(t, d)
	res := commit(t, s, Archive(s, load(t, s), "a", "c"))
	undone, err := s.Undo(context.Background(), res.RunID, nil, at)
	if err != nil || undone.Applied != 2 {
		t.Fatalf("%+v, %v", undone, err)
	}
	if after := memories(t, d); !maps.Equal(before, after) {
		t.Error(cmp.Diff(before, after))
	}
	check(t, s)
	_, err = s.Undo(context.Background(), "run_none", nil, at)
	fails(t, "undo of no run", err, workspace.ErrNoRun)
}

func testLog(t *testing.T, open func(t *testing.T) workspace.Disk) {
	s := start(t, open(t))
	heads := map[string]bool{s.Log().Head(): true}
	for _, id := range []string{"a", "b", "c"} {
		commit(t, s, Archive(s, load(t, s), id))
		heads[s.Log().Head()] = true
	}
	problems, count, head, err := s.Log().Verify()
	if err != nil || len(problems) > 0 || count != 3 || head != s.Log().Head() || len(heads) != 4 {
		t.Errorf("%d entries, head %s of %d: %v, %v", count, head, len(heads), problems, err)
	}
}

func testReview(t *testing.T, open func(t *testing.T) workspace.Disk) {
	s := start(t, open(t))
	snap := load(t, s)
	commit(t, s, memory.Command(snap, s.Log().Head(), memory.Action{
		Action: oplog.Action{Type: oplog.Review, Rule: memory.RuleManual, MemoryIDs: []string{"a", "b"}, Reason: "test"},
		Pairs:  []review.Pair{memory.NewPair(snap.Live("a"), snap.Live("b"), "distinct_facts", nil, 1, 0.9)},
	}))
	if pairs := load(t, s).Open(); len(pairs) != 1 || pairs[0].Reason != "distinct_facts" {
		t.Errorf("%+v", pairs)
	}
	check(t, s)
}

// testLimits has files that nobody can use: each is a problem, and nothing else is
// lost by it.
func testLimits(t *testing.T, open func(t *testing.T) workspace.Disk) {
	d := open(t)
	s := start(t, d)
	deep := strings.Repeat("d/", 70) + "f.json"
	bad := map[string]string{deep: record("deep"), "global/broken.json": `{"id": "x"`, "global/again.json": record("a")}
	for name, text := range bad {
		put(t, d, name, text)
	}
	snap := load(t, s)
	if snap.Live("b") == nil || snap.Live("d") == nil || snap.Live("deep") != nil {
		t.Error("not the memories that can be read")
	}
	problems, err := s.Check(snap.At)
	if err != nil || len(problems) < len(bad) {
		t.Errorf("%v, %v", problems, err)
	}
	if res := commit(t, s, Archive(s, snap, "b", "d")); res.Applied != 2 {
		t.Errorf("%+v", res)
	}
	for name, text := range bad {
		want(t, d, name, text)
	}
}

// testReads loads while another process holds the writer's lock.
func testReads(t *testing.T, open func(t *testing.T) workspace.Disk) {
	d := open(t)
	s := start(t, d)
	plan := Archive(s, load(t, s), "a")
	unlock, err := d.TryLock(memory.LockFile, "another process")
	if err != nil {
		t.Fatal(err)
	}
	if load(t, s).Live("a") == nil {
		t.Error("a is gone")
	}
	_, err = s.Commit(context.Background(), &workspace.Tx{Plan: plan})
	fails(t, "commit beside a writer", err, workspace.ErrLocked)
	if err := errors.Join(unlock(), d.SyncDir(".")); err != nil {
		t.Fatal(err)
	}
	commit(t, s, plan)
	check(t, s)
}
