package workspace

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// FileStore is the workspace as a directory of files.
type FileStore struct {
	// Wait is how long a writer waits for another one.
	Wait time.Duration
	// Keep is how many runs can be undone: the records of older ones are removed,
	// though none before a day has passed.
	Keep int
	// AllowNetwork lets a workspace on a network file system be written, where
	// nothing holds what is promised; see [durable.Remote].
	AllowNetwork bool
	// SessionIdle is how long a session counts as open when nothing reports its end.
	SessionIdle time.Duration
	// Now is the clock of the machine; records of runs are dated by it.
	Now func() time.Time
	// Progress, if set, is called with how many files of how many have been read. An error
	// that it returns ends the reading. It is called by one goroutine at a time.
	Progress func(done, total int) error
	// Reuse lets a Load take from an earlier one what the files held that have not
	// changed since. For whoever loads the workspace again and again.
	Reuse bool
	// NoCache makes Load look at no cache, and [Cache.SaveCatalog] write none.
	NoCache bool
	// Racy is how young a file's last change may be that another one, by the clock of the
	// file system, might leave looking the same: such a file is read again. Two seconds,
	// unless the clock is known to be finer.
	Racy time.Duration
	// Derive, if set, is called with every memory that is read: what it makes of it goes with
	// the memory, into the cache too. It is called by several goroutines at a time.
	Derive Deriver
	// Actor is who asks for what the store commits: the log says so.
	Actor string
	// Access, if set, limits whom the store serves. Undo, History, Log, Check and whatever reads
	// a file are not limited: whoever sets it decides who may call them.
	Access Access
	// Note, if set, is called with what a person should know: that an interrupted run was
	// finished first, say.
	Note func(text string)

	notes     *notes // of an adopted folder; nil for any other workspace
	root      durable.FS
	bare      durable.FS // root, with every file under its name
	machine   string     // the name of this machine, where several share the workspace
	dir       string
	network   string // the network file system it lies on; "" for a local one
	parallel  int    // files staged at a time
	last      atomic.Pointer[loaded]
	named     int // how many ids of deferred memories an entry of the log lists at most
	displaced tx.Displaced
	ended     journal.Ended
	indexed   string            // guarded by the writer's lock
	slots     map[string]string // guarded by the writer's lock
	behind    atomic.Bool       // a save of this store has left an index behind
}

var _ Store = (*FileStore)(nil)

// Open opens the workspace in dir, which must be a directory. Opening writes
// nothing.
func Open(dir string) (*FileStore, error) {
	root, real, err := durable.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	root, notes, err := adopted(root, real)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	s := newStore(root, real)
	s.notes = notes
	if s.network, err = durable.Remote(real); err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace %s: %w", dir, err), root.Close())
	}
	machine, err := ops.ReadMachine(root)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace %s: %w", dir, err), root.Close())
	}
	s.setMachine(machine)
	return s, nil
}

// Create makes dir, which must be a directory, a workspace with these settings. It fails where there are
// settings already.
func Create(dir string, settings []byte) (err error) {
	root, _, err := durable.Open(dir)
	if err == nil {
		err = errors.Join(durable.WriteNew(root, memory.ConfigFile, settings, 0), root.Close())
	}
	if err != nil {
		return fmt.Errorf("make %s a workspace: %w", dir, err)
	}
	return nil
}

// setMachine gives the store the files of a machine with a name.
func (s *FileStore) setMachine(name string) {
	if name != "" && s.machine == "" {
		s.root, s.machine = ops.Own(s.root, name), name
	}
}

// Machine is the name of this machine, where several share the workspace; "" where it is alone.
func (s *FileStore) Machine() string { return s.machine }

// NameMachine gives this machine a name, of 1 to 40 of a to z, 0 to 9 and -, the first a letter, so that it can share the workspace with others: it has files of its own
// for the log, the review queue and the access log. A machine that has a name keeps it.
func (s *FileStore) NameMachine(ctx context.Context, name string) (err error) {
	if !ops.ValidMachine(name) {
		return fmt.Errorf("name this machine: %q: write 1 to 40 of a to z, 0 to 9 and -, the first a letter", name)
	}
	if s.machine != "" {
		return nil
	}
	release, err := s.lock(ctx, "name the machine")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := ops.WriteMachine(s.root, name); err != nil {
		return fmt.Errorf("name this machine: %w", err)
	}
	if name, err = ops.ReadMachine(s.root); err == nil { // another process may have named it
		s.setMachine(name)
	}
	return err
}

func newStore(root durable.FS, dir string) *FileStore {
	return &FileStore{
		root: root, bare: root, dir: dir, Wait: 10 * time.Second, Keep: 100, SessionIdle: 7 * 24 * time.Hour, parallel: 8, Racy: racy, named: named,
		Now: time.Now, slots: map[string]string{},
	}
}

// Dir is the absolute path of the workspace.
func (s *FileStore) Dir() string { return s.dir }

// Close implements [Store]. It brings indexes up to date that saves have left behind. Where that fails, the next commit
// does it.
func (s *FileStore) Close() error {
	if Behind(s) {
		if err := UpdateIndexes(context.Background(), s); err != nil && s.Note != nil {
			s.Note(err.Error())
		}
	}
	return s.root.Close()
}

// Read returns a file of the workspace: the log, the settings, a kept original.
// An absent file is fs.ErrNotExist.
func (s *FileStore) Read(name string) ([]byte, error) {
	data, _, err := s.root.Read(name, jsonedit.MaxSize)
	return data, err
}

// Network names the network file system that the workspace lies on; "" for a
// local one.
func (s *FileStore) Network() string { return s.network }

// Disk is where a workspace lies; see package disk. Package storetest checks one.
type Disk = disk.Disk

// OpenOn opens the workspace on a disk. [Open] is OpenOn the directory of the
// operating system. Nothing is read or written before the first use; Close closes
// the disk.
func OpenOn(d Disk) *FileStore { return newStore(d, "") }
