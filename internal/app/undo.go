package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// UndoStore is what an undo needs of a workspace.
type UndoStore interface {
	UndoAs(ctx context.Context, actor, runID string, only func(action int, a oplog.Action) bool, at time.Time) (*workspace.Result, error)
	PlanUndo(runID string, only func(action int, a oplog.Action) bool, at time.Time) (*workspace.Result, error)
	Machine() string
}

// UndoneError: what is to be taken back was taken back before, by these runs.
type UndoneError struct {
	Run string
	By  []string
}

func (e *UndoneError) Error() string {
	return fmt.Sprintf("%s was already undone by %s", e.Run, strings.Join(e.By, ", "))
}

// BlockedError: nothing of what was to be taken back can be, because of what was changed since. Nothing was changed or logged.
type BlockedError struct {
	Run   string
	Why   []string // a line for each cause
	By    []string // later runs that changed the same memories: undo them first
	Older string   // the newest change before the run that can be asked for; "" for none
}

func (e *BlockedError) Error() string {
	return "nothing of " + e.Run + " can be taken back: " + strings.Join(e.Why, "; ")
}

// Todo says what to do about it, in sentences.
func (e *BlockedError) Todo() string {
	todo := "Nothing was changed."
	if len(e.By) > 0 {
		todo += " Undo " + e.By[0] + " first."
	}
	if e.Older != "" {
		todo += " The change before it is " + e.Older + "."
	}
	return todo
}

// blocked is the error that nothing of a run can be taken back.
func blocked(log *oplog.Log, machine string, entry *oplog.Entry, skipped []memory.Skip) *BlockedError {
	e := &BlockedError{Run: entry.RunID}
	e.Why, e.By = Since(log, entry, skipped)
	if older := lastChange(log, machine, entry.RunID); older != nil {
		e.Older = older.RunID
	}
	return e
}

// Since says why actions of a run can't be taken back, a line for each cause, and names the later runs that changed the same memories,
// the newest first.
func Since(log *oplog.Log, entry *oplog.Entry, skipped []memory.Skip) (why, by []string) {
	undone := undoneBy(log)
	at := slices.IndexFunc(log.Entries, func(e oplog.Entry) bool { return e.RunID == entry.RunID })
	position := map[string]int{}
	for i := range log.Entries {
		position[log.Entries[i].RunID] = i
	}
	changer := func(ids []string) string {
		for i := len(log.Entries) - 1; i > at; i-- {
			e := &log.Entries[i]
			if e.UndoOf != "" && position[e.UndoOf] >= at { // what it took back is no change any more
				continue
			}
			for k := range e.Actions {
				a := &e.Actions[k]
				switch a.Type {
				case oplog.Skip, oplog.Review, oplog.Decide, oplog.Judge, oplog.Sync:
					continue
				}
				if undone[actionOf{e.RunID, k}] == "" && slices.ContainsFunc((&memory.Action{Action: *a}).Members(), func(id string) bool { return slices.Contains(ids, id) }) {
					return e.RunID
				}
			}
		}
		return ""
	}
	ids := map[string][]string{} // by cause
	for _, s := range skipped {
		if !slices.Contains(why, s.Detail) {
			why = append(why, s.Detail)
		}
		if s.Reason == workspace.ReasonChanged {
			ids[s.Detail] = append(ids[s.Detail], s.MemoryID)
		}
	}
	for i, text := range why {
		if ids[text] == nil { // nobody changed it: it can't be written
			continue
		}
		if run := changer(ids[text]); run == "" {
			why[i] = text + " (by hand: the log has no later change of it)"
		} else if why[i] = text + " (changed by " + run + ")"; !slices.Contains(by, run) {
			by = append(by, run)
		}
	}
	slices.SortFunc(by, func(a, b string) int { return position[b] - position[a] })
	return why, by
}

