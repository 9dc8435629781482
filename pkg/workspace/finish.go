package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// finish makes a committed run true, from whatever point it has reached. Every
// step is idempotent: it looks at the slot and at the live file and does what is
// left to do. The order is create, reference, replace, unreference, delete, so
// that a reader meets every memory at every instant and no index points nowhere.
// The log entry comes when all that it tells is durable; done.json comes last.
func (r *run) finish() error {
	if err := r.readDead(); err != nil {
		return err
	}
	if err := r.drop(r.dir + "/" + reserveFile); err != nil {
		return err
	}
	if err := r.settle(); err != nil {
		return err
	}
	for i := range r.j.Files {
		if _, err := r.verdict(i); err != nil {
			return err
		}
	}
	for {
		dead := len(r.dead)
		for _, step := range []func() error{
			r.rollback,
			func() error { return r.apply(Create) },
			func() error { return r.indexes(true) },
			func() error { return r.apply(Put) },
			r.rollback,
			func() error { return r.indexes(false) },
			func() error { return r.apply(remove) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if len(r.dead) == dead {
			break // else what died meanwhile has to be taken back first
		}
	}
	if err := r.syncTouched(); err != nil {
		return err
	}
	if err := r.review(); err != nil {
		return err
	}
	if err := r.seen(); err != nil {
		return err
	}
	if err := r.fold(); err != nil {
		return err
	}
	if err := r.log(); err != nil {
		return err
	}
	late, err := r.sweep()
	if err != nil {
		return err
	}
	if err := r.syncTouched(); err != nil {
		return err
	}
	return r.done(late)
}

func (r *run) syncTouched() error {
	dirs := make([]string, 0, len(r.touched)+1)
	for dir := range r.touched {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	clear(r.touched)
	return durable.SyncDirs(r.root, append(dirs, r.dir+"/"+slotsDir)...)
}

// settle gives back what was taken out of its place just before a crash.
func (r *run) settle() error {
	entries, err := r.root.ReadDir(r.dir + "/" + slotsDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name, durable.Displaced); ok {
			if err := durable.Resume(r.root, r.dir+"/"+slotsDir+"/"+name); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, durable.Displaced)
		s, ok := r.parseSlot(name)
		if !ok {
			continue
		}
		slot := r.dir + "/" + slotsDir + "/" + name
		err := durable.Settle(r.root, slot, s.path, s.base, s.next, r.aside)
		r.touched[path.Dir(s.path)] = true
		if err != nil && !errors.Is(err, durable.ErrConflict) {
			return err
		}
	}
	return nil
}

// verdicts on one change.
type verdict int

const (
	todo verdict = iota
	applied
	conflict // its group is dead
)

// verdict tells from the slot and the live file how far a change has got.
func (r *run) verdict(i int) (verdict, error) {
	c := &r.j.Files[i]
	if _, dead := r.dead[c.Group]; dead {
		return conflict, nil
	}
	in, err := durable.Hash(r.root, r.slotOf(i))
	if err != nil {
		return 0, err
	}
	live, err := durable.Hash(r.root, c.Path)
	if err != nil {
		return 0, err
	}
	v := conflict
	switch c.kind() {
	case Put:
		switch {
		case live == c.Next:
			v = applied
		case live == c.Base:
			v = todo
		case in == c.Base: // changed or removed afterwards: that stays
			v = applied
		}
	case Create:
		switch {
		case live == c.Next:
			v = applied
		case live == durable.Absent:
			v = todo
		case in == durable.Absent: // changed afterwards
			v = applied
		}
	case remove:
		switch {
		case live == durable.Absent:
			v = applied
		case in == c.Base:
			same, err := r.sameFile(r.slotOf(i), c.Path)
			if err != nil {
				return 0, err
			}
			if v = applied; same { // half a rename survived
				v = todo
			}
		case live == c.Base:
			v = todo
		}
	}
	if v == conflict {
		what := "was changed"
		if live == durable.Absent {
			what = "was removed"
		}
		return v, r.kill(c.Group, c.Path+" "+what+" while the run was being applied")
	}
	return v, nil
}

func (r *run) sameFile(a, b string) (bool, error) {
	x, err := r.root.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := r.root.Stat(b)
	return err == nil && x.ID == y.ID, err
}

// apply makes the changes of one kind.
func (r *run) apply(kind OpKind) error {
	for i := range r.j.Files {
		c := &r.j.Files[i]
		if c.kind() != kind {
			continue
		}
		v, err := r.verdict(i)
		if err != nil {
			return err
		}
		if v != todo {
			continue
		}
		if err := r.swap(i, c.Base, c.Next, c.After); errors.Is(err, durable.ErrConflict) {
			if err := r.kill(c.Group, c.Path+" was changed while the run was being applied"); err != nil {
				return err
			}
		} else if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

// swap brings the file of a change from one content to another, through its slot.
func (r *run) swap(i int, from, to string, content []byte) error {
	c, slot := &r.j.Files[i], r.slotOf(i)
	in, err := durable.Hash(r.root, slot)
	if err != nil {
		return err
	}
	if in != to {
		switch in {
		case durable.Absent:
		case c.Base, c.Next: // the journal has it, too
			err = r.root.Remove(slot)
		default: // written by somebody after it was displaced
			err = r.aside(slot, c.Path)
		}
		if err != nil {
			return err
		}
		if to != durable.Absent {
			if err := r.fill(slot, content, c.attr()); err != nil {
				return err
			}
		}
	}
	if from == durable.Absent {
		made, err := durable.MkdirAll(r.root, path.Dir(c.Path))
		for _, dir := range made {
			r.touched[dir] = true
		}
		if err != nil {
			if errors.Is(err, durable.ErrLink) {
				err = durable.ErrConflict
			}
			return err
		}
	}
	r.touched[path.Dir(c.Path)] = true
	return durable.CAS(r.root, slot, c.Path, from, to, r.aside)
}
