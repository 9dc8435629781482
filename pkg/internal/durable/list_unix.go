//go:build unix

package durable

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// ReadDir implements [FS].
//
//	openat2(O_DIRECTORY, RESOLVE_BENEATH|RESOLVE_NO_SYMLINKS), or openat(O_DIRECTORY|O_NOFOLLOW) component by
//	component; getdents; close
func (o *osFS) ReadDir(name string) (list []Entry, err error) {
	err = o.openDir("readdir", name, func(fd int) (err error) {
		list, err = readDir(fd)
		return err
	})
	return list, err
}

// List implements [FS].
//
//	as ReadDir; before getdents fstatfs, and fstat on a file system of [onDisk]
func (o *osFS) List(name string) (list []Entry, was Info, err error) {
	err = o.openDir("readdir", name, func(fd int) (err error) {
		var st unix.Stat_t
		if datesNames(fd) && retry(func() error { return unix.Fstat(fd, &st) }) == nil {
			was = infoOf(&st)
		}
		list, err = readDir(fd)
		return err
	})
	return list, was, err
}

// openDir calls f with a directory that is open.
func (o *osFS) openDir(op, name string, f func(fd int) error) error {
	if fs.ValidPath(name) {
		if fd, ok := beneath(o.root, name, unix.O_DIRECTORY); ok {
			defer unix.Close(fd)
			return wrap(op, name, f(fd))
		}
	}
	return o.at(op, name, func(dir int, file string) error {
		fd, err := open(dir, file, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return f(fd)
	})
}