// Undo takes back the actions of a run for which only holds (nil: all of them), but for those that are taken back
// already: where that is all of them, the error is an [UndoneError] and nothing is logged. Where none of them can be, it is a
// [BlockedError]. With dry it only tells what it would do. actor is who asks.
func Undo(ctx context.Context, store UndoStore, actor string, log *oplog.Log, entry *oplog.Entry, only func(int, oplog.Action) bool, at time.Time, dry bool) (*workspace.Result, error) {
	undone := undoneBy(log)
	var by []string
	left := 0
	for i, a := range entry.Actions {
		switch run := undone[actionOf{entry.RunID, i}]; {
		case a.Type == oplog.Skip || only != nil && !only(i, a):
		case run == "":
			left++
		case !slices.Contains(by, run):
			by = append(by, run)
		}
	}
	if len(by) > 0 {
		if left == 0 {
			return nil, &UndoneError{entry.RunID, by}
		}
		asked := only
		only = func(i int, a oplog.Action) bool {
			return undone[actionOf{entry.RunID, i}] == "" && (asked == nil || asked(i, a))
		}
	}
	var result *workspace.Result
	var err error
	if dry {
		result, err = store.PlanUndo(entry.RunID, only, at)
	} else {
		result, err = store.UndoAs(ctx, actor, entry.RunID, only, at)
	}
	if err == nil && result.Applied == 0 && len(result.Skipped) > 0 {
		err = blocked(log, store.Machine(), entry, result.Skipped)
	}
	return result, err
}

// actionOf is an action of a run, by its number from 0.
type actionOf struct {
	run    string
	action int
}

// undoneBy tells which actions are taken back as the log stands, and by which run: an undo that is undone takes back
// nothing any more.
func undoneBy(log *oplog.Log) map[actionOf]string {
	undone := map[actionOf]string{}
	byRun := map[string]*oplog.Entry{}
	of := func(undo *oplog.Entry, i int) (actionOf, bool) { // what an action of an undo has taken back
		run, a := byRun[undo.UndoOf], &undo.Actions[i]
		if run == nil || a.Type != oplog.Undo {
			return actionOf{}, false
		}
		if n := a.Of - 1; a.Of > 0 {
			return actionOf{run.RunID, n}, n < len(run.Actions)
		}
		n := slices.IndexFunc(run.Actions, func(b oplog.Action) bool {
			return b.Type != oplog.Skip && slices.Equal((&memory.Action{Action: b}).Members(), a.MemoryIDs)
		})
		return actionOf{run.RunID, n}, n >= 0
	}
	var set func(p actionOf, by string)
	set = func(p actionOf, by string) {
		if undone[p] = by; by == "" {
			delete(undone, p)
		}
		if run := byRun[p.run]; run.UndoOf != "" {
			if q, ok := of(run, p.action); ok {
				if by == "" {
					set(q, p.run) // the undo holds again
				} else {
					set(q, "")
				}
			}
		}
	}
	for i := range log.Entries {
		e := &log.Entries[i]
		if byRun[e.RunID] = e; e.UndoOf == "" || e.UndoOf == e.RunID {
			continue
		}
		for k := range e.Actions {
			if p, ok := of(e, k); ok {
				set(p, e.RunID)
			}
		}
	}
	return undone
}

// Background reports whether a run is background work: the counting of reads.
func Background(e *oplog.Entry) bool {
	return e.Trigger == memory.RuleAccess
}

// NewestRun is the newest entry that is not background work; nil for none.
func NewestRun(log *oplog.Log) *oplog.Entry {
	if log == nil {
		return nil
	}
	for i := range slices.Backward(log.Entries) {
		if !Background(&log.Entries[i]) {
			return &log.Entries[i]
		}
	}
	return nil
}

// LastChange is the newest change that "undo last" takes back: a run on this machine that a person or an agent made, or
// that the rules made, and that is not taken back already. Neither background work nor an undo is one. It is nil where
// nothing is left to take back.
func LastChange(log *oplog.Log, machine string) *oplog.Entry { return lastChange(log, machine, "") }

