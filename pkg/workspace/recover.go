package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// runNames lists the directories of runs; those on their way out too with trash.
func runNames(root durable.FS) (names, trash []string, err error) {
	entries, err := root.ReadDir(RunsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		switch {
		case e.Kind != durable.Dir:
		case strings.HasPrefix(e.Name, trashPrefix):
			trash = append(trash, e.Name)
		case strings.HasPrefix(e.Name, "."):
		default:
			names = append(names, e.Name)
		}
	}
	return names, trash, err
}

func exists(root durable.FS, name string) (bool, error) {
	_, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// finished reports whether a run has its last record.
func finished(root durable.FS, name string) (bool, error) {
	return exists(root, RunsDir+"/"+name+"/"+doneFile)
}

// unfinished lists the runs among these that were committed and not finished.
func (s *FileStore) unfinished(names []string) (open []string, err error) {
	for _, name := range names {
		if done, err := finished(s.root, name); err != nil {
			return open, err
		} else if done {
			continue
		}
		if committed, err := exists(s.root, RunsDir+"/"+name+"/"+journalFile); err != nil {
			return open, err
		} else if committed {
			open = append(open, name)
		}
	}
	return open, nil
}

// recover finishes what an interrupted writer left; the caller holds the lock. A
// run without a journal has touched nothing and goes. A damaged journal stops
// everything: it was durable before it got its name, so something else is wrong.
func (s *FileStore) recover() error {
	names, trash, err := runNames(s.root)
	if err != nil {
		return fmt.Errorf("read %s: %w", RunsDir, err)
	}
	for _, name := range trash {
		if err := durable.RemoveAll(s.root, RunsDir+"/"+name); err != nil {
			return err
		}
	}
	for _, name := range names {
		dir := RunsDir + "/" + name
		if done, err := finished(s.root, name); err != nil {
			return err
		} else if done {
			continue
		}
		if committed, err := exists(s.root, dir+"/"+journalFile); err != nil {
			return err
		} else if !committed {
			if err := durable.RemoveAll(s.root, dir); err != nil {
				return fmt.Errorf("remove what an interrupted run had prepared: %w", err)
			}
			continue
		}
		j := &journal.Run{}
		if err := journal.Read(s.root, dir+"/"+journalFile, j); errors.Is(err, journal.ErrDamaged) {
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
func (r *run) recommit() error { return durable.SyncDirs(r.root, r.parallel, r.dir, RunsDir) }

func (s *FileStore) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}
