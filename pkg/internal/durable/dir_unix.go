//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// dirFS is a directory of the operating system, held open: it may be renamed
// meanwhile.
//
// [os.Root] won't do: it follows links that stay inside the root.
type dirFS struct{ root int }

// Open opens the directory dir, which may be a link, and returns its absolute path
// with links resolved.
func Open(dir string) (FS, string, error) {
	real, err := realPath(dir)
	if err != nil {
		return nil, "", err
	}
	fd, err := openat(unix.AT_FDCWD, real, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, "", &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	return &dirFS{fd}, real, nil
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func openat(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// wrap adds the operation and the name. The kernel reports a link where a file or
// a directory was expected as ELOOP or ENOTDIR.
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

// at opens the directory of name and calls f with it and the last component. No
// component is resolved through a link.
//
//	openat(dir, component, O_DIRECTORY|O_NOFOLLOW) for each; close
func (d *dirFS) at(op, name string, f func(dir int, file string) error) error {
	if err := validName(op, name); err != nil {
		return err
	}
	dir, rest := d.root, name
	for {
		part, tail, more := strings.Cut(rest, "/")
		if !more {
			break
		}
		next, err := openat(dir, part, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if dir != d.root {
			unix.Close(dir)
		}
		if err != nil {
			return wrap(op, name, err)
		}
		dir, rest = next, tail
	}
	err := f(dir, rest)
	if dir != d.root {
		unix.Close(dir)
	}
	return wrap(op, name, err)
}

// two calls f with two names and their directories.
func two(d *dirFS, op, a, b string, f func(dirA int, a string, dirB int, b string) error) error {
	return d.at(op, a, func(dirA int, fileA string) error {
		return d.at(op, b, func(dirB int, fileB string) error {
			return retry(func() error { return f(dirA, fileA, dirB, fileB) })
		})
	})
}

// Mkdir implements [disk.Disk]. The umask of the process applies.
//
//	mkdirat(0777)
func (d *dirFS) Mkdir(name string) error {
	return d.at("mkdir", name, func(dir int, file string) error {
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

// Create implements [disk.Disk].
//
//	openat(O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW); write; fchmod; then Sync: fsync (F_FULLFSYNC on darwin)
func (d *dirFS) Create(name string, data []byte, mode fs.FileMode) (file File, err error) {
	err = d.at("create", name, func(dir int, base string) error {
		access := uint32(0o666)
		if mode != 0 {
			access = 0o600 // until it has the mode
		}
		fd, err := openat(dir, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, access)
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

// SetModified implements [disk.Timer].
//
//	utimensat(AT_SYMLINK_NOFOLLOW)
func (d *dirFS) SetModified(name string, at time.Time) error {
	return d.at("chtimes", name, func(dir int, base string) error {
		ts := unix.NsecToTimespec(at.UnixNano())
		return retry(func() error {
			return unix.UtimesNanoAt(dir, base, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
		})
	})
}

// Append implements [disk.Disk].
//
//	openat(O_WRONLY|O_APPEND|O_CREAT|O_NOFOLLOW|O_NONBLOCK); fstat; write; close
func (d *dirFS) Append(name string, data []byte) error {
	return d.at("append", name, func(dir int, base string) error {
		fd, err := openat(dir, base, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), name)
		info, err := regular(fd)
		if err == nil && info.Owner.UID == 0 {
			err = inherit(dir, base)
		}
		if err == nil {
			_, err = f.Write(data)
		}
		return errors.Join(err, f.Close())
	})
}

// SyncFile implements [disk.Syncer].
//
//	openat(O_WRONLY|O_NOFOLLOW|O_NONBLOCK); fstat; fsync; close
func (d *dirFS) SyncFile(name string) error {
	return d.at("fsync", name, func(dir int, base string) error {
		fd, err := openat(dir, base, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), name)
		if _, err = regular(fd); err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	})
}

// OpenForWriting implements [disk.Watcher]. The system refuses a read lease on a file that anybody has open for writing.
//
//	openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK); fstat; fcntl(F_SETLEASE, F_RDLCK); close
func (d *dirFS) OpenForWriting(name string) (open bool, err error) {
	err = d.at("lease", name, func(dir int, base string) error {
		fd, err := openat(dir, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		if _, err = regular(fd); err == nil {
			open, err = leased(fd)
		}
		return errors.Join(err, unix.Close(fd)) // which ends the lease
	})
	return open, err
}

// SyncDir implements [disk.Disk]. A file system that can't fsync directories
// (EINVAL) makes no promise about names: that is not an error.
//
//	openat(O_DIRECTORY|O_NOFOLLOW); fsync; close
func (d *dirFS) SyncDir(name string) error {
	err := openDir(d, "fsync", name, (*os.File).Sync)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Exchange implements [disk.Disk].
//
//	linux: renameat2(RENAME_EXCHANGE); darwin: renameatx_np(RENAME_SWAP)
func (d *dirFS) Exchange(a, b string) error { return two(d, "exchange", a, b, exchange) }

// Move implements [disk.Disk].
//
//	linux: renameat2(RENAME_NOREPLACE); darwin: renameatx_np(RENAME_EXCL)
func (d *dirFS) Move(from, to string) error { return two(d, "move", from, to, move) }

// Rename implements [disk.Disk].
//
//	renameat
func (d *dirFS) Rename(from, to string) error { return two(d, "rename", from, to, unix.Renameat) }

// Link implements [disk.Linker].
//
//	linkat; on EPERM, EMLINK, EOPNOTSUPP: ErrUnsupported
func (d *dirFS) Link(from, to string) error {
	err := two(d, "link", from, to, func(dirA int, a string, dirB int, b string) error {
		return unix.Linkat(dirA, a, dirB, b, 0)
	})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EMLINK) {
		err = fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return err
}

// Remove implements [disk.Disk].
//
//	fstatat; unlinkat, for a directory unlinkat(AT_REMOVEDIR)
func (d *dirFS) Remove(name string) error {
	return d.at("remove", name, func(dir int, file string) error {
		info, err := statAt(dir, file)
		if err != nil {
			return err
		}
		flags := 0
		if info.Kind == Dir {
			flags = unix.AT_REMOVEDIR
		}
		return retry(func() error { return unix.Unlinkat(dir, file, flags) })
	})
}

// Writable implements [disk.Checker].
//
//	faccessat(W_OK|X_OK, AT_EACCESS)
func (d *dirFS) Writable(name string) error {
	err := d.at("write to", name, func(dir int, file string) error {
		return retry(func() error { return unix.Faccessat(dir, file, unix.W_OK|unix.X_OK, unix.AT_EACCESS) })
	})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		return fmt.Errorf("%s %w: %w", name, ErrClosed, errors.Unwrap(err))
	}
	return err
}

// TryLock implements [disk.Disk]. The kernel drops the lock when the process dies.
// Somebody may delete the file although nobody should: then the lock on the deleted
// file excludes nobody, so the name must still be that of the locked file.
//
//	openat(O_RDWR|O_CREAT|O_NOFOLLOW|O_NONBLOCK); flock(LOCK_EX|LOCK_NB); fstat, fstatat: same file, else again; ftruncate; pwrite
func (d *dirFS) TryLock(name, holder string) (unlock func() error, err error) {
	err = d.at("lock", name, func(dir int, file string) error {
		for {
			fd, same, err := lockOnce(dir, file)
			if err != nil {
				return err
			}
			if !same {
				unix.Close(fd)
				continue
			}
			// Informative only: on a full disk the lock holds all the same.
			if unix.Ftruncate(fd, 0) == nil {
				_, _ = unix.Pwrite(fd, []byte(holder+"\n"), 0)
			}
			unlock = func() error { return unix.Close(fd) }
			return nil
		}
	})
	return unlock, err
}

func lockOnce(dir int, file string) (fd int, same bool, err error) {
	fd, err = openat(dir, file, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
	if err != nil {
		return -1, false, err
	}
	locked, err := regular(fd)
	if err == nil && locked.Owner.UID == 0 {
		err = inherit(dir, file)
	}
	if err == nil {
		err = retry(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		by, _ := readAll(fdReader(fd), file, 0, 4096, nil) // informative only
		err = &HeldError{Holder: strings.TrimSpace(string(by))}
	}
	if err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	named, err := statAt(dir, file)
	return fd, err == nil && locked.ID == named.ID, nil
}

// Close implements [disk.Disk].
func (d *dirFS) Close() error { return unix.Close(d.root) }
