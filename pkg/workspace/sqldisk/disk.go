package sqldisk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// Disk is a workspace of a database, checked out into memory. It implements [disk.Disk].
//
// The writer's lock ([memory.LockFile]) brings it up to date and holds the workspace's row until
// it is released, which checks in what has changed. Lines that are appended without the lock are
// written at once, under a lock of their own, or later: see [Disk.AppendLater]. Whatever else is written without it is checked in
// with the next release; where the database has got another text meanwhile, that one stands and
// ours is kept in ops/conflicts.
//
// Nothing else looks at the database: call [Disk.Refresh] before reading.
type Disk struct {
	*memdisk.Disk
	db *DB
	ws string

	// Lines that are appended without the writer's lock wait for the next check-in, or [Disk.Flush].
	later   atomic.Bool
	waiting atomic.Bool // there may be some

	// Above 0 the writer's lock is one of memory: the claim of a run checks in, or nothing is.
	detached atomic.Int32

	mu       sync.Mutex        // guards the following, and exchanges with the database
	base     map[string]string // the documents at revision
	revision int64
	stale    bool    // documents were brought along, and indexes don't tell of them
	open     *opened // while the writer's lock is held
}

// opened is the transaction of whoever holds the writer's lock.
type opened struct {
	ctx    context.Context
	cancel context.CancelFunc
	tx     *sql.Tx
	files  map[string]string // as they were: what is derived is taken back with the rest
}

// Disk checks out a workspace.
func (db *DB) Disk(ctx context.Context, ws string) (*Disk, error) {
	d := newDisk(db, ws)
	if err := d.Refresh(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

func newDisk(db *DB, ws string) *Disk {
	return &Disk{Disk: memdisk.New(), db: db, ws: ws, base: map[string]string{}}
}

// Close does nothing: the database stays open.
func (d *Disk) Close() error { return nil }

// Workspace is the name of the workspace.
func (d *Disk) Workspace() string { return d.ws }

// Revision is that of the workspace when it was last looked at.
func (d *Disk) Revision() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.revision
}

// Refresh brings the documents along that others have written. While somebody of this process
// holds the writer's lock, there are none.
func (d *Disk) Refresh(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		return nil
	}
	err := d.db.reading(ctx, tenant, d.ws, func(q querier) error { return d.pull(ctx, q) })
	if err != nil {
		return fmt.Errorf("check out %s: %w", d.ws, err)
	}
	return nil
}

// Locally does something under a writer's lock that is one of memory, if documents have come along
// since it was last done: it is for making again what is derived from them, and is not stored. Nor
// are the records of its runs, which go. Nobody else may write meanwhile.
func (d *Disk) Locally(do func() error) error {
	d.mu.Lock()
	stale := d.stale && d.open == nil
	d.stale = d.stale && !stale
	d.mu.Unlock()
	if !stale {
		return nil
	}
	d.detached.Add(1)
	defer d.detached.Add(-1)
	before, _, err := journal.Runs(d.Disk)
	if err == nil {
		err = do()
	}
	if err == nil {
		err = d.forget(before)
	}
	if err != nil {
		d.mu.Lock()
		d.stale = true
		d.mu.Unlock()
	}
	return err
}

// forget removes the records of runs, but for some.
func (d *Disk) forget(but []string) error {
	now, _, err := journal.Runs(d.Disk)
	for _, run := range now {
		if err == nil && !slices.Contains(but, run) {
			err = durable.RemoveAll(d.Disk, journal.Dir(run))
		}
	}
	return err
}

// pull takes over what has changed since the revision that is checked out.
func (d *Disk) pull(ctx context.Context, q querier) error {
	revision, docs, err := d.db.since(ctx, q, d.ws, d.revision)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if err := d.take(doc); err != nil {
			return fmt.Errorf("%s: %w", doc.Path, err)
		}
	}
	d.revision, d.stale = revision, d.stale || len(docs) > 0
	return nil
}

// take puts a document of the database in its place.
func (d *Disk) take(doc Document) error {
	here, _, err := d.Disk.Read(doc.Path, 1<<40)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	was, known := d.base[doc.Path]
	if added, ok := strings.CutPrefix(string(here), was); ok && added != "" && path.Ext(doc.Path) == ".jsonl" {
		return d.takeBefore(doc, added) // lines that wait to be checked in
	}
	if there && string(here) != string(doc.Bytes) && (!known || was != string(here)) {
		if err := d.Put(fmt.Sprintf("%s/checkout/%s.%.12s", workspace.ConflictsDir, doc.Path, digest(string(here))), here); err != nil {
			return err
		}
	}
	if !doc.Removed() {
		d.base[doc.Path] = string(doc.Bytes)
		return d.Put(doc.Path, doc.Bytes)
	}
	delete(d.base, doc.Path)
	if there {
		return d.drop(doc.Path)
	}
	return nil
}

// takeBefore puts a document of the database before lines that were added here.
func (d *Disk) takeBefore(doc Document, added string) error {
	if doc.Removed() {
		delete(d.base, doc.Path)
	} else {
		d.base[doc.Path] = string(doc.Bytes)
	}
	return d.Put(doc.Path, append(slices.Clone(doc.Bytes), added...))
}

