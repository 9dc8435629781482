//go:build linux && (amd64 || arm64)

package durable

import (
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pace is what the last groups of files of a root tell of calls: above zero, that they come back at
// once. After one that waited it takes so many to be believed again: where one waits, others will.
type pace struct{ trust atomic.Int32 }

const distrust = 16

func (p *pace) tell(quick bool) {
	switch {
	case !quick:
		p.trust.Store(-distrust)
	case p.trust.Load() <= 0:
		p.trust.Add(1)
	}
}

// calls are the system calls for files of one directory. A name is put into room that is used again,
// as the system takes it: of hundreds of thousands each would be garbage. And while calls come back at
// once, as for what the system has in memory, the scheduler isn't told of them, which takes a tenth of
// the time of a call. Nobody else gets the core of one that has to wait, then: so that is measured again
// and again, and only done on disks.
type calls struct {
	pace  *pace
	disk  bool
	quick bool
	n     int       // files
	since time.Time // of the last few
	room  []byte
}

// measured is how many files it takes to tell whether calls wait, and quickFile what one of them takes
// at most, with what is done about it, when they don't.
const (
	measured  = 16
	quickFile = 12 * time.Microsecond
)

func newCalls(dir int, p *pace) *calls { return &calls{pace: p, disk: onDisk(dir)} }

// next is to be called before each file.
func (c *calls) next() {
	if c.disk && c.n%measured == 0 {
		c.done()
		c.since, c.quick = time.Now(), c.pace.trust.Load() > 0
	}
	c.n++
}

// done is to be called after the last file.
func (c *calls) done() {
	if c.disk && c.n > 0 {
		files := (c.n-1)%measured + 1
		c.pace.tell(time.Since(c.since) <= time.Duration(files)*quickFile)
	}
}

// path is a name as the system takes it.
func (c *calls) path(name string) (*byte, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, unix.EINVAL
	}
	c.room = append(append(c.room[:0], name...), 0)
	return &c.room[0], nil
}

// What follows converts pointers where it calls, and nowhere else: so they stay where they are until
// the call is over.

// stat is fstatat(AT_SYMLINK_NOFOLLOW).
func (c *calls) stat(dir int, name string, st *unix.Stat_t) error {
	path, err := c.path(name)
	if err != nil {
		return err
	}
	var errno unix.Errno
	if c.quick {
		_, _, errno = unix.RawSyscall6(unix.SYS_NEWFSTATAT, uintptr(dir), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	} else {
		_, _, errno = unix.Syscall6(unix.SYS_NEWFSTATAT, uintptr(dir), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	}
	return failed(errno)
}

// open is openat for reading, following no link and never blocking.
func (c *calls) open(dir int, name string) (fd int, err error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_LARGEFILE
	path, err := c.path(name)
	if err != nil {
		return -1, err
	}
	var r uintptr
	var errno unix.Errno
	if c.quick {
		r, _, errno = unix.RawSyscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(path)), flags, 0, 0, 0)
	} else {
		r, _, errno = unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(path)), flags, 0, 0, 0)
	}
	return int(r), failed(errno)
}

func (c *calls) fstat(fd int) (st unix.Stat_t, err error) {
	var errno unix.Errno
	if c.quick {
		_, _, errno = unix.RawSyscall(unix.SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(&st)), 0)
	} else {
		_, _, errno = unix.Syscall(unix.SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(&st)), 0)
	}
	return st, failed(errno)
}

func (c *calls) pread(fd int, p []byte, from int64) (n int, err error) {
	var r uintptr
	var errno unix.Errno
	if c.quick {
		r, _, errno = unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(from), 0, 0)
	} else {
		r, _, errno = unix.Syscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(from), 0, 0)
	}
	return int(r), failed(errno)
}

func (c *calls) close(fd int) {
	if c.quick {
		_, _, _ = unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
	} else {
		_, _, _ = unix.Syscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
	}
}

func failed(errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
