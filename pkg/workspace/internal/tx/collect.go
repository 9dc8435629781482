package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// KeepRecords is how long a run's record is kept at least: so long an editor may still
// hold a file open that the run has displaced.
const KeepRecords = 24 * time.Hour

// MaxCollected is how many records a run removes at most. A day after a thousand runs nobody
// waits for all of those; the next runs go on.
const MaxCollected = 25

// slotsAtMost is of how many runs a run drops the slots: their records have to be read for it.
const slotsAtMost = 5

// finishedRun is a record of a run that may be old enough to go.
type finishedRun struct {
	name   string
	at     time.Time
	change bool // a single change, not a run of the rules
}

// Collect removes the records of old runs: those beyond the last Keep runs of the rules, and beyond the last Keep
// single changes, that ended more than a day ago, the oldest first. The two are counted apart, so that a thousand saves
// don't push out what undoes the last consolidation. What was written late into a displaced file goes to ops/conflicts
// first.
func (s *Store) Collect() error {
	names, _, err := journal.Runs(s.Root)
	if err != nil {
		return err
	}
	if err := s.dropSlots(names); err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { // those stay for a day, however many they are
		at, ok := begunAt(name)
		return ok && s.Now().Sub(at) < KeepRecords // it ended no earlier
	})
	if len(names) <= 2*s.Keep+s.Keep/5 {
		return nil // not at every run: the records have to be looked at
	}
	var old []finishedRun
	for _, name := range names {
		run, err := finished(s.Root, name)
		if err != nil {
			continue // memory check reports it; nothing is thrown away on a guess
		}
		old = append(old, run)
	}
	slices.SortStableFunc(old, func(a, b finishedRun) int { return b.at.Compare(a.at) }) // the newest first
	kept := map[bool]int{}
	old = slices.DeleteFunc(old, func(o finishedRun) bool {
		kept[o.change]++
		return kept[o.change] <= s.Keep
	})
	removed := 0
	for _, o := range slices.Backward(old) {
		if removed == MaxCollected || s.Now().Sub(o.at) < KeepRecords {
			break
		}
		switch err := s.discard(o.name); {
		case unreadable(err):
			continue // as above
		case err != nil:
			return fmt.Errorf("remove the record of run %s: %w", o.name, err)
		}
		removed++
	}
	return nil
}

// dropSlots removes the slots of runs that ended more than a day ago: each displaced file, whose
// bytes the record has, too. What was written late into one goes to ops/conflicts first.
func (s *Store) dropSlots(names []string) error {
	dropped := 0
	for _, name := range names {
		if dropped == slotsAtMost {
			break
		}
		if at, ok := begunAt(name); ok && s.Now().Sub(at) < KeepRecords {
			continue // it ended no earlier
		}
		slots := journal.RunsDir + "/" + name + "/" + SlotsDir
		if there, err := durable.Exists(s.Root, slots); err != nil {
			return err
		} else if !there {
			continue
		}
		if run, err := finished(s.Root, name); err != nil || s.Now().Sub(run.at) < KeepRecords {
			continue // or memory check reports it
		}
		err := s.sweepRun(name)
		if unreadable(err) {
			continue // as above
		}
		if err == nil {
			err = durable.RemoveAll(s.Root, slots)
		}
		if err != nil {
			return fmt.Errorf("remove the slots of run %s: %w", name, err)
		}
		dropped++
	}
	return nil
}

// unreadable reports whether the record of a run can't be read, which memory check reports: it
// stays, and hinders no other.
func unreadable(err error) bool {
	return errors.Is(err, journal.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}

// sweepRun is [run.sweep] for a run that ended long ago. What its slots held must stand in its
// record, which is only looked into where something was written late.
func (s *Store) sweepRun(name string) error {
	record := journal.RunsDir + "/" + name + "/" + journal.File
	late, err := s.writtenLate(journal.RunsDir + "/" + name + "/" + SlotsDir)
	switch {
	case err != nil:
		return err
	case !late:
		return journal.Check(s.Root, record)
	}
	r := s.newRun(name, &journal.Run{})
	if err := journal.Read(s.Root, record, r.j); err != nil {
		return err
	}
	if _, err := r.sweep(); err != nil {
		return err
	}
	s.noteAll(r.warnings)
	return nil
}

// writtenLate reports whether some slot holds what its name doesn't tell.
func (s *Store) writtenLate(slots string) (bool, error) {
	entries, err := s.Root.ReadDir(slots)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // they were dropped
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		in, err := durable.Hash(s.Root, slots+"/"+e.Name)
		if err != nil || in != durable.Absent && !strings.Contains(e.Name, in) {
			return true, err
		}
	}
	return false, nil
}

// begunAt is when a run began, or was planned, by its name.
func begunAt(name string) (time.Time, bool) {
	stamp, ok := strings.CutPrefix(name, memory.RunPrefix)
	at, err := time.Parse(memory.RunStamp, stamp[:min(len(memory.RunStamp), len(stamp))])
	return at, ok && err == nil
}

// finished reads when a run ended, and what it was.
func finished(root durable.FS, name string) (finishedRun, error) {
	d := &journal.Done{}
	err := journal.Read(root, journal.Dir(name)+"/"+journal.DoneFile, d)
	return finishedRun{name, d.Finished, d.Change}, err
}

// discard removes a finished run's directory. Its name goes first, durably: a
// part of it must never be taken for an unfinished run.
func (s *Store) discard(name string) error {
	dir := journal.RunsDir + "/" + name
	if err := s.sweepRun(name); err != nil {
		return err
	}
	if err := durable.Publish(s.Root, dir, journal.RunsDir+"/"+journal.TrashPrefix+name); err != nil {
		return err
	}
	return durable.RemoveAll(s.Root, journal.RunsDir+"/"+journal.TrashPrefix+name)
}
