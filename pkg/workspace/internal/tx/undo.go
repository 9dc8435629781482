package tx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// pastRun is the record of a finished run.
type pastRun struct {
	name  string
	j     *journal.Run
	d     *journal.Done
	files func() map[string]*journal.Change // what it did to each; asked for when it was read

	notes   Notes
	records map[side][]*memory.Memory // of the files that were asked for
}

// side is a file of a run, before it or after it.
type side struct {
	file   string
	before bool
}

func newPastRun(name string, notes Notes) pastRun {
	j := &journal.Run{}
	return pastRun{name: name, notes: notes, j: j, d: &journal.Done{}, records: map[side][]*memory.Memory{}, files: sync.OnceValue(func() map[string]*journal.Change {
		files := make(map[string]*journal.Change, len(j.Files))
		for i := range slices.Backward(j.Files) { // of several the first counts
			files[j.Files[i].Path] = &j.Files[i]
		}
		return files
	})}
}

func (s *Store) pastRun(name string) (p pastRun, err error) {
	p = newPastRun(name, s.Notes)
	if name == "" || strings.ContainsAny(name, "/\\") || strings.HasPrefix(name, ".") {
		return p, fmt.Errorf("%s: %w", name, ErrNoRun)
	}
	for i, v := range []any{p.j, p.d} {
		err := journal.Read(s.Root, journal.RunsDir+"/"+name+"/"+[]string{journal.File, journal.DoneFile}[i], v)
		if errors.Is(err, fs.ErrNotExist) {
			return p, fmt.Errorf("%s: %w", name, ErrNoRun)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// alive reports whether an action of the run has happened.
func (p pastRun) alive(a *journal.Action) bool {
	_, dead := p.d.Dead[a.Group]
	return !dead
}

// change finds what the run did to a file.
func (p pastRun) change(file string) *journal.Change { return p.files()[file] }

// record finds the bytes of a record in one side of a changed file.
func (p pastRun) record(ref memory.Ref, before bool, id string, digest memory.Digest) ([]byte, error) {
	records, err := p.recordsOf(side{ref.File, before})
	if err != nil {
		return nil, err
	}
	for _, m := range records {
		if m.Digest() == digest { // which the id is part of
			return bytes.Clone(m.Raw()), nil // the file may be large
		}
	}
	return nil, fmt.Errorf("the record of run %s doesn't hold %s as it was", p.name, id)
}

// recordsOf parses a side once. A side that doesn't parse holds no records.
func (p pastRun) recordsOf(s side) ([]*memory.Memory, error) {
	records, ok := p.records[s]
	if !ok {
		if c := p.change(s.file); c != nil {
			content := c.After
			if s.before {
				content = c.Before
			}
			var err error
			if records, err = recordsIn(p.notes, s.file, content, nil); errors.Is(err, index.ErrReading) {
				return nil, err
			}
		}
		p.records[s] = records
	}
	return records, nil
}

// Undo takes back the actions of a finished run for which only holds, given their
// place in the log entry (-1 when the run wasn't logged); nil takes back all. It
// is a run itself: applied and logged like any other, and it can be undone.
//
// An action is taken back whole or not at all: when a memory that it changed was
// changed since, the action stays and is among the skipped. Files that nobody has
// written since are put back byte for byte, and so are indexes when the whole run
// is taken back. The kept originals of summarised memories stay.
//
// [ErrNoRun]: the record is gone, see Store.Keep.
func (s *Store) Undo(ctx context.Context, runID string, only func(action int, a oplog.Action) bool, at time.Time) (_ *Result, err error) {
	release, err := s.Lock(ctx, "undo")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := s.UpdateIndexes(ctx); err != nil {
		return nil, fmt.Errorf("undo %s: %w", runID, err)
	}
	past, c, err := s.inverted(runID, only, at)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return &Result{}, nil
	}
	alive := 0
	for i := range past.j.Actions {
		if past.alive(&past.j.Actions[i]) {
			alive++
		}
	}
	return s.apply(ctx, c, func(j *journal.Run) (err error) {
		if len(c.done) == alive {
			j.Exact, err = s.exactDerived(past)
			if err == nil && s.Notes == nil {
				var listed []journal.Exact
				listed, err = s.exactListed(past)
				j.Exact = append(j.Exact, listed...)
			}
		}
		return errors.Join(err, textsBack(c, past, j))
	})
}

// PlanUndo tells what [Store.Undo] would do, and writes nothing. The entry of its result is not logged.
func (s *Store) PlanUndo(runID string, only func(action int, a oplog.Action) bool, at time.Time) (*Result, error) {
	names, _, err := journal.Runs(s.Root)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journal.RunsDir, err)
	}
	if open, err := journal.Unfinished(s.Root, names, s.Ended); err != nil {
		return nil, err
	} else if len(open) > 0 {
		return nil, fmt.Errorf("undo %s: the run %s was interrupted: %w", runID, open[0], ErrPending)
	}
	_, c, err := s.inverted(runID, only, at)
	if err != nil || c == nil {
		return &Result{}, err
	}
	c.result.Entry = c.entry
	return &c.result, nil
}

