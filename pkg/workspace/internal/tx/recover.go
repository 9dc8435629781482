package tx

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// recover finishes what an interrupted writer left; the caller holds the lock. A
// run without a journal has touched nothing and goes. A damaged journal stops
// everything: it was durable before it got its name, so something else is wrong.
func (s *Store) recover() error {
	names, trash, err := journal.Runs(s.Root)
	if err != nil {
		return fmt.Errorf("read %s: %w", journal.RunsDir, err)
	}
	for _, name := range trash {
		if err := durable.RemoveAll(s.Root, journal.RunsDir+"/"+name); err != nil {
			return err
		}
	}
	left, err := journal.Left(s.Root, names, s.Ended)
	if err != nil {
		return err
	}
	for _, name := range left {
		dir := journal.RunsDir + "/" + name
		if committed, err := journal.Committed(s.Root, name); err != nil {
			return err
		} else if !committed {
			if err := durable.RemoveAll(s.Root, dir); err != nil {
				return fmt.Errorf("remove what an interrupted run had prepared: %w", err)
			}
			continue
		}
		j := &journal.Run{}
		if err := journal.Read(s.Root, dir+"/"+journal.File, j); errors.Is(err, journal.ErrDamaged) {
			return fmt.Errorf("an interrupted run can't be finished: %w: nothing was touched; compare the files with the texts in %s, then move that directory out of the workspace", err, dir)
		} else if err != nil {
			return err
		}
		r := s.newRun(name, j)
		r.again = true
		if err := r.recommit(); err != nil {
			return fmt.Errorf("finish the interrupted run %s: %w: %w", name, ErrPending, err)
		}
		if err := r.finish(); err != nil {
			return fmt.Errorf("finish the interrupted run %s: %w: %w", name, ErrPending, err)
		}
		s.note("finished the run %s, which had been interrupted", name)
		s.noteAll(r.warnings)
	}
	return nil
}

// recommit makes the journal's name durable, in case it was seen before it was.
func (r *run) recommit() error { return durable.SyncDirs(r.root, r.parallel, r.dir, journal.RunsDir) }

// rollback takes back, last first, what dead groups have changed. What somebody
// else changed since stays.
func (r *run) rollback() error {
	for i := len(r.j.Files) - 1; i >= 0; i-- {
		c := &r.j.Files[i]
		if _, dead := r.dead[c.Group]; !dead {
			continue
		}
		if err := r.takeBack(i); err != nil && !errors.Is(err, durable.ErrConflict) {
			return fmt.Errorf("take back %s: %w", c.Path, err)
		}
	}
	return nil
}

func (r *run) takeBack(i int) error {
	c, slot := &r.j.Files[i], r.slotOf(i)
	in, err := durable.Hash(r.root, slot)
	if err != nil {
		return err
	}
	live, err := durable.Hash(r.root, c.Path)
	if err != nil {
		return err
	}
	switch c.Kind() {
	case journal.Put:
		if live == c.Next {
			return r.swap(i, c.Next, c.Base, c.Before)
		}
	case journal.Create:
		switch {
		case live != c.Next:
		case in == durable.Absent:
			return r.swap(i, c.Next, durable.Absent, nil)
		case in == c.Next: // a second name of the same file: half a step survived
			if same, err := r.sameFile(slot, c.Path); err != nil || !same {
				return err
			}
			return r.root.Remove(c.Path)
		}
	case journal.Remove:
		switch {
		case in != c.Base || live == c.Base:
		case live == durable.Absent:
			return r.swap(i, durable.Absent, c.Base, c.Before)
		default: // its place was taken
			return r.aside(slot, c.Path)
		}
	}
	return nil
}

// Lock makes ops/, takes the writer's lock and finishes what an interrupted writer left.
func (s *Store) Lock(ctx context.Context, what string) (release func() error, err error) {
	if err := s.MayWrite(); err != nil {
		return nil, err
	}
	dirs, err := durable.MkdirAll(s.Root, memory.OpsDir)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", memory.OpsDir, err)
	}
	if err := durable.SyncDirs(s.Root, s.Parallel, dirs...); err != nil {
		return nil, err
	}
	holder := fmt.Sprintf("pid %d, %s, since %s", os.Getpid(), what, timestamp.Format(s.Now()))
	release, err = durable.Lock(ctx, s.Root, memory.LockFile, holder, s.Wait, func(by string) { s.note("waiting for another writer: %s", by) })
	var held *durable.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w after waiting %s: %s", ErrLocked, s.Wait, held.Holder)
	}
	if err != nil {
		return nil, err
	}
	if err = s.recover(); err == nil {
		err = s.SweepDisplaced()
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}
