package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// The seam to the disk; see package disk.
type (
	FS        = disk.Disk
	File      = disk.File
	Kind      = disk.Kind
	Entry     = disk.Entry
	Attr      = disk.Attr
	Owner     = disk.Owner
	Info      = disk.Info
	FileID    = disk.FileID
	HeldError = disk.HeldError
)

// Kinds of directory entries.
const (
	Regular = disk.Regular
	Dir     = disk.Dir
	Link    = disk.Link
	Other   = disk.Other
)

// Errors, to be tested with errors.Is.
var (
	ErrLink     = disk.ErrLink
	ErrClosed   = disk.ErrClosed
	ErrTooLarge = disk.ErrTooLarge
	ErrLocked   = disk.ErrLocked
	// ErrConflict: the file is not what it was expected to be.
	ErrConflict = errors.New("changed by somebody else")
)

func realPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// Parent is the directory that a directory of the system lies in, and its name there.
func Parent(dir string) (parent, name string) { return filepath.Dir(dir), filepath.Base(dir) }

// Within is the path of a name, slash-separated, in a directory of the system.
func Within(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

// Slashes is a path of the system with slashes.
func Slashes(dir string) string { return filepath.ToSlash(dir) }

// Remote names the network file system that dir lies on, such as "nfs", and is ""
// for a local one. There neither the lock excludes writers on other machines nor
// is an exchange atomic for them, so none of this package's guarantees holds. A
// file system in user space (FUSE), which may be either, counts as local; what
// it can do, [Probe] tells.
//
//	linux: statfs, f_type; darwin: statfs, MNT_LOCAL; windows: GetDriveTypeW
func Remote(dir string) (string, error) { return remote(dir) }

// Writable reports [ErrClosed] if names in dir can't be changed, as far as the
// disk can tell without trying; see [disk.Checker].
func Writable(fsys FS, dir string) error {
	if c, ok := fsys.(disk.Checker); ok {
		return c.Writable(dir)
	}
	return nil
}

// SyncFile makes durable what was appended to a file; see [disk.Syncer].
func SyncFile(fsys FS, name string) error {
	if s, ok := fsys.(disk.Syncer); ok {
		return s.SyncFile(name)
	}
	return nil
}

// SetModified sets when a file counts as last written, where the disk can do that; see [disk.Timer].
func SetModified(fsys FS, name string, at time.Time) error {
	if t, ok := fsys.(disk.Timer); ok {
		return t.SetModified(name, at)
	}
	return nil
}

// OpenForWriting reports whether somebody may still write into a file; see [disk.Watcher]. It is true where that isn't known.
func OpenForWriting(fsys FS, name string) bool {
	if w, ok := fsys.(disk.Watcher); ok {
		if open, err := w.OpenForWriting(name); err == nil {
			return open
		}
	}
	return true
}

// HardLink gives a file a second name; see [disk.Linker].
func HardLink(fsys FS, from, to string) error {
	if l, ok := fsys.(disk.Linker); ok {
		return l.Link(from, to)
	}
	return fmt.Errorf("link %s: %w", from, errors.ErrUnsupported)
}

// validName refuses names that lead out of the root.
func validName(op, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: errors.New("path leads out of the workspace")}
	}
	return nil
}

func tooLarge(name string, size, max int64) error {
	return fmt.Errorf("%s: %d bytes, limit %d: %w", name, size, max, ErrTooLarge)
}

// readAll reads a file into buf, or into a new one if that is too small. Size is its
// size when it was opened.
func readAll(file io.Reader, name string, size, max int64, buf []byte) ([]byte, error) {
	if size > max {
		return nil, tooLarge(name, size, max)
	}
	b := bytes.NewBuffer(buf[:0])
	b.Grow(int(size) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(file, max+1))
	if err == nil && int64(b.Len()) > max { // it grew meanwhile
		err = tooLarge(name, int64(b.Len()), max)
	}
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// entriesOf lists an open directory, sorted by name.
func entriesOf(dir *os.File) ([]Entry, error) {
	entries, err := dir.ReadDir(-1)
	list := make([]Entry, len(entries))
	for i, e := range entries {
		list[i] = Entry{Name: e.Name(), Kind: kindOf(e.Type())}
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return Regular
	case mode.IsDir():
		return Dir
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
