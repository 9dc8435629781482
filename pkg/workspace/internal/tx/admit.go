package tx

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// admit compares what an action relies on with the disk and, when all of it still holds,
// takes its changes into the transaction; else it takes none and the error is a [refusal]. An
// archive that can't be written is another error: it concerns the whole run.
func (c *commit) admit(n int, a *memory.Action) error {
	found := make([]*memory.Memory, len(a.Ops))
	for i := range a.Ops {
		var err error
		if found[i], err = c.source(&a.Ops[i]); err == nil {
			err = c.target(&a.Ops[i])
		}
		if err != nil {
			return err
		}
	}
	if c.undoOf == "" {
		if err := memory.ProveAction(a, found); err != nil {
			return &refusal{ReasonWording, err.Error()}
		}
	}
	for _, o := range a.Originals {
		if why, err := c.elsewhere(o.File); err != nil {
			return err
		} else if why != "" {
			return unwritable(why)
		}
	}
	if edge, err := c.unlike(a); err != nil {
		return err
	} else if edge != "" {
		return changed("the edge " + edge + " was changed since " + c.since())
	}
	for i, op := range a.Ops {
		if op.Idle() {
			continue
		}
		if err := c.take(op, found[i]); err != nil {
			return fmt.Errorf("%s %s: %w", a.Type, op.ID, err)
		}
		if memory.InArchive(op.To.File) && (op.Kind == memory.Move || op.Kind == memory.Create && op.Ref.File != "") {
			record := op.Raw
			if record == nil {
				record = found[i].Raw()
			}
			c.noteArchived(a, op, record)
		}
		for _, name := range []string{op.Ref.File, op.To.File} {
			if f := c.files[name]; f != nil {
				f.actions = append(f.actions, n)
			}
		}
	}
	for _, o := range a.Originals {
		f, err := c.open(o.File)
		if err != nil {
			return err
		}
		f.now, f.exists = o.Raw, true
		f.actions = append(f.actions, n)
	}
	return nil
}

// since is when a record was as the transaction relies on.
func (c *commit) since() string {
	if c.undoOf != "" {
		return "that run"
	}
	return "it was planned"
}

// openFor is open for an action, which is refused where something else than a file has the
// name.
func (c *commit) openFor(name string) (*file, error) {
	f, err := c.open(name)
	if odd(err) {
		return nil, changed(durable.Cause(err))
	}
	return f, err
}

// source finds the record that an op changes, as it is on the disk; nil for a new one.
func (c *commit) source(op *memory.Op) (*memory.Memory, error) {
	if op.Kind == memory.Create {
		return nil, nil
	}
	f, err := c.openFor(op.Ref.File)
	switch {
	case err != nil:
		return nil, err
	case !f.existed:
		return nil, changed(op.Ref.File + " was removed or renamed since " + c.since())
	case f.why != "":
		return nil, unwritable(f.why)
	}
	m, err := f.locate(op.ID, op.Base)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, changed(op.ID + " in " + op.Ref.File + " was edited, moved or removed since " + c.since())
	}
	if !op.Idle() && f.taken(m) {
		return nil, changed(op.ID + " is changed by an earlier action already")
	}
	return m, nil
}

// target checks the place that an op puts a record at.
func (c *commit) target(op *memory.Op) error {
	switch {
	case op.Kind != memory.Create && op.Kind != memory.Move, op.Kind == memory.Create && !op.To.Whole():
		return nil
	}
	if op.To.Whole() {
		why, err := c.elsewhere(op.To.File)
		switch {
		case err != nil:
			return err
		case why != "" && memory.InArchive(op.To.File): // no memory can be archived: the run fails, to be tried again
			return fmt.Errorf("archive %s: %s: make %s a directory that can be written, then try again", op.ID, why, memory.ArchiveDir)
		case why != "":
			return unwritable(why)
		}
	}
	f, err := c.openFor(op.To.File)
	if err != nil {
		return err
	}
	if op.To.Whole() {
		if f.exists {
			return changed(op.To.File + " exists already")
		}
		return nil
	}
	if f.why != "" {
		return unwritable(f.why)
	}
	if _, ok := f.list(op.To.Array); !ok {
		return changed("the list in " + op.To.File + " that it stood in is gone, or the file isn't valid JSON")
	}
	return nil
}

// take records one op; m is the record as it is now.
func (c *commit) take(op memory.Op, m *memory.Memory) error {
	if op.IsNote() && op.Note == nil && op.Kind != memory.Move && op.Kind != memory.Remove {
		return fmt.Errorf("the plan has no text for %s", op.ID)
	}
	switch op.Kind {
	case memory.Put:
		f := c.files[op.Ref.File]
		f.records = true
		if m.Whole() {
			f.whole, f.raw = m, op.Raw
			if op.IsNote() {
				f.raw = op.Note
			}
		} else {
			f.edit(m.Array).Set[m.Index] = op.Raw
		}
		return nil
	case memory.Create:
		f := c.files[op.To.File]
		if op.IsNote() {
			f.now, f.exists, f.records = op.Note, true, true
			return nil
		}
		f.now, f.exists, f.records = append(op.Raw[:len(op.Raw):len(op.Raw)], '\n'), true, true
		return nil
	case memory.Move:
		return c.move(op, m)
	case memory.Remove:
		if !m.Whole() {
			return fmt.Errorf("%s holds other memories too", op.Ref.File)
		}
		f := c.files[op.Ref.File]
		f.exists, f.records = false, true
		return nil
	}
	return fmt.Errorf("unknown kind of change %q", op.Kind)
}

func (c *commit) move(op memory.Op, m *memory.Memory) error {
	from := c.files[op.Ref.File]
	raw := op.Raw
	if raw == nil {
		raw = m.Raw()
	}
	content := append(raw[:len(raw):len(raw)], '\n')
	switch {
	case op.IsNote():
		if content = op.Note; content == nil {
			content = from.was
		}
		from.exists = false
	case m.Whole():
		moved, err := memory.ReplaceRecord(from.was, m, raw) // a byte order mark and the like go along
		if err != nil {
			return err
		}
		content = moved
		from.exists = false
	default:
		from.edit(m.Array).Remove[m.Index] = true
	}
	from.records = true
	to, err := c.open(op.To.File)
	if err != nil {
		return err
	}
	to.records = true
	if op.To.Whole() {
		to.now, to.exists, to.attr = content, true, from.attr
		return nil
	}
	n, _ := to.list(op.To.Array)
	insert := to.edit(op.To.Array)
	insert.Insert = append(insert.Insert, jsonedit.Insertion{Before: min(op.To.Index, n), Raw: raw})
	return nil
}
