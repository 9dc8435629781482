package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/check"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/schemas"
)

// writer is the write side, with the options as they are now.
func (s *FileStore) writer() *tx.Store {
	return &tx.Store{
		Notes: s.notes.host(), Root: s.root, MayWrite: s.mayWrite, Wait: s.Wait, Keep: s.Keep, Parallel: s.parallel, Named: s.named,
		Now: s.Now, Note: s.Note, Below: s.linesBelow, Displaced: &s.displaced, Indexed: &s.indexed, Slots: s.slots, Ended: &s.ended, Actor: s.Actor, Machine: s.machine,
	}
}

func (s *FileStore) lock(ctx context.Context, what string) (release func() error, err error) {
	return s.writer().Lock(ctx, what)
}

// mayWrite refuses a network file system that nobody has allowed.
func (s *FileStore) mayWrite() error {
	if s.network != "" && !s.AllowNetwork {
		return fmt.Errorf("%w (%s)", ErrNetwork, s.network)
	}
	return nil
}

// Commit implements [Store].
//
// Under the writer's lock: what an interrupted run left is finished. Every record is
// compared with what the plan saw; actions that don't match are skipped. The new files are
// staged next to a journal whose rename commits the run, and swapped into their places one by
// one, each only if the file there is still the one that was read: an action one of whose
// files somebody else has just changed is taken back as a whole and logged as skipped. See
// docs/internals.md for the files this leaves.
//
// An error before the commit leaves the workspace as it was; after it the error is
// [ErrPending].
func (s *FileStore) Commit(ctx context.Context, tx *Tx) (*Result, error) {
	if err := tx.Check(); err != nil {
		return nil, err
	}
	if err := allowed(s, tx); err != nil {
		return nil, err
	}
	if s.notes != nil {
		plan, err := s.notes.encode(tx.Plan)
		if err != nil {
			return nil, fmt.Errorf("apply %s: %w", tx.Plan.RunID, err)
		}
		noted := *tx
		noted.Plan, tx = plan, &noted
	}
	result, err := s.writer().Commit(ctx, tx)
	if tx.Save && (err != nil || result.RunID != "") {
		s.behind.Store(true)
	}
	return result, err
}

// Behind reports whether a save of a store has left an index behind; see [UpdateIndexes].
func Behind(s *FileStore) bool { return s.behind.Load() }

// UpdateIndexes brings the indexes up to date with what was saved. A save of a new memory writes no index that is there
// already, since that would cost what the index has and not what the save adds. Call it soon after a save: a server within
// a second, a command when it ends ([FileStore.Close] does it). Where nobody did, after a crash, any other commit does it first.
func UpdateIndexes(ctx context.Context, s *FileStore) (err error) {
	release, err := s.lock(ctx, "bring the indexes up to date")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	s.behind.Store(false)
	if err := s.writer().UpdateIndexes(ctx); err != nil {
		s.behind.Store(true)
		return err
	}
	return nil
}

// Undo takes back the actions of a finished run for which only holds, given their place in
// the log entry (-1 when the run wasn't logged); nil takes back all. It is a run itself:
// applied and logged like any other, and it can be undone.
//
// An action is taken back whole or not at all: when a memory that it changed was changed
// since, the action stays and is among the skipped. Files that nobody has written since are
// put back byte for byte, and so are indexes when the whole run is taken back. The kept
// originals of summarised memories stay. [ErrNoRun]: the record is gone, see Keep.
func (s *FileStore) Undo(ctx context.Context, runID string, only func(action int, a oplog.Action) bool, at time.Time) (*Result, error) {
	return s.writer().Undo(ctx, runID, only, at)
}

// UndoAs is Undo by somebody: each of its actions in the log says so.
func (s *FileStore) UndoAs(ctx context.Context, actor, runID string, only func(action int, a oplog.Action) bool, at time.Time) (*Result, error) {
	w := s.writer()
	w.UndoBy = actor
	return w.Undo(ctx, runID, only, at)
}

// MoveSaves moves the entries of saves that are next to the log into it, for those who read its document alone: version
// control and other machines.
func (s *FileStore) MoveSaves(ctx context.Context, at time.Time) error {
	return s.writer().MoveSaves(ctx, at)
}

// PlanUndo tells what [FileStore.Undo] would do, and writes nothing. The entry of its result is not logged.
func (s *FileStore) PlanUndo(runID string, only func(action int, a oplog.Action) bool, at time.Time) (*Result, error) {
	return s.writer().PlanUndo(runID, only, at)
}

// History lists the changes of a memory by runs whose records are kept, oldest first. Edits
// by hand are not runs: they show as a difference between what one version leaves and the
// next finds.
func (s *FileStore) History(id string) ([]Version, error) { return s.writer().History(id) }

// Kept tells which of some memories the records of runs have a text of: a file that was deleted can be written again from it.
func (s *FileStore) Kept(ids map[string]bool) (map[string]bool, error) { return s.writer().Kept(ids) }

// RecordAt returns a memory as a run left it, whether or not that run changed it; nil when no
// run has changed it since. [ErrNoRun] and [ErrNotFound] as the case may be.
func (s *FileStore) RecordAt(id, runID string) (*memory.Memory, error) {
	return s.writer().RecordAt(id, runID)
}

// Ops gives the documents below ops/: sessions, state, the access log.
func (s *FileStore) Ops() *ops.Ops {
	return ops.New(s.root, s.parallel, s.Now, s.mayWrite, s.lock)
}

// Log is the log, with what other machines that share the workspace have logged.
func (s *FileStore) Log() ops.Log { return ops.NewLog(s.root) }

