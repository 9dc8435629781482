//go:build unix

package cli

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// floorFiles describes the files of a directory, or reads them, with as few system
// calls as can be. It gives back the buffer, which may have grown.
func floorFiles(dir string, names []string, look func(doc []byte) int, buf []byte) ([]byte, error) {
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return buf, fmt.Errorf("open %s: %w", dir, err)
	}
	defer unix.Close(at)
	for _, name := range names {
		if buf, err = floorFile(at, name, look, buf); err != nil {
			return buf, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
		}
	}
	return buf, nil
}

func floorFile(at int, name string, look func(doc []byte) int, buf []byte) ([]byte, error) {
	var st unix.Stat_t
	if look == nil {
		return buf, unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return buf, err
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &st); err != nil {
		return buf, err
	}
	if int64(cap(buf)) < st.Size {
		buf = make([]byte, 2*st.Size)
	}
	n, err := unix.Read(fd, buf[:st.Size])
	if err == nil {
		look(buf[:n])
	}
	return buf, err
}

// floorNames lists a directory, in no order.
func floorNames(dir string) (names []string, err error) {
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	defer unix.Close(at)
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.ReadDirent(at, buf)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
		if n <= 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// flushDisks has the system write what it holds back.
func flushDisks() { unix.Sync() }
