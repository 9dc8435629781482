package workspace

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// checks runs a property a hundred times, or with MEMORYD_HARNESS=full as often as
// said.
func checks(t *testing.T, full int, property func(r *rapid.T)) {
	t.Helper()
	was := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", fmt.Sprint(size(60, 100, full))); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("rapid.checks", was) }()
	rapid.Check(t, property)
}

// anyWorkspace puts a random workspace on a disk.
func anyWorkspace(t *testing.T, r *rapid.T) *faultfs.Mem {
	sc := scenario{files: random.Workspace(r)}
	return sc.disk(t)
}

func anyStore(fsys durable.FS, command int) *FileStore { return (&scenario{}).store(fsys, command) }

// anyActions archives, tags or leaves alone each memory that may be changed.
func anyActions(r *rapid.T, snap *memory.Snapshot) (all []memory.Action) {
	files := snap.NewFiles()
	for _, m := range snap.Memories() {
		if m.Locked != "" || len(snap.Find(m.ID)) > 1 {
			continue
		}
		switch rapid.IntRange(0, 2).Draw(r, "what") {
		case 1:
			all = append(all, archiveOf(snap, m.ID, files))
		case 2:
			raw, changed, err := memory.Retag(m, []string{"by-a-run"}, nil, day)
			if err != nil {
				r.Fatal(err)
			}
			if changed {
				all = append(all, memory.Action{
					Action: oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID},
					Ops:    []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
				})
			}
		}
	}
	return all
}

// committed commits actions planned on a snapshot.
func committed(s *FileStore, snap *memory.Snapshot, actions []memory.Action) (*Result, error) {
	plan := &memory.Plan{At: day, Trigger: "manual", Actions: actions}
	plan.Seal(s.Log().Head())
	return s.Commit(context.Background(), &Tx{Plan: plan, Snapshot: snap})
}

// On any workspace: what a run did is undone to the byte, and the undo likewise.
func TestUndoOnRandomWorkspaces(t *testing.T) {
	checks(t, 1000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		s := anyStore(m, 0)
		snap, err := s.Load(day)
		if err != nil {
			r.Fatal(err)
		}
		outside := func() map[string]string {
			files := visible(m)
			maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, memory.OpsDir+"/") })
			return files
		}
		before := outside()
		res, err := committed(s, snap, anyActions(r, snap))
		if err != nil || len(res.Skipped) > 0 {
			r.Fatalf("%+v %v", res, err)
		}
		after := outside()
		run := res.RunID
		for i, want := range []map[string]string{before, after, before} {
			if run == "" {
				return // there was nothing to do
			}
			res, err := anyStore(m, i+1).Undo(context.Background(), run, nil, day)
			if err != nil || len(res.Skipped) > 0 {
				r.Fatalf("undo: %+v %v", res, err)
			}
			run = res.RunID
			if diff := cmp.Diff(want, outside()); diff != "" {
				r.Fatal(diff)
			}
		}
	})
}

// On any workspace, after any crash: recovery gives what was or what should be,
// and recovering again changes nothing.
func TestRecoverOnRandomWorkspaces(t *testing.T) {
	ends := map[string]int{}
	checks(t, 1000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		snap, err := anyStore(m, 0).Load(day)
		if err != nil {
			r.Fatal(err)
		}
		actions := anyActions(r, snap)
		sc := scenario{name: "random", steps: []func(*FileStore) error{func(s *FileStore) error {
			_, err := committed(s, snap, actions)
			return err
		}}}
		undisturbed := m.Clone()
		hook := &faultfs.Hook{FS: undisturbed}
		if err := sc.steps[0](anyStore(hook, 0)); err != nil {
			r.Fatal(err)
		}
		stages := []map[string]string{visible(m), visible(undisturbed)}
		at := rapid.IntRange(1, hook.Steps()).Draw(r, "at") // small ones mostly
		if rapid.Bool().Draw(r, "from the end") {
			at = hook.Steps() + 1 - at
		}
		err = sc.steps[0](anyStore(&faultfs.Hook{FS: m, Before: func(s faultfs.Step) error {
			if s.N >= at {
				return faultfs.ErrCrashed
			}
			return nil
		}}, 0))
		acked := 0
		if err == nil { // it had only tidied up by then
			acked = 1
		}
		loss := rapid.SampledFrom([]faultfs.Loss{faultfs.Nothing, faultfs.Everything, faultfs.Some}).Draw(r, "loss")
		left := m.Crash(rapid.SampledFrom(faultfs.Models).Draw(r, "model"), loss, rapid.Uint64().Draw(r, "seed"))
		if err := sc.judge(left, stages, acked); err != nil { // recovers twice
			r.Fatal(err)
		}
		if maps.Equal(visible(left), stages[1]) {
			ends["after"]++
		} else {
			ends["before"]++
		}
	})
	t.Log(ends)
	if ends["before"] == 0 || ends["after"] == 0 {
		t.Error("the crashes all end alike")
	}
}