// Check compares the workspace with its invariants: every file parses and validates, ids are
// unique, links resolve, indexes agree with the files, the log chain holds, what was archived
// or shortened is still there in full. It reads every file again, finds everything at once and
// changes nothing. The error is of reading, not of what was found.
func (s *FileStore) Check(at time.Time) ([]memory.Problem, error) {
	extension, findings, err := check.Schemas(s.root)
	if err != nil {
		return nil, err
	}
	notes := check.NewFileFindings(extension)
	snap, err := s.loadAnew(at, notes.Look)
	if err != nil {
		return nil, err
	}
	_, behind, err := s.writer().Behind()
	if err != nil {
		return nil, err
	}
	return check.Run(s.root, snap, notes, findings, behind)
}

// IndexesBehind names the indexes that saves have left behind, in this process or another one; see [UpdateIndexes]. That
// is fine: any commit brings them up to date first.
func IndexesBehind(s *FileStore) ([]string, error) {
	names, _, err := s.writer().Behind()
	return names, err
}

// Schemas compiles what the workspace demands of its memories besides our schema: the files in
// schemas/ that extend it. One that can't be compiled is a finding.
func (s *FileStore) Schemas() (*schemas.Extension, []schemas.Finding, error) {
	return check.Schemas(s.root)
}

// Fix fixes what is derived: it finishes an interrupted run, moves files of ours that are
// damaged, and leftovers of interrupted writers, aside to ops/conflicts/, and rebuilds the
// indexes. It deletes nothing and touches no memory file.
func (s *FileStore) Fix(ctx context.Context, now time.Time) ([]Fixed, error) {
	fixed, err := moveDamaged(ctx, s, now)
	if err != nil {
		return fixed, fmt.Errorf("fix: %w", err)
	}
	rebuilt, err := s.Reindex(ctx, now)
	if err != nil {
		return fixed, err
	}
	for _, r := range rebuilt {
		fixed = append(fixed, Fixed{File: r.File, What: "rebuilt from the files"})
	}
	return fixed, nil
}

func moveDamaged(ctx context.Context, s *FileStore, now time.Time) (fixed []Fixed, err error) {
	release, err := s.lock(ctx, "check --fix") // which finishes an interrupted run
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	return check.MoveDamaged(s.root, now)
}

// Reindexed is what a rebuild did to one index.
type Reindexed struct {
	File    string
	Created bool
	Changes []indexfile.Drift
}

// Reindex rebuilds every index from the files, and creates a missing one in each scope
// directory that holds memories and in archive/. Indexes that agree with the files are not
// written. Unknown keys, and each file's own shape, stay. One file that can't be read keeps it
// from writing any; for whoever can't wait for that there is [Inventory].
func (s *FileStore) Reindex(ctx context.Context, now time.Time) (_ []Reindexed, err error) {
	release, err := s.lock(ctx, "reindex")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	listing := s.writer()
	listing.Note = nil // what can't be brought up to date is rebuilt
	if err := listing.UpdateIndexes(ctx); err != nil {
		return nil, fmt.Errorf("reindex: %w", err)
	}
	return reindex(s, now, func(rebuilt []index.Rebuilt) ([]index.Rebuilt, error) {
		return s.writer().WriteIndexes(ctx, now, rebuilt)
	})
}

// PlanReindex tells what [FileStore.Reindex] would do, and writes nothing.
func (s *FileStore) PlanReindex(now time.Time) ([]Reindexed, error) {
	return reindex(s, now, func(rebuilt []index.Rebuilt) ([]index.Rebuilt, error) { return rebuilt, nil })
}

func reindex(s *FileStore, now time.Time, write func([]index.Rebuilt) ([]index.Rebuilt, error)) ([]Reindexed, error) {
	notes := check.NewFileFindings(nil)
	snap, err := s.loadAnew(now, notes.Look)
	if err != nil {
		return nil, err
	}
	for _, p := range snap.Problems {
		if p.Unread { // its entries would go
			return nil, fmt.Errorf("reindex: %s: %s: nothing was written: %s, or move it away", p.File, p.Message, p.Hint)
		}
	}
	rebuilt, err := index.Rebuild(snap, notes.Lines, sync.OnceValue(s.logOrNil), now)
	if err == nil {
		rebuilt, err = write(rebuilt)
	}
	if err != nil {
		return nil, fmt.Errorf("reindex: %w", err)
	}
	var out []Reindexed
	for _, x := range rebuilt {
		out = append(out, Reindexed{x.File, x.Created, x.Changes})
	}
	return out, nil
}

// logOrNil is the log, nil where it can't be read.
func (s *FileStore) logOrNil() *oplog.Log {
	log, err := s.Log().Read()
	if err != nil {
		return nil
	}
	return log
}

// linesBelow gives what an index says of each memory that belongs to the index of a directory
// that has none yet; see [tx.Store].
func (s *FileStore) linesBelow(dir string, leaving func(file string) bool, strict bool) ([]indexfile.Line, error) {
	notes := check.NewFileFindings(nil)
	below, err := catalog.Disk{Note: s.notes.reader(), Root: s.root, Readers: s.parallel, Each: notes.Look}.ScanDir(dir)
	if err != nil {
		return nil, err
	}
	if strict && slices.ContainsFunc(below.Problems(), func(p memory.Problem) bool { return p.Unread }) {
		return nil, fmt.Errorf("%w: see \"memory check\"", index.ErrReading)
	}
	here := &memory.Index{}
	byDir := map[string]*memory.Index{dir: here}
	for _, f := range below.Files {
		if f.Kind == catalog.Index {
			byDir[path.Dir(f.Name)] = &memory.Index{File: f.Name}
		}
	}
	live, archived, _ := below.Memories()
	owned := slices.DeleteFunc(slices.Concat(live, archived), func(m *memory.Memory) bool {
		return leaving(m.File) || memory.Nearest(byDir, m.File) != here
	})
	return notes.Lines(owned)
}
