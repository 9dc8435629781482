package durable

import (
	"strings"

	"golang.org/x/sys/unix"
)

// beneath opens a file in subdirectories of root for reading, in one call where the kernel
// has openat2, and follows no link. It is false where that didn't work, for whatever reason:
// the way component by component tells which.
func beneath(root int, name string, flags uint64) (fd int, ok bool) {
	if !strings.Contains(name, "/") {
		return -1, false
	}
	fd, err := unix.Openat2(root, name, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC | flags, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
	return fd, err == nil
}