// lastChange is the newest such change before a run; "" for the newest of all.
func lastChange(log *oplog.Log, machine, before string) *oplog.Entry {
	undone := undoneBy(log)
	passed := before == ""
	for i := range slices.Backward(log.Entries) {
		e := &log.Entries[i]
		if !passed {
			passed = e.RunID == before
			continue
		}
		if Background(e) || e.UndoOf != "" || e.Status == oplog.Failed || e.Machine != "" && e.Machine != machine {
			continue
		}
		for k := range e.Actions {
			switch e.Actions[k].Type {
			case oplog.Skip, oplog.Sync, oplog.Judge:
			default:
				if undone[actionOf{e.RunID, k}] == "" {
					return e
				}
			}
		}
	}
	return nil
}

// Who is who asked for a run: the person or the agent; "" where it started by itself.
func Who(e *oplog.Entry) string {
	for i := range e.Actions {
		if who := e.Actions[i].Actor; who != "" {
			return who
		}
	}
	return e.Actor
}

// WhatWasDone says in a few words what a run did, for a list of runs.
func WhatWasDone(e *oplog.Entry) string {
	switch {
	case e.Status == oplog.Failed:
		return "failed"
	case e.UndoOf != "":
		what := Totals(e.Stats)
		if len(e.Actions) == 1 && e.Actions[0].Type == oplog.Undo {
			what = UndoneWord(&e.Actions[0]) + " " + e.Actions[0].Detail
		}
		return "undid " + e.UndoOf + ": " + what
	case len(e.Actions) == 1 && e.Actions[0].Type == oplog.Add:
		return Totals(e.Stats) + ": " + e.Actions[0].MemoryID
	case len(e.Actions) == 1 && e.Actions[0].Type == oplog.Sync:
		return e.Actions[0].Detail
	}
	return Totals(e.Stats)
}

// UndoneWord is the verb of an action of an undo.
func UndoneWord(a *oplog.Action) string {
	if a.Reason == oplog.ReasonRedo {
		return "redone"
	}
	return "undone"
}

// Undoing names what an undo is about to take back: "add of mem_x "first words"", or how much of a run.
// named are its actions as [NamedActions] tells them.
func Undoing(named []string, e *oplog.Entry, only func(int, oplog.Action) bool) string {
	var meant []string
	for i, a := range e.Actions {
		if a.Type != oplog.Skip && (only == nil || only(i, a)) {
			meant = append(meant, named[i])
		}
	}
	if len(meant) == 1 {
		return meant[0]
	}
	if only == nil {
		return Quantity(len(meant), "action") + " (" + Totals(e.Stats) + ")"
	}
	return Quantity(len(meant), "action")
}

// NamedActions names each action of a run with the memories that it concerns, and the first words where it is one.
func NamedActions(snap *memory.Snapshot, e *oplog.Entry) (named []string) {
	const most = 200 // whose first words are looked up
	for i := range e.Actions {
		a := &e.Actions[i]
		ids := (&memory.Action{Action: *a}).Members()
		text := a.Type + " of " + strings.Join(ids, ", ")
		switch a.Type {
		case oplog.Undo:
			text = a.Detail
		case oplog.Tend:
			text = "entries of the host's index"
		}
		if i < most {
			if words := firstWords(snap, ids); words != "" {
				text += " \"" + words + "\""
			}
		}
		named = append(named, text)
	}
	return named
}

// firstWords are those of the memory, where there is one.
func firstWords(snap *memory.Snapshot, ids []string) string {
	if len(ids) != 1 {
		return ""
	}
	found := snap.Find(ids[0])
	if len(found) != 1 {
		return ""
	}
	summary, _ := found[0].Summary()
	return text.TruncateWords(strings.Join(strings.Fields(summary), " "), 60)
}
