package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// errLeave: the patch can't be made and the file stays as it is; the run goes on.
var errLeave = errors.New("stays as it is")

// leaveError is an error for which a text stays as it is.
type leaveError struct{ error }

func (e leaveError) Unwrap() []error { return []error{errLeave, e.error} }

// Leave marks an error of [Notes] that says that a text can't be written: it stays as it is, and the run goes on. Any other error, of the disk
// say, interrupts the run, and the next writer finishes it.
func Leave(err error) error {
	if err == nil {
		return nil
	}
	return leaveError{err}
}

// patchTries bounds how often a patch is computed again because somebody else wrote the
// file in the same moment.
const patchTries = 100

// patch brings a file that others write too (an index, the log) to what of makes of it; nil
// stands for no file. of must be idempotent: it gets the file as it is at that moment,
// with the edits of others and of an earlier attempt of the same run. Where an undo puts a
// file back byte for byte, of is not called.
type patch struct {
	label, name string
	keepTime    bool // the file counts as written when it was
	of          func(doc []byte) ([]byte, error)
}

// patch applies a patch: read, compute, stage, compare and swap; again after a conflict.
func (r *run) patch(p *patch) (changed bool, err error) {
	for range patchTries {
		doc, attr, err := r.read(p.name)
		if err != nil {
			return false, err
		}
		next, ok := r.exact(p.name, doc)
		if !ok {
			if next, err = p.of(doc); err != nil {
				return false, err
			}
		}
		if p.keepTime && doc != nil {
			info, err := r.root.Stat(p.name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
			attr.Modified = info.ModTime
		}
		base, sum := sumOf(doc), sumOf(next)
		if base == sum {
			return false, nil
		}
		slot := r.slot(p.label, base, sum)
		if err := r.stagePatch(slot, next, sum, attr); err != nil {
			return false, err
		}
		if base == durable.Absent {
			made, err := durable.MkdirAll(r.root, path.Dir(p.name))
			if err != nil {
				return false, err
			}
			for _, dir := range made {
				r.touched[dir] = true
			}
		}
		r.touched[path.Dir(p.name)] = true
		err = durable.CAS(r.root, slot, p.name, base, sum, r.aside)
		if err == nil {
			if base == durable.Absent {
				r.created[p.label] = sum
			}
			return true, nil
		}
		if !errors.Is(err, durable.ErrConflict) {
			return false, err
		}
	}
	return false, fmt.Errorf("%s: somebody else keeps writing it", p.name)
}

// patchOurs is patch for a file that is ours alone: anything else in its place, a directory
// say, is moved to ops/conflicts.
func (r *run) patchOurs(p *patch) error {
	_, err := r.patch(p)
	if odd(err) {
		if err = r.aside(p.name, p.name); err == nil {
			_, err = r.patch(p)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

func sumOf(doc []byte) string {
	if doc == nil {
		return durable.Absent
	}
	return durable.Sum(doc)
}

// stagePatch makes a slot hold content, durably; nil content leaves it absent.
func (r *run) stagePatch(slot string, content []byte, sum string, attr durable.Attr) error {
	in, err := durable.Hash(r.root, slot)
	if err != nil || in == sum {
		return err
	}
	if in != durable.Absent { // from an earlier attempt: the same file as it is now
		if err := r.root.Remove(slot); err != nil {
			return err
		}
	}
	if content == nil {
		return nil
	}
	return r.fill(slot, content, attr)
}

// fill writes a slot after the commit. It gets its name only when its bytes are
// durable: a torn one would pass for somebody's edit.
//
//	write slot.tmp; fsync; rename to slot
func (r *run) fill(slot string, content []byte, attr durable.Attr) error {
	if err := r.drop(slot + ".tmp"); err != nil {
		return err
	}
	if err := (durable.Staging{Name: slot + ".tmp", Data: content, Attr: attr}).Write(r.root); err != nil {
		return err
	}
	return r.root.Rename(slot+".tmp", slot)
}

// exact gives the bytes that an undo puts back, if the file is still as the undone run
// left it and no action of the undo died.
func (r *run) exact(name string, doc []byte) ([]byte, bool) {
	if len(r.dead) > 0 {
		return nil, false
	}
	i := slices.IndexFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == name })
	if i < 0 {
		return nil, false
	}
	e := &r.j.Exact[i]
	switch sumOf(doc) {
	case e.From, e.To:
		if e.To == durable.Absent {
			return nil, true
		}
		return e.Before, true
	}
	return nil, false
}