// drop removes a file, and the directories that it leaves empty.
func (d *Disk) drop(name string) error {
	if err := d.Remove(name); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if d.Remove(dir) != nil { // others are in it
			return nil
		}
	}
	return nil
}

// TryLock implements [disk.Disk].
func (d *Disk) TryLock(name, holder string) (unlock func() error, err error) {
	release, err := d.Disk.TryLock(name, holder)
	if err != nil || name != memory.LockFile || d.detached.Load() > 0 {
		return release, err
	}
	if err := d.begin(); err != nil {
		return nil, errors.Join(err, release())
	}
	return func() error { return errors.Join(d.end(), release()) }, nil
}

// begin takes the lock on the row of the workspace and brings the documents along.
func (d *Disk) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	tx, err := d.db.begin(ctx, tenant, d.ws)
	if err == nil {
		if _, err = d.db.lockRow(ctx, tx, d.ws); err == nil {
			err = d.pull(ctx, tx)
		}
		if err != nil {
			err = errors.Join(err, rollback(tx))
		}
	}
	if err != nil {
		cancel()
		if locked(err) {
			err = &disk.HeldError{Holder: "another process that serves the database"}
		}
		return fmt.Errorf("lock the workspace %s: %w", d.ws, err)
	}
	d.open = &opened{ctx, cancel, tx, d.Files()}
	return nil
}

// end checks in what has changed. After an error the files are what they were before.
func (d *Disk) end() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.open
	d.open = nil
	defer o.cancel()
	now, err := d.finished()
	all := difference(d.base, now)
	if err == nil && len(all) > 0 {
		if err = d.db.write(o.ctx, o.tx, d.ws, d.revision+1, all); err == nil {
			err = d.commit(o.tx, all)
		}
	}
	err = errors.Join(err, rollback(o.tx))
	if err != nil {
		return errors.Join(fmt.Errorf("check in %s: %w", d.ws, err), d.restore(o.files))
	}
	if len(all) > 0 {
		d.base, d.revision = now, d.revision+1
	}
	return nil
}

// commit ends the transaction, and looks what became of it where the answer is lost.
func (d *Disk) commit(tx *sql.Tx, all []change) error {
	err := tx.Commit()
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if done, lost := d.db.written(ctx, d.ws, d.revision+1, all); lost != nil {
		return fmt.Errorf("whether it was written can't be told, \"memory log\" will: %w", errors.Join(err, lost))
	} else if done {
		return nil
	}
	return err
}

// finished returns the documents as they are; with [ErrUnfinished] where a run is half done.
func (d *Disk) finished() (map[string]string, error) {
	now := storedOf(d.Files())
	runs, _, err := journal.Runs(d.Disk)
	if err != nil {
		return now, err
	}
	left, err := journal.Unfinished(d.Disk, runs, nil)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%s: %w", left[0], ErrUnfinished)
	}
	return now, err
}

// restore makes the files what they were when the writer's lock was taken.
func (d *Disk) restore(files map[string]string) error {
	var failed error
	for _, c := range difference(d.Files(), files) {
		switch {
		case strings.HasPrefix(c.path, workspace.CacheDir+"/"), path.Base(c.path) == path.Base(memory.LockFile):
		case c.removed:
			failed = errors.Join(failed, d.drop(c.path))
		default:
			failed = errors.Join(failed, d.Put(c.path, []byte(c.text)))
		}
	}
	return failed
}

// Append implements [disk.Disk]. What is stored is appended to what the database has, at once. While
// somebody of this process holds the writer's lock, it goes with what that one writes.
func (d *Disk) Append(name string, data []byte) error {
	if d.detached.Load() > 0 || !Stored(name) {
		return d.Disk.Append(name, data)
	}
	if d.later.Load() && path.Ext(name) == ".jsonl" {
		err := d.Disk.Append(name, data)
		d.waiting.Store(true)
		return err
	}
	if err := d.Mkdir(memory.OpsDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	release, err := d.TryLock(memory.LockFile, "append to "+name)
	if errors.Is(err, disk.ErrLocked) {
		return d.Disk.Append(name, data)
	}
	if err != nil {
		return err
	}
	return errors.Join(d.Disk.Append(name, data), release())
}

// AppendLater makes lines that are appended to *.jsonl without the writer's lock, such as those of reads, wait for the next check-in, so
// that reading costs no transaction. Call [Disk.Flush] now and then, and at the end: lines that wait are lost with the process.
func (d *Disk) AppendLater() { d.later.Store(true) }

// Waiting reports whether lines may wait to be checked in.
func (d *Disk) Waiting() bool { return d.waiting.Load() }

// Flush checks in lines that wait, if there may be some.
func (d *Disk) Flush() error {
	if !d.waiting.Swap(false) {
		return nil
	}
	release, err := d.TryLock(memory.LockFile, "check in what was read")
	if err == nil {
		err = release()
	}
	if err != nil {
		d.waiting.Store(true)
	}
	if errors.Is(err, disk.ErrLocked) {
		return nil // the next time
	}
	return err
}