// settled is what people see after some runs, with what depends on their order
// taken out: the order of the entries of an index, and which optional fields they
// have, for a new index says more than one that is updated; the order of the
// log.
func settled(r *rapid.T, m *faultfs.Mem) map[string]any {
	out := map[string]any{}
	for name, text := range visible(m) {
		switch {
		case name == memory.SeenFile:
			out[name] = seenfile.Parse([]byte(text))
		case name == memory.LogFile:
			log, err := oplog.Read([]byte(text))
			if err != nil {
				r.Fatal(err)
			}
			var actions []string
			for _, e := range log.Entries {
				for _, a := range e.Actions {
					actions = append(actions, fmt.Sprintf("%+v", a))
				}
			}
			slices.Sort(actions)
			out[name] = actions
		case path.Base(name) == memory.IndexFile:
			x, err := indexfile.Parse(name, []byte(text))
			if err != nil {
				r.Fatal(err)
			}
			entries := map[string]string{}
			for _, e := range x.Entries() {
				entries[e.ID] += e.File + e.Pointer + " " + fmt.Sprint(gjson.Get(e.Raw, "tags").Array())
			}
			out[name] = entries
		default:
			out[name] = text
		}
	}
	return out
}

// On any workspace: two plans of one snapshot that share no file give the same in
// either order.
func TestDisjointPlansCommute(t *testing.T) {
	both := 0
	checks(t, 1000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		snap, err := anyStore(m, 0).Load(day)
		if err != nil {
			r.Fatal(err)
		}
		var plans [2][]memory.Action
		sides := map[string]int{} // of files
		for _, a := range anyActions(r, snap) {
			file := a.Ops[0].Ref.File
			if _, ok := sides[file]; !ok {
				sides[file] = rapid.IntRange(0, 1).Draw(r, "side")
			}
			plans[sides[file]] = append(plans[sides[file]], a)
		}
		if len(plans[0]) > 0 && len(plans[1]) > 0 {
			both++
		}
		var ends [2]map[string]any
		for first := range 2 {
			disk := m.Clone()
			for i, n := range []int{first, 1 - first} {
				plan := &memory.Plan{At: day, Trigger: "manual", Actions: plans[n]}
				plan.Seal(fmt.Sprint(n)) // ids of runs usually depend on the run before
				res, err := anyStore(disk, i).Commit(context.Background(), &Tx{Plan: plan})
				if err != nil || len(res.Skipped) > 0 {
					r.Fatalf("%+v %v", res, err)
				}
			}
			ends[first] = settled(r, disk)
		}
		if diff := cmp.Diff(ends[0], ends[1]); diff != "" {
			r.Fatal(diff)
		}
	})
	if both < size(1, 5, 50) {
		t.Errorf("only %d pairs of plans", both)
	}
}

// The same scenario twice is the same steps, byte for byte, and the same crash of
// it the same disk: what a failure prints can be repeated.
func TestSameSeedSameTrace(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			trace := func() (steps []faultfs.Step, end map[string]string) {
				m := sc.disk(t)
				sc.disturbed(m, func(_ int, s faultfs.Step) error {
					steps = append(steps, s)
					return nil
				})
				return steps, m.Files()
			}
			steps, end := trace()
			again, endAgain := trace()
			if diff := cmp.Diff(steps, again); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(end, endAgain); diff != "" {
				t.Fatal(diff)
			}
			for at := 1; at <= len(steps); at += len(steps)/7 + 1 {
				crash := func() map[string]string {
					m := sc.disk(t)
					sc.disturbed(m, func(n int, _ faultfs.Step) error {
						if n >= at {
							return faultfs.ErrCrashed
						}
						return nil
					})
					m = m.Crash(faultfs.Torn, faultfs.Some, uint64(at))
					if err := sc.recovered(m); err != nil && !errors.Is(err, journal.ErrDamaged) {
						t.Fatal(err)
					}
					return m.Files()
				}
				if diff := cmp.Diff(crash(), crash()); diff != "" {
					t.Fatalf("crash at step %d:\n%s", at, diff)
				}
			}
		})
	}
}
