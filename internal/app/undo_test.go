package app_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// TestUndoLastGoesBackStepByStep makes changes of all kinds, undoes and redoes some of them, and then takes everything
// back with "undo last": each step gives back every byte of what stood before the change that it names.
func TestUndoLastGoesBackStepByStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &undoWorld{T: t, disk: memdisk.New(), at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
		w.store = workspace.OpenOn(w.disk)
		w.store.Now = func() time.Time { return w.at }
		for range rapid.IntRange(1, 14).Draw(t, "changes") {
			w.at = w.at.Add(time.Hour)
			rapid.SampledFrom([]func(){w.add, w.add, w.add, w.edit, w.tag, w.archive, w.consolidate, w.undo, w.redo}).Draw(t, "what")()
		}
		for len(w.before) > 0 {
			w.at = w.at.Add(time.Hour)
			w.undo()
		}
		if e := app.LastChange(w.log(), ""); e != nil {
			t.Fatalf("%s is left", e.RunID)
		}
		problems, err := w.store.Check(w.at)
		if err != nil || len(problems) > 0 {
			t.Fatalf("check: %v, %v", problems, err)
		}
	})
}

// undoWorld is a workspace, and what it was before each change that is not undone.
type undoWorld struct {
	*rapid.T
	disk   *memdisk.Disk
	store  *workspace.FileStore
	at     time.Time
	before []map[string]string
	undone []undoneChange // what a redo brings back; a new change forgets it
	n      int
}

type undoneChange struct {
	by           string // the run that took it back
	before, then map[string]string
}

// files are all that is not below ops/.
func (w *undoWorld) files() map[string]string {
	if err := workspace.UpdateIndexes(w.Context(), w.store); err != nil { // as a command does when it ends
		w.Fatal(err)
	}
	all := w.disk.Files()
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, memory.OpsDir+"/") })
	return all
}

func (w *undoWorld) log() *oplog.Log {
	log, err := w.store.Log().Read()
	if err != nil {
		w.Fatal(err)
	}
	if problems, count, _, err := w.store.Log().Verify(); err != nil || len(problems) > 0 || count != len(log.Entries) {
		w.Fatalf("%d entries, %d by the chain: %v, %v", len(log.Entries), count, problems, err)
	}
	return log
}

func (w *undoWorld) load() *memory.Snapshot {
	snap, err := w.store.Load(w.at)
	if err != nil {
		w.Fatal(err)
	}
	return snap
}

// changed notes a change that has been made, if one was.
func (w *undoWorld) changed(before map[string]string, result *workspace.Result, err error) {
	if err != nil || result != nil && len(result.Skipped) > 0 {
		w.Fatalf("%+v, %v", result, err)
	}
	if result != nil && result.Applied > 0 {
		w.before, w.undone = append(w.before, before), nil
	}
}

func (w *undoWorld) add() {
	before := w.files()
	w.n++
	draft := memory.Draft{
		ID: fmt.Sprintf("mem_%d", w.n), Type: memory.Semantic, CreatedBy: rapid.SampledFrom([]string{"DEV-001", "USER"}).Draw(w.T, "by"), Scope: memory.Global,
		Tags:    []string{rapid.SampledFrom([]string{"x", "y"}).Draw(w.T, "tag")},
		Content: fmt.Appendf(nil, `"The %s of the house number %d."`, rapid.SampledFrom([]string{"door", "roof", "cellar"}).Draw(w.T, "text"), w.n),
	}
	out, err := saving.Save(w.Context(), w.store, config.Default(), draft, saving.Options{At: w.at})
	if err != nil || out.RunID == "" {
		w.Fatalf("%+v, %v", out, err)
	}
	w.changed(before, &workspace.Result{Applied: 1}, nil)
}

func (w *undoWorld) command(make func(snap *memory.Snapshot, m *memory.Memory) (memory.Action, error)) {
	before, snap := w.files(), w.load()
	if len(snap.Memories()) == 0 {
		return
	}
	a, err := make(snap, rapid.SampledFrom(snap.Memories()).Draw(w.T, "memory"))
	if err != nil {
		w.Fatal(err)
	}
	result, err := w.store.Commit(w.Context(), &workspace.Tx{Plan: memory.Command(snap, w.store.Log().Head(), a)})
	w.changed(before, result, err)
}

