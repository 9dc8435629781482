//go:build unix

package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// opened opens a regular file for reading, never blocking, not even on a pipe, describes it
// and calls f with it.
//
//	openat2(O_RDONLY|O_NONBLOCK, RESOLVE_BENEATH|RESOLVE_NO_SYMLINKS), or openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK)
//	component by component; fstat; close
func (o *osFS) opened(op, name string, f func(fd int, info Info) error) (info Info, err error) {
	use := func(fd int) (err error) {
		defer unix.Close(fd)
		if info, err = regular(fd, plainCalls{}); err != nil {
			return err
		}
		return f(fd, info)
	}
	if fs.ValidPath(name) {
		if fd, ok := beneath(o.root, name, 0); ok {
			err = wrap(op, name, use(fd))
			return info, err
		}
	}
	err = o.at(op, name, func(dir int, file string) error {
		fd, err := open(dir, file, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return use(fd)
	})
	return info, err
}

// Read implements [FS].
//
//	opened; read until the end
func (o *osFS) Read(name string, max int64) (data []byte, info Info, err error) {
	return o.readInto(name, max, nil)
}

func (o *osFS) readInto(name string, max int64, room []byte) (data []byte, info Info, err error) {
	info, err = o.opened("read", name, func(fd int, info Info) (err error) {
		data, err = readAll(fd, path.Dir(name), path.Base(name), info.Size, max, room, plainCalls{})
		return err
	})
	return data, info, err
}

// ReadPieces returns pieces of a regular file, or what there is of them, and describes the
// file. It is for files that are too large to be read for a part.
//
//	opened; a pread for each
func (o *osFS) ReadPieces(name string, pieces []Piece) (data [][]byte, info Info, err error) {
	info, err = o.opened("read", name, func(fd int, info Info) (err error) {
		data, err = readPieces(fd, info.Size, pieces)
		return err
	})
	return data, info, err
}

// readPieces reads what a file of a size has of pieces, into one room for all.
func readPieces(fd int, size int64, pieces []Piece) ([][]byte, error) {
	has := func(p Piece) int64 { return max(0, min(int64(p.Size), size-p.From)) }
	total := int64(0)
	for _, p := range pieces {
		total += has(p)
	}
	data, room := make([][]byte, len(pieces)), make([]byte, total)
	for i, p := range pieces {
		n := int(has(p))
		done := 0
		for done < n {
			got := 0
			err := retry(func() (err error) {
				got, err = unix.Pread(fd, room[done:n], p.From+int64(done))
				return err
			})
			if err != nil {
				return nil, err
			}
			if got == 0 {
				break
			}
			done += got
		}
		data[i], room = room[:done:done], room[n:]
	}
	return data, nil
}

// sum is [Sum] of what Read would return behind the bytes that are skipped and given. It is
// never held whole.
//
//	opened; read until the end
func (o *osFS) sum(name string, skip int, max int64) (head []byte, sum string, err error) {
	_, err = o.opened("read", name, func(fd int, info Info) error {
		if info.Size > max {
			return tooLarge(name, info.Size, max)
		}
		free := buffers.Get().(*[]byte)
		defer buffers.Put(free)
		*free = slices.Grow((*free)[:0], int(min(info.Size+1, 128<<10)))
		buf := (*free)[:cap(*free)]
		h := sha256.New()
		for total := int64(0); ; {
			n := 0
			err := retry(func() (err error) {
				n, err = unix.Read(fd, buf)
				return err
			})
			if total += int64(n); err == nil && total > max { // it grew meanwhile
				err = tooLarge(name, total, max)
			}
			if err != nil {
				return err
			}
			if n == 0 {
				sum = hex.EncodeToString(h.Sum(nil))
				return nil
			}
			first := min(n, skip-len(head))
			head = append(head, buf[:first]...)
			h.Write(buf[first:n])
		}
	})
	return head, sum, err
}

// Map gives a regular file of at most max bytes without copying it: until free is
// called. Cut short meanwhile by somebody, reading it faults; see [debug.SetPanicOnFault].
//
//	opened; mmap(PROT_READ, MAP_PRIVATE); munmap
func (o *osFS) Map(name string, max int64) (data []byte, free func() error, err error) {
	free = func() error { return nil }
	_, err = o.opened("map", name, func(fd int, info Info) (err error) {
		switch {
		case info.Size > max:
			return tooLarge(name, info.Size, max)
		case info.Size == 0:
			return nil
		}
		if data, err = unix.Mmap(fd, 0, int(info.Size), unix.PROT_READ, unix.MAP_PRIVATE); err == nil {
			free = func() error { return unix.Munmap(data) }
		}
		return err
	})
	return data, free, err
}

// maxBuffer bounds the room that is used again for the next file.
const maxBuffer = 1 << 20

// buffers are those that nobody reads into.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// ReadFiles implements [FS]. The directory is opened once.
//
//	openat2(O_DIRECTORY), or openat component by component; of each file fstatat where it may be known, else
//	openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK); fstat; read until the end; close
func (o *osFS) ReadFiles(dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) error {
	if fs.ValidPath(dir) {
		if fd, ok := beneath(o.root, dir, unix.O_DIRECTORY); ok {
			defer unix.Close(fd)
			o.readFiles(fd, dir, names, max, known, f)
			return nil
		}
	}
	return o.at("read", path.Join(dir, "file"), func(fd int, _ string) error {
		o.readFiles(fd, dir, names, max, known, f)
		return nil
	})
}

func (o *osFS) readFiles(fd int, dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) {
	free := buffers.Get().(*[]byte)
	buf := *free
	defer func() {
		*free = buf[:0]
		buffers.Put(free)
	}()
	c := newCalls(fd, &o.pace)
	defer c.done()
	for i, file := range names {
		c.next()
		if !validName(file) {
			f(i, nil, Info{}, wrap("read", path.Join(dir, file), fs.ErrInvalid))
			continue
		}
		if known != nil {
			var st unix.Stat_t // of which the owner isn't told: that costs room, and many are asked
			err := retry(func() error { return c.stat(fd, file, &st) })
			if err == nil && known(i, described(&st)) {
				continue
			}
		}
		if cap(buf) == 0 {
			buf = make([]byte, 0, min(len(names)-i, 8)<<10)
		}
		data, info, err := c.readAt(fd, dir, file, max, buf)
		if err != nil {
			err = wrap("read", path.Join(dir, file), err)
		}
		f(i, data, info, err)
		if cap(data) > cap(buf) && cap(data) <= maxBuffer {
			buf = data[:0]
		}
	}
}

// validName reports whether a name is one in a directory, in the sense of [fs.ValidPath]. It looks at
// each character once: many are asked.
func validName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '/':
			return false
		case c >= utf8.RuneSelf:
			return !strings.Contains(name, "/") && fs.ValidPath(name)
		}
	}
	return name != "" && name != "." && name != ".."
}

