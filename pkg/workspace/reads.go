package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// reads is a disk from which a workspace is read. It notes when no more files can be opened: that tells nothing about
// the file that was asked for, so nothing may be concluded from what was read. Any other error stays that of its file.
type reads struct {
	durable.FS
	failed atomic.Pointer[error]
}

// err is that a file could not be opened because there were too many open ones, or no memory.
func (r *reads) err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *reads) note(name string, err error) {
	if err == nil || !durable.Exhausted(err) {
		return
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	err = fmt.Errorf("read %s: %w", name, err)
	r.failed.CompareAndSwap(nil, &err)
}

// Read implements [disk.Disk].
func (r *reads) Read(name string, most int64) ([]byte, durable.Info, error) {
	data, info, err := r.FS.Read(name, most)
	r.note(name, err)
	return data, info, err
}

// ReadDir implements [disk.Disk].
func (r *reads) ReadDir(name string) ([]durable.Entry, error) {
	entries, err := r.FS.ReadDir(name)
	r.note(name, err)
	return entries, err
}

// ReadFiles implements [disk.Disk].
func (r *reads) ReadFiles(dir string, names []string, most int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	err := r.FS.ReadFiles(dir, names, most, known, func(i int, data []byte, info durable.Info, err error) {
		r.note(names[i], err)
		f(i, data, info, err)
	})
	r.note(dir, err)
	return err
}