func (w *undoWorld) edit() {
	w.command(func(_ *memory.Snapshot, m *memory.Memory) (memory.Action, error) {
		raw, err := memory.SetField(m.Raw(), fmt.Appendf(nil, `"A new text, of hour %d."`, w.at.Unix()), "content")
		if err != nil {
			return memory.Action{}, err
		}
		return memory.Replace(m, raw, "")
	})
}

func (w *undoWorld) tag() {
	w.command(func(_ *memory.Snapshot, m *memory.Memory) (memory.Action, error) {
		raw, _, err := memory.Retag(m, []string{fmt.Sprint("t", w.at.Unix())}, nil, w.at)
		if err != nil {
			return memory.Action{}, err
		}
		return memory.Replace(m, raw, "tagged")
	})
}

func (w *undoWorld) archive() {
	w.command(func(snap *memory.Snapshot, m *memory.Memory) (memory.Action, error) {
		all, err := archive.Archive(snap, "by hand", m.ID)
		if err != nil {
			return memory.Action{}, err
		}
		return all[0], nil
	})
}

func (w *undoWorld) consolidate() {
	w.at = w.at.Add(rapid.SampledFrom([]time.Duration{0, 9 * 24 * time.Hour}).Draw(w.T, "later"))
	before, snap := w.files(), w.load()
	request := rules.Request{Trigger: rules.Manual, Settings: config.Default(), LogHead: w.store.Log().Head()}
	request.Settings.Exclude.ConsentUser = true
	plan, err := app.MakePlan(w.store, snap, request)
	if err != nil {
		w.Fatal(err)
	}
	result, err := w.store.Commit(w.Context(), &workspace.Tx{Plan: plan, Snapshot: snap})
	w.changed(before, result, err)
}

func (w *undoWorld) undo() {
	log := w.log()
	entry := app.LastChange(log, "")
	if entry == nil || len(w.before) == 0 {
		if entry != nil || len(w.before) > 0 {
			w.Fatalf("%d changes are left, the last is %+v", len(w.before), entry)
		}
		return
	}
	then := w.files()
	dry, err := app.Undo(w.Context(), w.store, "USER", log, entry, nil, w.at, true)
	if err != nil || len(dry.Skipped) > 0 {
		w.Fatalf("dry run: %+v, %v", dry, err)
	}
	if diff := cmp.Diff(then, w.files()); diff != "" {
		w.Fatalf("a dry run has written:\n%s", diff)
	}
	result, err := app.Undo(w.Context(), w.store, "USER", log, entry, nil, w.at, false)
	if err != nil || len(result.Skipped) > 0 || result.Applied != dry.Applied {
		w.Fatalf("undo: %+v, %v", result, err)
	}
	n := len(w.before) - 1
	if diff := cmp.Diff(w.before[n], w.files()); diff != "" {
		w.Fatalf("after the undo of %s:\n%s", entry.RunID, diff)
	}
	w.undone = append(w.undone, undoneChange{result.RunID, w.before[n], then})
	w.before = w.before[:n]
	log = w.log()
	again := (*app.UndoneError)(nil)
	if entry, _ = app.FindRun(log, entry.RunID); entry == nil {
		w.Fatal("the run is gone")
	} else if _, err := app.Undo(w.Context(), w.store, "USER", log, entry, nil, w.at, false); !errors.As(err, &again) || again.By[0] != result.RunID {
		w.Fatalf("undone twice: %v", err)
	}
	if more := w.log(); len(more.Entries) != len(log.Entries) {
		w.Fatal("what was undone already is logged once more")
	}
}

// redo takes back the last undo.
func (w *undoWorld) redo() {
	n := len(w.undone) - 1
	if n < 0 {
		return
	}
	log, u := w.log(), w.undone[n]
	entry, _ := app.FindRun(log, u.by)
	result, err := app.Undo(w.Context(), w.store, "USER", log, entry, nil, w.at, false)
	if err != nil || len(result.Skipped) > 0 {
		w.Fatalf("redo: %+v, %v", result, err)
	}
	if diff := cmp.Diff(u.then, w.files()); diff != "" {
		w.Fatalf("after the redo:\n%s", diff)
	}
	w.undone, w.before = w.undone[:n], append(w.before, u.before)
}
