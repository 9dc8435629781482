package disk

import (
	"errors"
	"io/fs"
	"time"
)

// Disk stores the files of a workspace.
//
// Names are slash-separated, valid in the sense of [fs.ValidPath] and relative to
// the root, which is ".". No method follows a link: where a component of a name is
// not a plain directory, or the file itself is a link, the error is [ErrLink]. A
// name that is absent is [fs.ErrNotExist]. All methods may be called by several
// goroutines at once.
type Disk interface {
	// Read returns a regular file. One with more than max bytes is [ErrTooLarge].
	Read(name string, max int64) ([]byte, Info, error)
	// ReadFiles reads files of one directory, each as Read would, and passes them to
	// f in the order of names. It is for many files: the directory is opened once.
	// The data may be overwritten when f returns. Where known is set, it may be asked
	// about a file before that is opened; if it returns true, the file is skipped. The
	// error is that of opening the directory; f has not been called then.
	ReadFiles(dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) error
	// Stat describes whatever has the name, be it a link.
	Stat(name string) (Info, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]Entry, error)
	// Mkdir creates a directory in an existing one. A taken name is [fs.ErrExist].
	Mkdir(name string) error
	// Create writes a file; a taken name is [fs.ErrExist]. Mode 0 means the default
	// mode of new files. The content is durable once [File.Sync] has returned, the
	// name once SyncDir has.
	Create(name string, data []byte, mode fs.FileMode) (File, error)
	// Append adds data to the end of a file in one write, and creates the file if it
	// is absent. The data is not durable.
	Append(name string, data []byte) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// Exchange swaps two names in one step. Where the disk can't do that, the error
	// is [errors.ErrUnsupported].
	Exchange(a, b string) error
	// Move renames a file; a taken target is [fs.ErrExist]. Where the disk can't do
	// that in one step, the error is [errors.ErrUnsupported].
	Move(from, to string) error
	// Rename renames a file and replaces the target.
	Rename(from, to string) error
	// Remove unlinks a file or an empty directory.
	Remove(name string) error
	// TryLock takes the advisory lock on a file, which it creates and never removes.
	// While somebody else holds it, the error is a [HeldError].
	TryLock(name, holder string) (unlock func() error, err error)
	// Close releases the disk.
	Close() error
}

// Linker is a [Disk] that can give a file a second name. It is needed only where
// Exchange and Move are unsupported.
type Linker interface {
	// Link gives a file a second name; a taken one is [fs.ErrExist]. Where the disk
	// can't do that, the error is [errors.ErrUnsupported].
	Link(from, to string) error
}

// Syncer is a [Disk] that can make durable what was appended to a file. One that isn't makes it durable by itself, or
// never.
type Syncer interface {
	// SyncFile makes the content of a file durable.
	SyncFile(name string) error
}

// Watcher is a [Disk] that knows who has files open.
type Watcher interface {
	// OpenForWriting reports whether somebody has a file open and may still write into it. Where that can't be known, the
	// error is [errors.ErrUnsupported].
	OpenForWriting(name string) (bool, error)
}

// Checker is a [Disk] on which directories may be read-only.
type Checker interface {
	// Writable tells, without trying, whether names in a directory can be changed:
	// [ErrClosed] if permissions or a read-only file system forbid it. Nil promises
	// nothing.
	Writable(dir string) error
}

// File is a created file whose content is not durable yet.
type File interface {
	// Chown sets the owner; -1 keeps the user or the group.
	Chown(uid, gid int) error
	// Sync makes the content durable.
	Sync() error
	Close() error
}

// Kind is the type of a file.
type Kind string

// The kinds.
const (
	Regular Kind = "file"
	Dir     Kind = "directory"
	Link    Kind = "link"
	Other   Kind = "other" // a device, a pipe, a socket
)

// Timer is a [Disk] on which it can be set when a file was last written.
type Timer interface {
	// SetModified sets when the content of a file counts as last written.
	SetModified(name string, at time.Time) error
}

// Entry is a name in a directory.
type Entry struct {
	Name string
	Kind Kind
}

// Attr is what a file keeps when its content is replaced.
type Attr struct {
	Mode  fs.FileMode // permission bits; 0: the default of new files
	Owner *Owner      // nil: the default of new files, or the disk has no owners
	// Modified is when the content is to count as last written; zero: when it is. [Info] doesn't set it.
	Modified time.Time
}

// Owner is the user and the group of a file.
type Owner struct {
	UID int `json:"uid"`
	GID int `json:"gid"`
}

// Info is what Stat returns for a file.
type Info struct {
	Kind Kind
	Size int64
	Attr
	ID    FileID
	Links int // number of names, as st_nlink
	// ModTime is when the content was last written. Programs can set it to anything:
	// it is a hint, never a reason to write.
	ModTime time.Time
	// ChangeTime is when the file last changed in any way (ctime). Programs can't set
	// it. Zero: the disk doesn't know, and the file has to be read to be compared.
	ChangeTime time.Time
}

// FileID identifies a file under any name while it exists: device and inode.
type FileID struct{ Device, Number uint64 }

// Errors that a [Disk] returns, to be tested with errors.Is.
var (
	ErrLink     = errors.New("not a regular file in plain directories: links are not followed")
	ErrClosed   = errors.New("can't be written")
	ErrTooLarge = errors.New("larger than the limit")
	ErrLocked   = errors.New("locked by another process") // see [HeldError]
)

// HeldError says who holds a lock. It is an [ErrLocked].
type HeldError struct{ Holder string }

func (e *HeldError) Error() string { return ErrLocked.Error() + ": " + e.Holder }

// Is makes a HeldError an [ErrLocked].
func (e *HeldError) Is(target error) bool { return target == ErrLocked }
