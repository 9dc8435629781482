package durable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// What stands where in a linux_dirent64; the name behind it ends with a zero.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// listing is what reading a directory needs besides its result.
type listing struct {
	buf   [64 << 10]byte
	names []byte
	ends  []int32 // of each in names
	kinds []byte  // as the system tells them
	sorting
}

var listings = sync.Pool{New: func() any { return &listing{} }}

// readDir lists the directory that fd is, sorted by name. It takes what the system says as it is: twice
// as fast as [os.File.ReadDir], which makes of each entry a file of its own, where a
// workspace has hundreds of thousands.
func readDir(fd int) ([]Entry, error) {
	l := listings.Get().(*listing)
	defer listings.Put(l)
	l.names, l.kinds, l.ends = l.names[:0], l.kinds[:0], l.ends[:0]
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = unix.Getdents(fd, l.buf[:])
			return err
		})
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			break
		}
		if err = l.take(fd, l.buf[:n]); err != nil {
			return nil, err
		}
	}
	names := string(l.names) // all of them are one piece of memory
	name := func(i int32) string {
		if i == 0 {
			return names[:l.ends[0]]
		}
		return names[l.ends[i-1]:l.ends[i]]
	}
	list := make([]Entry, len(l.kinds))
	for i, k := range l.order(len(list), name) {
		list[i] = Entry{name(k.at), direntKind(l.kinds[k.at])}
	}
	return list, nil
}

// take adds entries.
func (l *listing) take(fd int, entries []byte) error {
	for len(entries) > direntName {
		length := int(binary.NativeEndian.Uint16(entries[direntLength:]))
		if length <= direntName || length > len(entries) {
			return unix.EIO
		}
		entry := entries[:length]
		entries = entries[length:]
		name, _, _ := bytes.Cut(entry[direntName:], []byte{0})
		if string(name) == "." || string(name) == ".." || binary.NativeEndian.Uint64(entry) == 0 /* removed */ {
			continue
		}
		kind := entry[direntType]
		if kind == unix.DT_UNKNOWN { // some file systems don't tell
			var st unix.Stat_t
			err := retry(func() error { return unix.Fstatat(fd, string(name), &st, unix.AT_SYMLINK_NOFOLLOW) })
			if errors.Is(err, unix.ENOENT) {
				continue
			}
			if err != nil {
				return err
			}
			kind = byte(st.Mode & unix.S_IFMT >> 12) // as it is told otherwise
		}
		l.names, l.kinds = append(l.names, name...), append(l.kinds, kind)
		l.ends = append(l.ends, int32(len(l.names)))
	}
	return nil
}

// direntKind is the kind of a file of a type.
func direntKind(t byte) Kind {
	switch t {
	case unix.DT_REG:
		return Regular
	case unix.DT_DIR:
		return Dir
	case unix.DT_LNK:
		return Link
	}
	return Other
}
