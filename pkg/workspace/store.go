package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/check"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Errors of a store, to be told apart with errors.Is.
var (
	// ErrLocked: another process is writing and did not finish in time.
	ErrLocked = tx.ErrLocked
	// ErrWatched: another process watches the workspace.
	ErrWatched = ops.ErrWatched
	// ErrNetwork: the workspace lies on a network file system, where nothing can be
	// promised, and nobody has allowed that.
	ErrNetwork = errors.New("workspace is on a network file system, where neither locks nor swaps of files can be relied on")
	// ErrPending: a run was committed and could not be finished. Nothing is lost; the
	// next command that writes finishes it first.
	ErrPending = tx.ErrPending
	// ErrNotFound: no memory has the id.
	ErrNotFound = tx.ErrNotFound
	// ErrNoRun: no record of the run is kept.
	ErrNoRun = tx.ErrNoRun
	// ErrAmbiguous: several memories have the id.
	ErrAmbiguous = memory.ErrAmbiguous
)

// Tx, Result and the rest are what transactions take and tell; see package tx.
type (
	// Tx is a plan on its way to the disk. Its fields:
	//
	//	Plan     *memory.Plan     // what is to become true; the only one that is required
	//	Snapshot *memory.Snapshot // the one a plan of rules was made from: the run notes which memories it has seen, so that the
	//	                          // next one knows which were edited since. Nil for single commands.
	//	Unlogged bool             // leave no entry in the log
	//	Pause    time.Duration    // between two updates of indexes
	//	Started  time.Time        // when the run began, for its duration; may be zero
	Tx = tx.Tx
	// Result is what became of a transaction. Its fields:
	//
	//	RunID    string        // names the record of the run, for Undo; "" when nothing was written
	//	Entry    *oplog.Entry  // as logged; nil when nothing was
	//	Skipped  []memory.Skip // actions left out because their memories had changed
	//	Applied  int           // actions that are true now
	//	Warnings []string
	//	Changed  []string      // files outside ops/ that were written, created or removed, and directories that were created
	Result = tx.Result
	// Version is one change of a memory by a run whose record is kept: RunID, At, Action, UndoOf, From, To, and the record Before
	// and After it; nil where there was none.
	Version = tx.Version
	// Fixed is one thing that was fixed.
	Fixed = check.Fixed
)

// Names below ops/ that transactions use.
const (
	RunsDir      = journal.RunsDir      // records of runs
	ConflictsDir = journal.ConflictsDir // what could not be given back
	LogArchive   = tx.LogArchive        // older parts of the log
)

// Why an action is skipped when it is applied.
const (
	ReasonChanged    = tx.ReasonChanged    // a memory it relies on isn't as it was planned against
	ReasonUnwritable = tx.ReasonUnwritable // a file that it changes can't be replaced safely
	ReasonWording    = tx.ReasonWording    // wording of a memory that it merges would be lost
)

// Store holds a workspace. A snapshot is read from it without a lock; a
// transaction is the only way to change it.
type Store interface {
	// Load reads the whole workspace as of at.
	Load(at time.Time) (*memory.Snapshot, error)
	// Commit makes a transaction true, whole actions at a time: an action whose
	// memories differ from what it relies on is skipped, the rest goes on.
	// Everything becomes visible together with the log entry, or nothing does.
	Commit(ctx context.Context, tx *Tx) (*Result, error)
	// Close releases the store.
	Close() error
}
