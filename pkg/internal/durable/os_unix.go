//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// osFS is a directory of the operating system, held open: should it be renamed,
// the names below it go along.
type osFS struct {
	root int
	pace pace
}

// Open opens the directory dir, which may be a link, and returns its absolute
// path with links resolved.
//
//	open(dir, O_DIRECTORY)
func Open(dir string) (FS, string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, "", err
	}
	fd, err := open(unix.AT_FDCWD, real, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, "", &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	return &osFS{root: fd}, real, nil
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func open(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// wrap names the operation and the file. A link where a file or directory was
// expected comes as ELOOP or ENOTDIR.
func wrap(op, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%s %s: %w", op, name, ErrLink)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%s %s: %w: %w", op, name, err, errors.ErrUnsupported)
	}
	var inner *fs.PathError // from an os.File
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// at opens the directory of name and calls f with it and the last component.
//
//	openat2(O_DIRECTORY, RESOLVE_BENEATH|RESOLVE_NO_SYMLINKS), or openat(dir, component, O_DIRECTORY|O_NOFOLLOW)
//	for each; close
func (o *osFS) at(op, name string, f func(dir int, file string) error) error {
	if err := valid(op, name); err != nil {
		return err
	}
	dir, rest := o.root, name
	if in, file := path.Split(name); in != "" {
		if fd, ok := beneath(o.root, strings.TrimSuffix(in, "/"), unix.O_DIRECTORY); ok {
			dir, rest = fd, file
		}
	}
	for {
		part, tail, more := strings.Cut(rest, "/")
		if !more {
			break
		}
		next, err := open(dir, part, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if dir != o.root {
			unix.Close(dir)
		}
		if err != nil {
			return wrap(op, name, err)
		}
		dir, rest = next, tail
	}
	err := f(dir, rest)
	if dir != o.root {
		unix.Close(dir)
	}
	return wrap(op, name, err)
}

func statAt(dir int, file string) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(dir, file, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) Info {
	info := described(st)
	info.Owner = ownerOf(Owner{int(st.Uid), int(st.Gid)})
	return info
}

// lastOwner is that of the file that was described last: nearly all have the same.
var lastOwner atomic.Pointer[Owner]

func ownerOf(is Owner) *Owner {
	if last := lastOwner.Load(); last != nil && *last == is {
		return last
	}
	own := is
	lastOwner.Store(&own)
	return &own
}

func described(st *unix.Stat_t) Info {
	info := Info{
		Kind: Other, Size: st.Size,
		Attr: Attr{Mode: fs.FileMode(st.Mode & 0o777)},
		ID:   FileID{uint64(st.Dev), st.Ino}, Links: int(st.Nlink), //nolint:unconvert // types differ between systems
		ModTime: time.Unix(st.Mtim.Unix()), ChangeTime: time.Unix(st.Ctim.Unix()),
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Kind = Regular
	case unix.S_IFDIR:
		info.Kind = Dir
	case unix.S_IFLNK:
		info.Kind = Link
	}
	return info
}

// Stat implements [FS].
//
//	fstatat(AT_SYMLINK_NOFOLLOW)
func (o *osFS) Stat(name string) (info Info, err error) {
	err = o.at("stat", name, func(dir int, file string) (err error) {
		info, err = statAt(dir, file)
		return err
	})
	return info, err
}

// Writable implements [FS].
//
//	faccessat(W_OK|X_OK, AT_EACCESS)
func (o *osFS) Writable(name string) error {
	err := o.at("write to", name, func(dir int, file string) error {
		return retry(func() error { return unix.Faccessat(dir, file, unix.W_OK|unix.X_OK, unix.AT_EACCESS) })
	})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		return fmt.Errorf("%s %w: %w", name, ErrClosed, errors.Unwrap(err))
	}
	return err
}

// Mkdir implements [FS]. The umask of the process applies, and [inherit].
//
//	mkdirat(0777)
func (o *osFS) Mkdir(name string) error {
	return o.at("mkdir", name, func(dir int, file string) error {
		if err := retry(func() error { return unix.Mkdirat(dir, file, 0o777) }); err != nil {
			return err
		}
		return inherit(dir, file)
	})
}

// inherit gives what root creates to the owner of the directory it is created in:
// else a single "sudo memory" would lock the owner of a workspace out.
//
//	as root only: fstat(dir), fchownat(dir, file)
func inherit(dir int, file string) error {
	if unix.Geteuid() != 0 {
		return nil
	}
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(dir, &st) }); err != nil || st.Uid == 0 && st.Gid == 0 {
		return err
	}
	err := retry(func() error {
		return unix.Fchownat(dir, file, int(st.Uid), int(st.Gid), unix.AT_SYMLINK_NOFOLLOW)
	})
	if errors.Is(err, unix.EPERM) { // a file system without owners, or one that maps root to nobody
		return nil
	}
	return err
}

// Create implements [FS]. What root creates, [inherit] gives away.
//
//	openat(O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW); write; fchmod; then Sync: fsync (F_FULLFSYNC on darwin)
func (o *osFS) Create(name string, data []byte, mode fs.FileMode) (file File, err error) {
	err = o.at("create", name, func(dir int, base string) error {
		access := uint32(0o666)
		if mode != 0 {
			access = 0o600 // until it has the mode
		}
		fd, err := open(dir, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, access)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), name)
		if _, err = f.Write(data); err == nil && mode != 0 {
			err = f.Chmod(mode)
		}
		if err == nil {
			err = inherit(dir, base)
		}
		if err != nil {
			f.Close()
			return errors.Join(err, retry(func() error { return unix.Unlinkat(dir, base, 0) }))
		}
		file = f
		return nil
	})
	return file, err
}

// Append implements [FS].
//
//	openat(O_WRONLY|O_APPEND|O_CREAT|O_NOFOLLOW|O_NONBLOCK); fstat; write; close
func (o *osFS) Append(name string, data []byte) error {
	return o.at("append", name, func(dir int, base string) error {
		fd, err := open(dir, base, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), name)
		var st unix.Stat_t
		if err = retry(func() error { return unix.Fstat(fd, &st) }); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
			err = unix.ELOOP
		}
		if err == nil && st.Uid == 0 {
			err = inherit(dir, base)
		}
		if err == nil {
			_, err = f.Write(data)
		}
		return errors.Join(err, f.Close())
	})
}

// SyncDir implements [FS].
//
//	openat(O_DIRECTORY|O_NOFOLLOW); fsync; close. A file system that can't fsync
//	directories (EINVAL) keeps no promise about names anyway: that is no error.
func (o *osFS) SyncDir(name string) error {
	err := o.at("fsync", name, func(dir int, file string) error {
		fd, err := open(dir, file, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		d := os.NewFile(uintptr(fd), name)
		return errors.Join(d.Sync(), d.Close())
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Close implements [FS].
func (o *osFS) Close() error { return unix.Close(o.root) }
