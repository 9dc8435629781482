package tx

import (
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/internal/durable"
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
	for _, name := range names {
		dir := journal.RunsDir + "/" + name
		if done, err := journal.Finished(s.Root, name); err != nil {
			return err
		} else if done {
			continue
		}
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
		for _, w := range r.warnings {
			s.note("%s", w)
		}
	}
	return nil
}

// recommit makes the journal's name durable, in case it was seen before it was.
func (r *run) recommit() error { return durable.SyncDirs(r.root, r.parallel, r.dir, journal.RunsDir) }
