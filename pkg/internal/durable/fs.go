package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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

// Writable reports [ErrClosed] if names in dir can't be changed, as far as the
// disk can tell without trying; see [disk.Checker].
func Writable(fsys FS, dir string) error {
	if c, ok := fsys.(disk.Checker); ok {
		return c.Writable(dir)
	}
	return nil
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
