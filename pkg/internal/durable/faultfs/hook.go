package faultfs

import (
	"errors"
	"io/fs"
	"path"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/memfs"
)

// ErrCrashed is what every call gives once a [Hook] has stopped the machine.
var ErrCrashed = errors.New("the machine is off")

// HalfDone is the outcome of a step that failed and was made all the same: a write that
// came to the half of it, or a call whose success was reported as a failure.
type HalfDone struct {
	Err  error
	Half bool // a created file holds half of its bytes, and stays; else all is done
}

func (f *HalfDone) Error() string { return f.Err.Error() }
func (f *HalfDone) Unwrap() error { return f.Err }

// Step is one call to the file system.
type Step struct {
	N        int    // counted from 1
	Op       string // read, stat, readdir, writable, mkdir, create, append, sync, syncdir, exchange, move, rename, link, remove, lock
	Name, To string
	Writes   bool // whether it may change anything, or make it durable
}

// Hook stands before another file system and calls Before, if it is set, for each
// step. What Before returns is the outcome of the step, which then isn't made;
// nil lets it happen. After is called for a step that was made.
type Hook struct {
	durable.FS
	Before func(Step) error
	After  func(Step)

	mu sync.Mutex
	n  int
}

func (h *Hook) step(op, name, to string, writes bool, do func() error) error {
	h.mu.Lock()
	h.n++
	s := Step{h.n, op, name, to, writes}
	h.mu.Unlock()
	if h.Before != nil {
		if err := h.Before(s); err != nil {
			if fault, ok := err.(*HalfDone); ok && !fault.Half {
				err = errors.Join(fault.Err, do())
			}
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	err := do()
	if h.After != nil {
		h.After(s)
	}
	return err
}

// Steps is how many steps there were so far.
func (h *Hook) Steps() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// Read implements [durable.FS].
func (h *Hook) Read(name string, max int64) (data []byte, info durable.Info, err error) {
	err = h.step("read", name, "", false, func() (err error) { data, info, err = h.FS.Read(name, max); return err })
	return data, info, err
}

// ReadFiles implements [durable.FS]: a step for each file.
func (h *Hook) ReadFiles(dir string, names []string, max int64, known func(i int, info durable.Info) bool, f func(i int, data []byte, info durable.Info, err error)) error {
	for i, name := range names {
		data, info, err := h.Read(path.Join(dir, name), max)
		f(i, data, info, err)
		memfs.Spoil(data)
	}
	return nil
}

// Stat implements [durable.FS].
func (h *Hook) Stat(name string) (info durable.Info, err error) {
	err = h.step("stat", name, "", false, func() (err error) { info, err = h.FS.Stat(name); return err })
	return info, err
}

// ReadDir implements [durable.FS].
func (h *Hook) ReadDir(name string) (list []durable.Entry, err error) {
	err = h.step("readdir", name, "", false, func() (err error) { list, err = h.FS.ReadDir(name); return err })
	return list, err
}

// Writable implements [durable.FS].
func (h *Hook) Writable(name string) error {
	return h.step("writable", name, "", false, func() error { return durable.Writable(h.FS, name) })
}

// Mkdir implements [durable.FS].
func (h *Hook) Mkdir(name string) error {
	return h.step("mkdir", name, "", true, func() error { return h.FS.Mkdir(name) })
}

// Create implements [durable.FS].
func (h *Hook) Create(name string, data []byte, mode fs.FileMode) (f durable.File, err error) {
	err = h.step("create", name, "", true, func() (err error) { f, err = h.FS.Create(name, data, mode); return err })
	if err == nil {
		return hooked{f, h, name}, nil
	}
	var fault *HalfDone
	if f == nil && errors.As(err, &fault) {
		f, _ = h.FS.Create(name, data[:len(data)/2], mode) // else the name was taken
	}
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return nil, err
}

// Append implements [durable.FS].
func (h *Hook) Append(name string, data []byte) error {
	return h.step("append", name, "", true, func() error { return h.FS.Append(name, data) })
}

// OpenForWriting implements [disk.Watcher].
func (h *Hook) OpenForWriting(name string) (open bool, err error) {
	err = h.step("lease", name, "", false, func() error {
		open = durable.OpenForWriting(h.FS, name)
		return nil
	})
	return open, err
}

// SyncFile implements [disk.Syncer].
func (h *Hook) SyncFile(name string) error {
	return h.step("sync", name, "", true, func() error { return durable.SyncFile(h.FS, name) })
}

type hooked struct {
	durable.File
	h    *Hook
	name string
}

func (f hooked) Sync() error { return f.h.step("sync", f.name, "", true, f.File.Sync) }

// SyncDir implements [durable.FS].
func (h *Hook) SyncDir(name string) error {
	return h.step("syncdir", name, "", true, func() error { return h.FS.SyncDir(name) })
}

// Exchange implements [durable.FS].
func (h *Hook) Exchange(a, b string) error {
	return h.step("exchange", a, b, true, func() error { return h.FS.Exchange(a, b) })
}

// Move implements [durable.FS].
func (h *Hook) Move(from, to string) error {
	return h.step("move", from, to, true, func() error { return h.FS.Move(from, to) })
}

// Rename implements [durable.FS].
func (h *Hook) Rename(from, to string) error {
	return h.step("rename", from, to, true, func() error { return h.FS.Rename(from, to) })
}

// Link implements [durable.FS].
func (h *Hook) Link(from, to string) error {
	return h.step("link", from, to, true, func() error { return durable.HardLink(h.FS, from, to) })
}

// Remove implements [durable.FS].
func (h *Hook) Remove(name string) error {
	return h.step("remove", name, "", true, func() error { return h.FS.Remove(name) })
}

// TryLock implements [durable.FS].
func (h *Hook) TryLock(name, holder string) (unlock func() error, err error) {
	err = h.step("lock", name, "", false, func() (err error) { unlock, err = h.FS.TryLock(name, holder); return err })
	return unlock, err
}

// Mem is a disk in memory that knows what of it would survive a loss of power.
// What others do with its Put, Overwrite and Open is not durable before [Mem.Settle]
// or a sync.
type Mem struct{ *memfs.FS }

// New returns an empty disk. Its files have no times, so that all are read again.
func New() *Mem {
	m := &Mem{memfs.New()}
	m.Track = true
	m.Settle()
	return m
}

// Overwrite writes new bytes into a file in place, as many editors do.
func (m *Mem) Overwrite(name string, data []byte) error {
	write, err := m.Open(name)
	if err == nil {
		write(data)
	}
	return err
}
