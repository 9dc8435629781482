package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// finish makes a committed run true, from whatever point it has reached. Every
// step is idempotent: it looks at the slot and at the live file and does what is
// left to do. The order is create, reference, replace, unreference, delete, so
// that a reader meets every memory at every instant and no index points nowhere.
// The log entry comes when all that it tells is durable; done.json comes last.
func (r *run) finish() error {
	if r.again {
		if err := r.resume(); err != nil {
			return err
		}
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
			func() error { return r.apply(journal.Create) },
			func() error { return r.indexes(true) },
			func() error { return r.apply(journal.Put) },
			r.rollback,
			func() error { return patchTexts(r) },
			func() error { return r.indexes(false) },
			func() error { return r.apply(journal.Remove) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if len(r.dead) == dead {
			break // else what died meanwhile has to be taken back first
		}
	}
	if err := r.patchOps(); err != nil {
		return err
	}
	late, err := r.sweep()
	if err != nil {
		return err
	}
	return r.done(late)
}

// resume takes up a run where an earlier attempt has left it.
func (r *run) resume() error {
	if err := r.readDead(); err != nil {
		return err
	}
	if err := r.drop(r.dir + "/" + reserveFile); err != nil {
		return err
	}
	return r.settle()
}

// patchOps makes durable what was changed, then patches the documents that remember it.
func (r *run) patchOps() error {
	if err := r.syncTouched(); err != nil {
		return err
	}
	for _, p := range opsPatches(r) {
		if err := r.patchOurs(p); err != nil {
			return err
		}
	}
	return logEntry(r)
}

// syncTouched makes the names durable in the directories that were touched since the last
// call. Whatever changes a slot touches the directory of a file, too.
func (r *run) syncTouched() error {
	if len(r.touched) == 0 && !r.again {
		return nil
	}
	dirs := append(slices.Collect(maps.Keys(r.touched)), r.dir+"/"+SlotsDir)
	clear(r.touched)
	return durable.SyncDirs(r.root, r.parallel, dirs...)
}

// settle gives back what was taken out of its place just before a crash.
func (r *run) settle() error {
	entries, err := r.root.ReadDir(r.dir + "/" + SlotsDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name, durable.Displaced); ok {
			if err := durable.Resume(r.root, r.dir+"/"+SlotsDir+"/"+name); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, durable.Displaced)
		s, ok := r.j.ParseSlot(name, patchedFiles)
		if !ok {
			continue
		}
		slot := r.dir + "/" + SlotsDir + "/" + name
		err := durable.Settle(r.root, slot, s.Path, s.Base, s.Next, r.aside)
		r.touched[path.Dir(s.Path)] = true
		if err != nil && !errors.Is(err, durable.ErrConflict) {
			return err
		}
	}
	return nil
}

// verdict tells from the slot and the live file how far a change has got. In the first
// attempt it looks once: the slots are as they were staged, and what somebody changes
// after that, the swap finds.
func (r *run) verdict(i int) (verdict, error) {
	c := &r.j.Files[i]
	if _, dead := r.dead[c.Group]; dead {
		return conflict, nil
	}
	if v, ok := r.reached[i]; ok {
		return v, nil
	}
	in := c.Next
	if r.again {
		var err error
		if in, err = durable.Hash(r.root, r.slotOf(i)); err != nil {
			return 0, err
		}
	}
	live, err := durable.Hash(r.root, c.Path)
	if err != nil {
		return 0, err
	}
	v := conflict
	switch c.Kind() {
	case journal.Put:
		switch {
		case live == c.Next:
			v = applied
		case live == c.Base:
			v = todo
		case in == c.Base: // changed or removed afterwards: that stays
			v = applied
		}
	case journal.Create:
		switch {
		case live == c.Next:
			v = applied
		case live == durable.Absent:
			v = todo
		case in == durable.Absent: // changed afterwards
			v = applied
		}
	case journal.Remove:
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
	if !r.again {
		r.reached[i] = v
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
func (r *run) apply(kind string) error {
	for i := range r.j.Files {
		c := &r.j.Files[i]
		if c.Kind() != kind {
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
		} else if !r.again {
			r.reached[i] = applied
		}
	}
	return nil
}

// swap brings the file of a change from one content to another, through its slot.
func (r *run) swap(i int, from, to string, content []byte) error {
	c, slot, in := &r.j.Files[i], r.slotOf(i), to
	if r.again || from != c.Base { // else it is as it was staged
		var err error
		if in, err = durable.Hash(r.root, slot); err != nil {
			return err
		}
	}
	if in != to {
		var err error
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
			if err := r.fill(slot, content, c.AttrOf(to)); err != nil {
				return err
			}
		}
	}
	r.touched[path.Dir(c.Path)] = true
	r.changed = append(r.changed, c.Path)
	err := durable.CAS(r.root, slot, c.Path, from, to, r.aside)
	if from != durable.Absent || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := durable.MkdirAll(r.root, path.Dir(c.Path))
	r.changed = append(r.changed, path.Dir(c.Path))
	for _, dir := range made {
		r.touched[dir] = true
	}
	switch {
	case errors.Is(err, durable.ErrLink):
		return durable.ErrConflict
	case err != nil:
		return err
	}
	return durable.CAS(r.root, slot, c.Path, from, to, r.aside)
}
