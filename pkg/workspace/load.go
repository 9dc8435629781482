package workspace

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// A reader takes no lock. What it meets in the middle of being written settles
// within moments: an editor's save in place, a run that moves a memory from a
// directory that was not read yet to one that was.
const (
	loadTries = 3
	loadPause = 50 * time.Millisecond
	halfSaved = 2 * time.Second // a file this young may be
)

// Load implements [Store]. A file that doesn't parse and is only just being
// written, or that vanishes, and a run that is applied meanwhile make it read
// again, for 100 ms at most; after that it tells what it found.
func (s *FileStore) Load(at time.Time) (*Snapshot, error) {
	for try := 1; ; try++ {
		before, _ := s.runState()
		snap, settled, err := s.load(at)
		if err != nil {
			return nil, err
		}
		after, open := s.runState()
		if settled && !open && before == after || try == loadTries {
			if s.Brief {
				durable.RestLent() // all of the cache was looked at, and little is needed again
				snap.rested = s.Rested
			}
			return snap, nil
		}
		time.Sleep(loadPause)
	}
}

// runState tells which runs have records, and whether one of them isn't finished.
// Where that can't be read, load says so.
func (s *FileStore) runState() (names string, open bool) {
	all, _, err := runNames(s.root)
	if err != nil {
		return "", false
	}
	left, err := s.unfinished(all)
	return strings.Join(all, "/"), err == nil && len(left) > 0
}

// load reads the whole workspace. One unreadable file never stops it: it becomes
// a problem. Only an unreadable root is an error. Not settled is what may look
// different in a moment.
func (s *FileStore) load(at time.Time) (_ *Snapshot, settled bool, err error) {
	root := s.root
	told, queue := beside(s, s.readLog), beside(s, s.readReview)
	l, err := s.scan()
	logged, asked := told(), queue() // in any case: nobody reads on behind the caller's back
	if err != nil {
		return nil, false, err
	}
	access, accessErr := readAccess(root)
	l.order()
	snap := newSnapshot(at, l.ordered[0].counted(access), l.ordered[1].counted(access))
	snap.byID = l.idsOf(snap)
	found := l.finds
	l.finds = finds{} // the names that later snapshots keep lead to the scan, and the indexes to this one
	snap.Indexes, snap.TeamDirs, snap.Agents = found.indexes, l.teamDirs, l.agents
	if found.teams != nil {
		snap.Teams = found.teams
	}
	snap.bare, snap.scanned = &l.ordered, found.problems
	snap.files, snap.scan, snap.findings = l.files, l, l.findings
	for _, a := range found.arrays {
		snap.arrays[a] = true
	}
	if s.Reuse {
		s.known.Store(l.image())
	}
	assignLater(snap)
	snap.access = access
	snap.logHead, snap.LastRun, snap.newest, snap.Deferred = logged.logHead, logged.LastRun, logged.newest, logged.Deferred
	snap.Restored, snap.parted = logged.Restored, logged.parted
	s.attend(snap, asked, accessErr, nil)
	return snap, !found.moving, nil
}

// beside begins to read something, beside what else is read, and returns who waits for it.
func beside[T any](s *FileStore, read func() T) func() T {
	once := sync.OnceValue(read)
	if s.parallel > 1 { // else the same steps each time
		go once()
	}
	return once
}

// flagged is the review queue, as far as it can be read.
type flagged struct {
	queue *ReviewQueue
	err   error
}

func (s *FileStore) readReview() flagged {
	queue, err := loadReview(s.root)
	return flagged{queue, err}
}

// attend adds what ops/ tells, but for the access log, and for the log unless it is brought
// along: with from, an earlier snapshot, there is no unfinished run, and what it knows of
// the same log is taken over.
func (s *FileStore) attend(snap *Snapshot, asked flagged, accessErr error, from *Snapshot) {
	snap.Problems = slices.Clone(snap.scanned)
	problem := func(file, severity, message, hint string) {
		snap.Problems = append(snap.Problems, Problem{File: file, Severity: severity, Message: message, Hint: hint})
	}
	var err error
	if snap.Review, err = asked.queue, asked.err; err != nil {
		problem(ReviewFile, Error, err.Error(), "mend or move the file; until then no pair is flagged twice or forgotten, but none is shown")
		snap.Review = &ReviewQueue{broken: true}
	}
	var open []string
	if from == nil { // else there was none
		var runs []string
		if runs, _, err = runNames(s.root); err == nil {
			open, err = s.unfinished(runs)
		}
	}
	if err != nil {
		problem(RunsDir, Error, "cannot read: "+cause(err), "check its permissions")
	}
	for _, name := range open {
		problem(RunsDir+"/"+name, Error, "this run is being applied or was interrupted: what you see may be half of it",
			"any command that writes finishes it first, \"memory reindex\" say")
	}
	snap.sightings = sync.OnceValue(s.loadSeen)
	if accessErr != nil {
		problem(AccessFile, Warning, "cannot read: "+cause(accessErr), "until it can be, the reads noted in it don't count")
	}
	if from != nil {
		snap.remember(s.root, from)
	}
}

// cause strips the operation and path that the message around it names already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
