//go:build linux && (amd64 || arm64)

package durable

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statInto is fstatat(AT_SYMLINK_NOFOLLOW). The name is put into the room, which is returned, as the
// system takes it: of hundreds of thousands each would be garbage.
func statInto(dir int, file string, st *unix.Stat_t, room []byte) ([]byte, error) {
	if strings.IndexByte(file, 0) >= 0 {
		return room, unix.EINVAL
	}
	room = append(append(room[:0], file...), 0)
	_, _, errno := unix.Syscall6(unix.SYS_NEWFSTATAT, uintptr(dir), uintptr(unsafe.Pointer(&room[0])), uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if errno != 0 {
		return room, errno
	}
	return room, nil
}