// inverted computes the run that takes back the actions of a finished one for which only holds; nil where there are
// none.
func (s *Store) inverted(runID string, only func(action int, a oplog.Action) bool, at time.Time) (past pastRun, c *commit, err error) {
	if past, err = s.pastRun(runID); err != nil {
		return past, nil, fmt.Errorf("undo: %w", err)
	}
	plan := &memory.Plan{At: at, Trigger: "undo"}
	var undone []int // actions of the past run, as in the plan
	for i := len(past.j.Actions) - 1; i >= 0; i-- {
		a := &past.j.Actions[i]
		if !past.alive(a) || only != nil && !only(past.logged(a), a.Action) {
			continue
		}
		inverse, err := past.inverse(a)
		if err != nil {
			return past, nil, fmt.Errorf("undo: %w", err)
		}
		inverse.Actor = s.UndoBy
		plan.Actions, undone = append(plan.Actions, inverse), append(undone, i)
	}
	if len(plan.Actions) == 0 {
		return past, nil, nil
	}
	head, err := s.logHead()
	if err == nil {
		plan.Seal(head)
		c, err = s.newCommit(&Tx{Plan: plan})
	}
	if err == nil {
		c.undoOf = runID
		c.exact = func() { past.exact(c, undone) }
		err = c.prepare()
	}
	if err != nil {
		return past, nil, fmt.Errorf("undo %s: %w", runID, err)
	}
	return past, c, nil
}

// logged is the place of an action in the entry as it was logged, in which those that did not happen stand last; -1 when
// it wasn't.
func (p pastRun) logged(a *journal.Action) int {
	gone := map[int]bool{}
	for i := range p.j.Actions {
		if b := &p.j.Actions[i]; !p.alive(b) && b.Log < a.Log && b.Log >= 0 {
			gone[b.Log] = true
		}
	}
	return a.Log - len(gone)
}

// inverse is the action that takes a back.
func (p pastRun) inverse(a *journal.Action) (memory.Action, error) {
	ids := (&memory.Action{Action: a.Action}).Members()
	out := memory.Action{
		Action: oplog.Action{
			Type: oplog.Undo, Rule: memory.RuleManual, MemoryIDs: ids, Reason: "undo", Of: p.logged(a) + 1,
			Detail: oplog.UndoDetail(a.Action.Type, ids),
		},
		Pairs: slices.Clone(a.Unpair), Unpair: a.Pairs, Decisions: slices.Clone(a.Undecide), Undecide: a.Decisions,
	}
	for _, c := range slices.Backward(a.Overlay) {
		out.Overlay = append(out.Overlay, c.Inverse())
	}
	for _, e := range slices.Backward(a.Edges) {
		out.Edges = append(out.Edges, e.Inverse())
	}
	if a.Action.Type == oplog.Undo {
		out.Detail = a.Action.Detail
		if a.Action.Reason != oplog.ReasonRedo {
			out.Reason = oplog.ReasonRedo
		}
	}
	for i := len(a.Ops) - 1; i >= 0; i-- {
		if a.Ops[i].Idle() {
			continue
		}
		op, err := p.inverseOp(&a.Ops[i])
		if err != nil {
			return out, err
		}
		out.Ops = append(out.Ops, op)
		if op.Kind == memory.Remove && note.Is(op.Ref.File) { // its entry goes with it
			out.Moved = map[string]string{op.Ref.File: ""}
		}
	}
	return out, nil
}

func (p pastRun) inverseOp(o *journal.Op) (op memory.Op, err error) {
	from, fromOK := memory.ParseRef(o.Ref)
	to, toOK := memory.ParseRef(o.To)
	if o.Kind != journal.Create && !fromOK || (o.Kind == journal.Create || o.Kind == journal.Move) && !toOK {
		return op, fmt.Errorf("the record of run %s names no place for %s", p.name, o.ID)
	}
	op = memory.Op{ID: o.ID, Base: memory.Digest(o.Next)}
	if o.Kind != journal.Create {
		if op.Raw, err = p.record(from, true, o.ID, memory.Digest(o.Base)); err != nil {
			return op, err
		}
	}
	if change := p.change(from.File); o.Kind != journal.Create && note.Is(from.File) && change != nil {
		op.Note = change.Before
	}
	switch o.Kind {
	case journal.Put:
		op.Kind, op.Ref = memory.Put, from
	case journal.Create:
		op.Kind, op.Ref = memory.Remove, to
	case journal.Move:
		op.Kind, op.Ref, op.To = memory.Move, to, from
	case journal.Remove:
		op.Kind, op.To, op.Base = memory.Create, from, ""
	default:
		return op, fmt.Errorf("the record of run %s has an unknown kind of change %q", p.name, o.Kind)
	}
	return op, nil
}

// exact gives each file its bytes of before the run, if it is still as the run
// left it and everything that the run did to it is taken back.
func (p pastRun) exact(c *commit, undone []int) {
	back := map[int]bool{}
	for n, i := range undone {
		if c.done[n] {
			back[i] = true
		}
	}
	of := map[int]int{} // the plan's number of an action -> its place among the run's
	for place := range p.j.Actions {
		of[p.j.Actions[place].Plan] = place
	}
	for _, f := range c.files {
		change := p.change(f.name)
		if change == nil || sumOf(f.was) != change.Next || !f.records {
			continue
		}
		if slices.ContainsFunc(change.Actions, func(i int) bool { return !back[of[i]] }) {
			continue
		}
		f.now, f.exists = change.Before, change.Base != durable.Absent
		f.attr = change.Attr()
	}
}

// exactDerived lists the derived files that are still as the run left them, with
// their bytes of before.
func (s *Store) exactDerived(p pastRun) (out []journal.Exact, err error) {
	for _, d := range p.d.Derived {
		now, _, err := s.Root.Read(d.Path, maxSize)
		is := durable.Absent
		switch {
		case err == nil:
			is = durable.Sum(now)
		case odd(err):
			is = durable.Irregular
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if is != d.Next {
			continue // it is updated as after any other run
		}
		e := journal.Exact{Path: d.Path, From: d.Next, To: d.Base}
		if d.Base != durable.Absent {
			if e.Before = delta.Apply(now, d.Delta); durable.Sum(e.Before) != d.Base {
				continue
			}
		}
		out = append(out, e)
	}
	return out, nil
}
