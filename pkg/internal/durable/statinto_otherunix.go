//go:build unix && !(linux && (amd64 || arm64))

package durable

import "golang.org/x/sys/unix"

func statInto(dir int, file string, st *unix.Stat_t, room []byte) ([]byte, error) {
	return room, unix.Fstatat(dir, file, st, unix.AT_SYMLINK_NOFOLLOW)
}