// readAt reads a file into buf, or, where that is too small, into a new one.
func (c *calls) readAt(dir int, in, file string, max int64, buf []byte) (data []byte, info Info, err error) {
	fd := -1
	err = retry(func() error {
		fd, err = c.open(dir, file)
		return err
	})
	if err != nil {
		return nil, info, err
	}
	defer c.close(fd)
	if info, err = regular(fd, c); err != nil {
		return nil, info, err
	}
	data, err = readAll(fd, in, file, info.Size, max, buf, c)
	return data, info, err
}

// fileCalls are the system calls for an open file.
type fileCalls interface {
	fstat(fd int) (st unix.Stat_t, err error)
	pread(fd int, p []byte, from int64) (n int, err error)
}

// plainCalls are those for a single one.
type plainCalls struct{}

func (plainCalls) fstat(fd int) (st unix.Stat_t, err error) {
	err = unix.Fstat(fd, &st)
	return st, err
}

func (plainCalls) pread(fd int, p []byte, from int64) (n int, err error) {
	return unix.Pread(fd, p, from)
}

// regular describes what was opened, which must be a regular file.
func regular(fd int, c fileCalls) (info Info, err error) {
	var st unix.Stat_t
	err = retry(func() (err error) {
		st, err = c.fstat(fd)
		return err
	})
	if info = infoOf(&st); err == nil && info.Kind != Regular {
		err = unix.ELOOP
	}
	return info, err
}

func readAll(fd int, in, file string, size, max int64, buf []byte, c fileCalls) ([]byte, error) {
	if size > max {
		return nil, tooLarge(path.Join(in, file), size, max)
	}
	if buf = buf[:0]; int64(cap(buf)) <= size {
		buf = make([]byte, 0, size+1)
	}
	if size >= large {
		buf = buf[:readLarge(fd, buf[:size])]
	}
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = c.pread(fd, buf[len(buf):cap(buf)], int64(len(buf)))
			return err
		})
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return buf, nil
		}
		if buf = buf[:len(buf)+n]; int64(len(buf)) > max { // it grew meanwhile
			return nil, tooLarge(path.Join(in, file), int64(len(buf)), max)
		}
		if int64(len(buf)) == size && n < cap(buf)-(len(buf)-n) {
			return buf, nil // all that fstat told, and there was no more: as good as reading the end
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
