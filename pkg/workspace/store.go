package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// Errors of a store, to be told apart with errors.Is.
var (
	// ErrLocked: another process is writing and did not finish in time.
	ErrLocked = errors.New("workspace is locked")
	// ErrWatched: another process watches the workspace.
	ErrWatched = errors.New("workspace is watched already")
	// ErrNetwork: the workspace lies on a network file system, where nothing can be
	// promised, and nobody has allowed that.
	ErrNetwork = errors.New("workspace is on a network file system, where neither locks nor swaps of files can be relied on")
	// ErrNotFound: no memory has the id.
	ErrNotFound = errors.New("no such memory")
	// ErrNoRun: no record of the run is kept.
	ErrNoRun = errors.New("no record of that run is kept")
	// ErrAmbiguous: several memories have the id.
	ErrAmbiguous = errors.New("id is not unique")
)

// Store holds a workspace. A snapshot is read from it without a lock; a
// transaction is the only way to change it.
type Store interface {
	// Load reads the whole workspace as of at.
	Load(at time.Time) (*Snapshot, error)
	// Commit makes a transaction true, whole actions at a time: an action whose
	// memories differ from what it relies on is skipped, the rest goes on.
	// Everything becomes visible together with the log entry, or nothing does.
	Commit(ctx context.Context, tx *Tx) (*Result, error)
	// Close releases the store.
	Close() error
}

// Tx is a plan on its way to the disk.
type Tx struct {
	Plan *Plan
	// Snapshot is the one the plan was computed from: the run has seen its
	// memories. Nil for single commands.
	Snapshot *Snapshot
	// Unlogged transactions (a new memory) leave no log entry.
	Unlogged bool
	// Pause between two index updates.
	Pause time.Duration
	// Started is when the run began, for its duration.
	Started time.Time
}

// Result tells what became of a transaction.
type Result struct {
	RunID    string       // names the record of the run; "" when nothing was written
	Entry    *oplog.Entry // as logged; nil when nothing was
	Skipped  []Skip       // actions left out because their memories had changed
	Applied  int          // actions that are true now
	Warnings []string
	// Changed names the files outside ops/ that were written, created or taken away, and
	// directories that were created: what [FileStore.Reload] asks for. Of others, Skipped
	// and Warnings may tell.
	Changed []string
}
