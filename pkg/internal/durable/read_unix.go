//go:build unix

package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Stat implements [disk.Disk].
//
//	fstatat(AT_SYMLINK_NOFOLLOW)
func (d *dirFS) Stat(name string) (info Info, err error) {
	err = d.at("stat", name, func(dir int, file string) (err error) {
		info, err = statAt(dir, file)
		return err
	})
	return info, err
}

func statAt(dir int, file string) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(dir, file, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) Info {
	info := Info{
		Kind: Other, Size: st.Size,
		Attr: Attr{Mode: fs.FileMode(st.Mode & 0o777), Owner: &Owner{UID: int(st.Uid), GID: int(st.Gid)}},
		ID:   FileID{Device: uint64(st.Dev), Number: st.Ino}, Links: int(st.Nlink), //nolint:unconvert // types differ between systems
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

// regular describes an open file, which must be a regular one.
func regular(fd int) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return Info{}, err
	}
	info := infoOf(&st)
	if info.Kind != Regular {
		return info, unix.ELOOP
	}
	return info, nil
}

// Read implements [disk.Disk].
func (d *dirFS) Read(name string, max int64) (data []byte, info Info, err error) {
	err = d.at("read", name, func(dir int, file string) (err error) {
		data, info, err = readAt(dir, file, name, max, nil)
		return err
	})
	return data, info, err
}

// ReadFiles implements [disk.Disk]. The directory is opened once.
func (d *dirFS) ReadFiles(dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) error {
	return openDir(d, "read", dir, func(in *os.File) error {
		fd := int(in.Fd())
		var buf []byte
		for i, file := range names {
			if !fs.ValidPath(file) || file == "." || strings.Contains(file, "/") {
				f(i, nil, Info{}, wrap("read", path.Join(dir, file), fs.ErrInvalid))
				continue
			}
			if known != nil {
				if info, err := statAt(fd, file); err == nil && known(i, info) {
					continue
				}
			}
			name := path.Join(dir, file)
			data, info, err := readAt(fd, file, name, max, buf)
			f(i, data, info, wrap("read", name, err))
			if cap(data) > cap(buf) && cap(data) <= 1<<20 {
				buf = data[:0]
			}
		}
		return nil
	})
}

// readAt reads a regular file into buf, or into a new one if that is too small. It
// never blocks, not even on a pipe.
//
//	openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK); fstat; read until the end; close
func readAt(dir int, file, name string, max int64, buf []byte) (data []byte, info Info, err error) {
	fd, err := openat(dir, file, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, info, err
	}
	defer unix.Close(fd)
	if info, err = regular(fd); err != nil {
		return nil, info, err
	}
	data, err = readAll(fdReader(fd), name, info.Size, max, buf)
	return data, info, err
}

// fdReader reads an open file.
type fdReader int

func (fd fdReader) Read(p []byte) (n int, err error) {
	err = retry(func() (err error) {
		n, err = unix.Read(int(fd), p)
		return err
	})
	if n <= 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

// ReadDir implements [disk.Disk].
//
//	openat(O_DIRECTORY|O_NOFOLLOW); getdents; close
func (d *dirFS) ReadDir(name string) (list []Entry, err error) {
	err = openDir(d, "readdir", name, func(dir *os.File) (err error) {
		list, err = entriesOf(dir)
		return err
	})
	return list, err
}

// openDir calls f with an open directory.
func openDir(d *dirFS, op, name string, f func(dir *os.File) error) error {
	return d.at(op, name, func(in int, base string) error {
		fd, err := openat(in, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		dir := os.NewFile(uintptr(fd), name)
		return errors.Join(f(dir), dir.Close())
	})
}
