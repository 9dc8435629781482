package tx

import (
	"errors"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Errors to be told apart with errors.Is.
var (
	// ErrLocked: another process is writing and did not finish in time.
	ErrLocked = errors.New("workspace is locked")
	// ErrNotFound: no memory has the id.
	ErrNotFound = memory.ErrNotFound
	// ErrNoRun: no record of the run is kept.
	ErrNoRun = errors.New("no record of that run is kept")
	// ErrPending: a run was committed and could not be finished. Nothing is lost; the
	// next command that writes finishes it first.
	ErrPending = errors.New("committed, and will be finished by the next command that writes")
)

const maxSize = jsonedit.MaxSize

// Store is the write side of a workspace.
type Store struct {
	Root durable.FS
	// MayWrite refuses all writing, with an error that says why.
	MayWrite func() error
	// Wait is how long a writer waits for another one.
	Wait time.Duration
	// Keep is how many runs can be undone: the records of older ones are removed,
	// though none before a day has passed.
	Keep int
	// Parallel is how many files are staged at a time.
	Parallel int
	// Named limits how many ids of deferred memories an entry of the log lists.
	Named int
	// Now is the clock of the machine; records of runs are dated by it.
	Now func() time.Time
	// Note is called with what a person should know: that an interrupted run was finished, say.
	Note func(text string)
	// Below gives what an index says of each memory below a directory that has no index.
	// Memories in files for which leaving holds don't count. With strict, a file that the
	// disk doesn't give is an error.
	Below func(dir string, leaving func(file string) bool, strict bool) ([]indexfile.Line, error)
	// Notes is what an adopted folder of Markdown notes adds; nil elsewhere.
	Notes Notes
	// Displaced remembers what this process has displaced; see [Displaced].
	Displaced *Displaced
	// Ended remembers the runs that this process has found finished.
	Ended *journal.Ended
	// Indexed is the run of the last save that the indexes are known to be up to date with; see [Store.UpdateIndexes].
	Indexed *string
	// Slots are the files that hold what the last swap of an index by [Store.UpdateIndexes] has displaced, by the index: the
	// next one drops it. Nil: each stays as long as what runs displace.
	Slots   map[string]string
	Actor   string // who asks for what is done; the log says so
	UndoBy  string // who asks for an undo; each of its actions says so
	Machine string // the name of this machine, where several share the workspace; older parts of its log are named after it
}

// Tx is a plan on its way to the disk.
type Tx struct {
	Plan *memory.Plan
	// Snapshot is the one the plan was computed from: the run has seen its
	// memories. Nil for single commands.
	Snapshot *memory.Snapshot
	// Save: the entry is appended to ops/saves.jsonl, from where the next other run moves it into the log, so that it
	// costs what it has and not what the log has. Indexes that are there are left behind, for [Store.UpdateIndexes].
	Save bool
	// Pause between two index updates.
	Pause time.Duration
	// Started is when the run began, for its duration.
	Started time.Time
}

// Result is what became of a transaction.
type Result struct {
	RunID    string        // names the record of the run; "" when nothing was written
	Entry    *oplog.Entry  // as logged; nil when nothing was
	Skipped  []memory.Skip // actions left out because their memories had changed
	Applied  int           // actions that are true now
	Warnings []string
	// Changed names the files outside ops/ that were written, created or removed, and
	// directories that were created.
	Changed []string
}

// logHead is the hash of the log's last entry, "" where there is none or the log is broken.
func (s *Store) logHead() (string, error) {
	tail, err := endOfLog(s.Root)
	if errors.Is(err, oplog.ErrBroken) || odd(err) {
		return "", nil
	}
	return tail.Hash, err
}

func (s *Store) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}

// noteAll passes on the warnings of a run.
func (s *Store) noteAll(warnings []string) {
	for _, w := range warnings {
		s.note("%s", w)
	}
}

// odd tells from an error of the disk that something else than a file of ours has the
// name.
func odd(err error) bool {
	return errors.Is(err, durable.ErrLink) || errors.Is(err, durable.ErrTooLarge)
}
