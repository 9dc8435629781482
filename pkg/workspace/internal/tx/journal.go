package tx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// journal puts what the transaction will do into the form that is committed; nil
// when there is nothing to do.
func (c *commit) journal() (*journal.Run, error) {
	plan := c.tx.Plan
	j := &journal.Run{
		Version: 1, RunID: c.runID, At: plan.At, Entry: c.entry, Seen: c.seen, UndoOf: c.undoOf,
		Save: c.tx.Save, Change: c.tx.Snapshot == nil,
	}
	groups := c.groups()
	for i := range plan.Actions {
		if !c.done[i] {
			continue
		}
		a := &plan.Actions[i]
		ja := journal.Action{Plan: i, Log: -1, Group: groups[i], Action: a.Action, Ops: journalOps(a.Ops), Unpair: a.Unpair, Undecide: a.Undecide, Edges: a.Edges, Overlay: a.Overlay, Moved: a.Moved}
		if at, ok := c.logged[i]; ok && c.entry != nil {
			ja.Log, ja.Action = at, c.entry.Actions[at]
		}
		for _, p := range a.Pairs {
			p.RunID, p.FlaggedAt = c.runID, plan.At
			ja.Pairs = append(ja.Pairs, p)
		}
		for _, d := range a.Decisions {
			d.DecidedAt = plan.At
			if _, ok := d.Proposal(); ok {
				d.RunID, d.FlaggedAt = c.runID, plan.At
			}
			ja.Decisions = append(ja.Decisions, d)
		}
		j.Actions = append(j.Actions, ja)
	}
	j.Fold = c.foldReads(groups)
	for n, f := range c.changed() {
		change := journal.Change{
			Path: f.name, Base: sumOf(f.was), Mode: f.attr.Mode, Owner: f.attr.Owner, Mtime: f.attr.Modified, Fresh: f.fresh, Before: f.was, Records: f.records,
			Group: len(plan.Actions) + n, // a file of no action: by itself
		}
		if f.exists {
			change.Next, change.After = durable.Sum(f.now), f.now
		}
		for _, i := range f.actions {
			change.Group = groups[i]
			change.Actions = append(change.Actions, i)
		}
		j.Files = append(j.Files, change)
	}
	for id, fields := range c.extra {
		if j.Extra == nil {
			j.Extra = map[string][]journal.Field{}
		}
		for _, f := range fields {
			j.Extra[id] = append(j.Extra[id], journal.Field{Key: f.Key, Raw: []byte(f.Raw)})
		}
	}
	if err := c.derived(j); err != nil {
		return nil, err
	}
	if err := hostTexts(c, j); err != nil {
		return nil, err
	}
	if len(j.Actions)+len(j.Files)+len(j.Seen) == 0 && j.Entry == nil {
		return nil, nil
	}
	return j, nil
}

// groups gives actions that share a file the same number.
func (c *commit) groups() map[int]int {
	of := map[int]int{}
	var find func(i int) int
	find = func(i int) int {
		if up, ok := of[i]; ok && up != i {
			of[i] = find(up)
			return of[i]
		}
		return i
	}
	for _, f := range c.changed() {
		for _, i := range f.actions {
			a, b := find(f.actions[0]), find(i)
			of[max(a, b)] = min(a, b)
		}
	}
	groups := map[int]int{}
	for i := range c.done {
		groups[i] = find(i)
	}
	return groups
}

func journalOps(ops []memory.Op) (out []journal.Op) {
	for _, op := range ops {
		if op.Idle() {
			continue
		}
		o := journal.Op{Kind: string(op.Kind), ID: op.ID, Base: string(op.Base), Next: string(op.Next())}
		if op.Kind != memory.Create {
			o.Ref = op.Ref.String()
		}
		if op.Kind == memory.Create || op.Kind == memory.Move {
			o.To = op.To.String()
		}
		switch {
		case op.Kind == memory.Remove:
			o.Next = ""
		}
		out = append(out, o)
	}
	return out
}

