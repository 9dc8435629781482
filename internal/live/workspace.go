// Package live keeps a workspace in a process that stays, such as a server: its snapshot,
// brought up to date with what changes in the files, and one writer at a time.
package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Workspace serves many goroutines.
type Workspace struct {
	store   *workspace.FileStore
	now     func() time.Time
	changes Changes

	loading, writing chan struct{} // each is held by one at a time
	indexing         indexing
	last             *memory.Snapshot // guarded by loading
	beside           string           // how the documents below ops/ stood then
}

// New keeps the workspace of a store. Changes tells what has changed in its files; see
// [Listen]. Close ends that, and leaves the store open.
func New(store *workspace.FileStore, now func() time.Time, changes Changes) *Workspace {
	store.Reuse = true
	return &Workspace{store: store, now: now, changes: changes, loading: make(chan struct{}, 1), writing: make(chan struct{}, 1)}
}

// Close stops following the files, and brings indexes up to date that saves have left behind.
func (w *Workspace) Close() error { return errors.Join(endIndexing(w), w.changes.Close()) }

// View is the workspace as it stands: as it was last loaded, with what has changed
// since. What is below ops/ is as it was last loaded.
func (w *Workspace) View(ctx context.Context) (*memory.Snapshot, error) {
	return w.snapshot(ctx, w.now(), readTold)
}

// Refresh is a view with what is below ops/ as it stands: the log, the review queue.
func (w *Workspace) Refresh(ctx context.Context) (*memory.Snapshot, error) {
	return w.snapshot(ctx, w.now(), readOps)
}

// Load reads the workspace as a whole, as of a moment: with what is below ops/, and with changes that were not
// reported.
func (w *Workspace) Load(ctx context.Context, at time.Time) (*memory.Snapshot, error) {
	return w.snapshot(ctx, at, readAll)
}

// Last is what was loaded last; nil if that failed.
func (w *Workspace) Last() *memory.Snapshot {
	w.loading <- struct{}{}
	defer w.loaded()
	return w.last
}

func (w *Workspace) loaded() { <-w.loading }

// effort is how much of a workspace is read for a snapshot.
type effort int

const (
	readTold effort = iota // what was told to have changed
	readOps                // and what is below ops/
	readAll                // everything
)

func (w *Workspace) snapshot(ctx context.Context, at time.Time, read effort) (*memory.Snapshot, error) {
	if err := take(ctx, w.loading); err != nil {
		return nil, err
	}
	defer w.loaded()
	last := w.last
	w.last = nil // what has changed is told once: after an error everything is looked at
	names, all := w.changes.Since()
	var err error
	beside := w.beside
	if read != readTold || len(names) > 0 || all || last == nil {
		beside = w.besideNow()
	}
	switch {
	case read == readAll || all || last == nil:
		last, err = w.store.Load(at)
	case len(names) > 0 || beside != w.beside:
		if last = w.store.Reload(at, last, names); last == nil {
			last, err = w.store.Load(at)
		}
	}
	if err != nil {
		return nil, err
	}
	w.last, w.beside = last, beside
	snap := *last // its memories are shared
	snap.At = at
	return &snap, nil
}

// besideNow identifies the state of the documents below ops/ that a snapshot reads: by their sizes and times.
func (w *Workspace) besideNow() string {
	var b strings.Builder
	for _, name := range []string{memory.LogFile, memory.SavesFile, memory.ReviewFile, memory.SeenFile, ops.AccessFile, ops.GivenFile, workspace.RunsDir} {
		b.WriteString(Stamp(w.store, name) + "\n")
	}
	return b.String()
}

// Stamp tells one state of a document of a workspace from another, by its size and time; "" where there is none.
func Stamp(store *workspace.FileStore, name string) string {
	if store.Dir() == "" { // it lies in memory
		if info, err := store.Documents().Stat(name); err == nil {
			return fmt.Sprint(info.Size, " ", info.ModTime.UnixNano())
		}
	} else if info, err := os.Stat(filepath.Join(store.Dir(), filepath.FromSlash(name))); err == nil {
		return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	}
	return ""
}

// take waits for a turn until ctx is done.
func take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Lock lets one goroutine write at a time. Who waits gives up when ctx is done.
func (w *Workspace) Lock(ctx context.Context) error { return take(ctx, w.writing) }

// Unlock ends what [Workspace.Lock] has begun. What was written is in the next view. Indexes that it has left behind are
// brought up to date a moment later.
func (w *Workspace) Unlock() {
	w.changes.Wrote()
	indexLater(w)
	<-w.writing
}

// Doubt makes the next view look at everything, since a change was not reported: one through a
// second hard link, for example.
func (w *Workspace) Doubt() {
	w.loading <- struct{}{}
	w.last = nil
	w.loaded()
}

// Transact reads, and commits the transaction that is made of what was read: what that holds is compared
// again when it is committed. With no transaction there is no result.
func (w *Workspace) Transact(ctx context.Context, read func(context.Context) (*memory.Snapshot, error), make func(*memory.Snapshot) (*workspace.Tx, error)) (*workspace.Result, error) {
	if err := w.Lock(ctx); err != nil {
		return nil, err
	}
	defer w.Unlock()
	snap, err := read(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := make(snap)
	if err != nil || tx == nil {
		return nil, err
	}
	result, err := w.store.Commit(ctx, tx)
	if err != nil {
		return nil, err
	}
	if len(result.Skipped) > 0 {
		w.Doubt() // the files differ from what was read
	}
	return result, nil
}
