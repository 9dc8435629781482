//go:build unix && !(linux && (amd64 || arm64))

package durable

import "golang.org/x/sys/unix"

type pace struct{}

// calls are the system calls for files of one directory.
type calls struct{ plainCalls }

func newCalls(int, *pace) *calls { return &calls{} }

// next is to be called before each file, and done after the last one.
func (c *calls) next() {}

func (c *calls) done() {}

// stat is fstatat(AT_SYMLINK_NOFOLLOW).
func (c *calls) stat(dir int, name string, st *unix.Stat_t) error {
	return unix.Fstatat(dir, name, st, unix.AT_SYMLINK_NOFOLLOW)
}

// open is openat for reading, following no link and never blocking.
func (c *calls) open(dir int, name string) (fd int, err error) {
	return unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
}

func (c *calls) close(fd int) { _ = unix.Close(fd) }