// derived lists the indexes of every changed file, and what the files that will be
// patched hold now.
func (c *commit) derived(j *journal.Run) (err error) {
	byPath := map[string]*journal.Index{}
	for i := range j.Files {
		f := &j.Files[i]
		if !f.Records {
			continue
		}
		if later, err := leavesIndex(c, f); err != nil {
			return err
		} else if later {
			continue
		}
		name, err := c.indexFor(f.Path)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		if byPath[name] == nil {
			byPath[name] = &journal.Index{Path: name}
		}
		byPath[name].Files = append(byPath[name].Files, f.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(byPath)) {
		x := byPath[name]
		if index := c.index[name]; index != nil {
			x.Base = index.sum
		}
		j.Indexes = append(j.Indexes, *x)
	}
	if j.SeenBase, err = durable.Hash(c.root, memory.SeenFile); err != nil {
		return err
	}
	for _, name := range edgeFiles(j.Actions) {
		base, err := durable.Hash(c.root, name)
		if err != nil {
			return err
		}
		j.EdgeFiles = append(j.EdgeFiles, journal.Patched{Path: name, Base: base})
	}
	if len(overlayOf(j, nil)) > 0 {
		if j.OverlayBase, err = durable.Hash(c.root, note.OverlayFile); err != nil {
			return err
		}
	}
	if j.ReviewBase, err = durable.Hash(c.root, memory.ReviewFile); err != nil {
		return err
	}
	j.AccessBase, err = durable.Hash(c.root, accesslog.File)
	return err
}

// indexFor names the index that a file's memories belong to: the nearest one, or
// a new one in the file's scope directory; "" when there is neither.
func (c *commit) indexFor(name string) (string, error) {
	scope := memory.ScopeDir(name)
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		candidate := path.Join(dir, memory.IndexFile)
		x, err := c.readIndex(candidate)
		switch {
		case err != nil:
			return "", err
		case x != nil && !x.foreign:
			return candidate, nil
		case x != nil && dir == scope:
			return "", nil
		case x == nil && dir == scope:
			return candidate, nil
		case dir == ".":
			return "", nil
		}
	}
}

// readIndex looks at an index, once; nil when there is none.
func (c *commit) readIndex(name string) (*metIndex, error) {
	if x, ok := c.index[name]; ok {
		return x, nil
	}
	x, err := c.meetIndex(name)
	if err != nil {
		return nil, err
	}
	if c.index == nil {
		c.index = map[string]*metIndex{}
	}
	c.index[name] = x
	return x, nil
}

func (c *commit) meetIndex(name string) (*metIndex, error) {
	data, _, err := c.root.Read(name, maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case odd(err):
		c.warn(name + " stays as it is: " + durable.Cause(err))
		return &metIndex{foreign: true}, nil
	case err != nil:
		return nil, err
	}
	lists, err := indexfile.Lists(data)
	if err != nil {
		c.warn(name + " is not valid JSON and stays as it is: mend it, then run \"memory reindex\"")
		return &metIndex{foreign: true}, nil
	}
	if why, err := c.closed(path.Dir(name)); err != nil {
		return nil, err
	} else if why != "" {
		c.warn(name + " stays as it is: " + why + "; mend that, then run \"memory reindex\"")
		return &metIndex{foreign: true}, nil
	}
	return &metIndex{foreign: !lists, sum: durable.Sum(data)}, nil
}

func (c *commit) warn(text string) {
	if !slices.Contains(c.result.Warnings, text) {
		c.result.Warnings = append(c.result.Warnings, text)
	}
}

// add puts an action into the entry of the log.
func (c *commit) add(entry *oplog.Entry, i int, a oplog.Action) {
	c.logged[i] = len(entry.Actions)
	entry.Actions = append(entry.Actions, a)
}

// cameTrue takes over what the run has to tell.
func (c *commit) cameTrue(r *run) {
	c.result.RunID = r.j.RunID
	c.result.Entry = r.entry
	c.result.Changed = r.changed
	for _, w := range r.warnings {
		c.warn(w)
	}
	for i := range r.j.Actions {
		a := &r.j.Actions[i]
		why, dead := r.dead[a.Group]
		if !dead {
			continue
		}
		c.result.Applied--
		for _, id := range (&memory.Action{Action: a.Action}).Members() {
			c.result.Skipped = append(c.result.Skipped, memory.Skip{MemoryID: id, Rule: a.Action.Rule, Reason: ReasonChanged, Detail: why})
		}
	}
}

// execute makes a journal true.
func (s *Store) execute(ctx context.Context, r *run) error {
	r.j.Started = s.Now().UTC()
	if err := r.begin(ctx); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	if err := r.finish(); err != nil {
		return fmt.Errorf("%w: %w", ErrPending, err)
	}
	if ctx.Err() != nil {
		return nil // a later run collects
	}
	if err := s.Collect(); err != nil {
		r.warn("%v", err)
	}
	return nil
}
