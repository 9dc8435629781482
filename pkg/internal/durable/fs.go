package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// FS is the one seam between memoryd and the disk: every byte that is written
// goes through it, so that tests can count the steps, fail them, cut the power
// between two of them and let somebody edit a file at any of them.
//
// Names are slash-separated, valid in the sense of [fs.ValidPath] and relative to
// the root. No method follows a link: one on the way, or at the end, is [ErrLink].
type FS interface {
	// Read returns a regular file of at most max bytes.
	Read(name string, max int64) ([]byte, Info, error)
	// ReadFiles reads several files of a directory, as Read would, and gives each to
	// f, in order. The data is f's until f returns: the next file may overwrite it. Its
	// own error is that of the directory, and then f is not called. Where known is given
	// it may be asked about a file before that is opened; when it says yes, the file is
	// not read and f not called for it.
	ReadFiles(dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) error
	// Stat describes whatever has the name.
	Stat(name string) (Info, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]Entry, error)
	// List is ReadDir, and describes the directory as it was before: as long as it is so, by
	// all that the description says, the same names stand in it for the same kinds of things.
	// Where the file system is not known to keep that promise, it is described by nothing.
	List(name string) ([]Entry, Info, error)
	// Writable tells, without trying, whether names in a directory can be changed:
	// [ErrClosed] if it is closed to the process, or on a read-only file system. Nil
	// promises nothing.
	Writable(dir string) error
	// Mkdir creates a directory in an existing one.
	Mkdir(name string) error
	// Create writes a file whose name must be free, with a mode or, for 0, with the
	// one that the system gives new files. It is not durable before [File.Sync] has
	// returned, and its name not before [FS.SyncDir] has.
	Create(name string, data []byte, mode fs.FileMode) (File, error)
	// Append adds to a file, which it creates with the mode of new files, in one
	// write. What was added is not made durable.
	Append(name string, data []byte) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// Exchange swaps what two names stand for, in one step.
	// errors.ErrUnsupported where the file system can't.
	Exchange(a, b string) error
	// Move renames onto a free name; a taken one is [fs.ErrExist].
	// errors.ErrUnsupported where the file system can't do that in one step.
	Move(from, to string) error
	// Rename renames over whatever has the name.
	Rename(from, to string) error
	// Link gives a file a second name, which must be free.
	// errors.ErrUnsupported where the file system can't.
	Link(from, to string) error
	// Remove unlinks a file or an empty directory.
	Remove(name string) error
	// TryLock takes the advisory lock on a file, which it creates and which is
	// never deleted. While another process holds it: a [HeldError].
	TryLock(name, holder string) (unlock func() error, err error)
	// Close releases the root.
	Close() error
}

// File is a created file whose bytes are not durable yet.
type File interface {
	Chown(uid, gid int) error
	Sync() error
	Close() error
}

// Kind tells files from the rest.
type Kind string

// Kinds of directory entries.
const (
	Regular Kind = "file"
	Dir     Kind = "directory"
	Link    Kind = "link"
	Other   Kind = "other" // a device, a pipe, a socket
)

// Entry is one name in a directory.
type Entry struct {
	Name string
	Kind Kind
}

// Attr is what a file has besides its content, and keeps when that is replaced.
type Attr struct {
	Mode  fs.FileMode // permission bits; 0: those of a new file
	Owner *Owner      // nil: that of a new file, or the system knows none
}

// Owner is the user and the group that a file belongs to.
type Owner struct {
	UID int `json:"uid"`
	GID int `json:"gid"`
}

// Piece is a part of a file: where it begins, and how many bytes it has.
type Piece struct {
	From int64
	Size int
}

// Info describes a file.
type Info struct {
	Kind Kind
	Size int64
	Attr
	ID    FileID
	Links int // how many names the file has

	// ModTime is when the content was last written, as far as the clock and whoever
	// wrote it can be trusted: a hint, never a reason to write.
	ModTime time.Time
	// ChangeTime is when the file last changed in any way. No program can set it, so
	// that a file with the same one, by the same clock, is the same. Zero where the
	// system tells none.
	ChangeTime time.Time
}

// FileID identifies a file whatever its name, while it exists.
type FileID struct{ Device, Number uint64 }

// Errors of this package, to be told apart with errors.Is.
var (
	// ErrLink: the path passes through, or ends in, something else than plain
	// directories and a regular file.
	ErrLink = errors.New("not a regular file in plain directories: links are not followed")
	// ErrClosed: names in the directory can't be changed by this process.
	ErrClosed = errors.New("can't be written")
	// ErrTooLarge: the file exceeds the size that the caller reads at most.
	ErrTooLarge = errors.New("larger than the limit")
	// ErrLocked: another process holds the lock; see [HeldError].
	ErrLocked = errors.New("locked by another process")
	// ErrConflict: the file is not what it was expected to be.
	ErrConflict = errors.New("changed by somebody else")
)

// valid refuses names that lead out of the root.
func valid(op, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: errors.New("path leads out of the workspace")}
	}
	return nil
}

func tooLarge(name string, size, max int64) error {
	return fmt.Errorf("%s: %d bytes, limit %d: %w", name, size, max, ErrTooLarge)
}
