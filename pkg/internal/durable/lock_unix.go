//go:build unix

package durable

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// TryLock implements [FS]. The kernel drops the lock when the process dies,
// however it dies. Somebody may delete the file although nobody should: then the
// lock of its holder is worth nothing to those who come later, so the name must
// still be that of the locked file.
//
//	openat(O_RDWR|O_CREAT|O_NOFOLLOW|O_NONBLOCK); flock(LOCK_EX|LOCK_NB); fstat, fstatat: same file, else again; ftruncate; pwrite
func (o *osFS) TryLock(name, holder string) (unlock func() error, err error) {
	err = o.at("lock", name, func(dir int, file string) error {
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
	fd, err = open(dir, file, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
	if err != nil {
		return -1, false, err
	}
	var locked, named unix.Stat_t
	if err = retry(func() error { return unix.Fstat(fd, &locked) }); err == nil && locked.Uid == 0 {
		err = inherit(dir, file)
	}
	if err == nil && locked.Mode&unix.S_IFMT != unix.S_IFREG {
		err = unix.ELOOP
	}
	if err == nil {
		err = retry(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		by, _ := readAll(fd, ".", file, 0, 4096, nil, plainCalls{}) // informative only
		err = &HeldError{strings.TrimSpace(string(by))}
	}
	if err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	err = retry(func() error { return unix.Fstatat(dir, file, &named, unix.AT_SYMLINK_NOFOLLOW) })
	return fd, err == nil && locked.Dev == named.Dev && locked.Ino == named.Ino, nil
}
