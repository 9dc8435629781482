package worktree

import (
	"bytes"
	"encoding/binary"
)

// The lengths of parts of git's index, in bytes (gitformat-index(5)).
const (
	headLength = 12
	statLength = 40 // of an entry, before the hash of the object
	sha1Length = 20
	shaLength  = 32 // SHA-256
	lengthMask = 0x0fff
	extended   = 0x4000
)

// eachName gives the names in git's index to f until that returns false. It stops where the index is of no known form.
func eachName(data []byte, f func(name string) bool) {
	if len(data) < headLength || string(data[:4]) != "DIRC" {
		return
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return
	}
	r := indexReader{data: data[headLength:], version: version, hash: sha1Length}
	if !r.plausible(count) {
		r.hash = shaLength
	}
	for range count {
		name, ok := r.next()
		if !ok || !f(name) {
			return
		}
	}
}

type indexReader struct {
	data    []byte // what is left
	version uint32
	hash    int // length of an object's hash
	last    []byte
}

// plausible reports whether the first entries can be read with this length of hashes: an index doesn't tell it.
func (r indexReader) plausible(count uint32) bool {
	for range min(count, 3) {
		if name, ok := r.next(); !ok || name == "" {
			return false
		}
	}
	return true
}

// next reads an entry.
func (r *indexReader) next() (name string, ok bool) {
	head := statLength + r.hash + 2
	if len(r.data) < head+1 {
		return "", false
	}
	flags := binary.BigEndian.Uint16(r.data[head-2:])
	if flags&extended != 0 {
		head += 2
	}
	if len(r.data) < head+1 {
		return "", false
	}
	at := head
	if r.version == 4 { // how much of the name before doesn't count, then what follows
		drop, n := offset(r.data[at:])
		if n == 0 || drop > len(r.last) {
			return "", false
		}
		r.last, at = r.last[:len(r.last)-drop], at+n
	} else {
		r.last = r.last[:0]
	}
	end := bytes.IndexByte(r.data[at:], 0)
	if end < 0 {
		return "", false
	}
	r.last = append(r.last, r.data[at:at+end]...)
	if n := int(flags & lengthMask); n < lengthMask && n != len(r.last) {
		return "", false
	}
	size := at + end + 1
	if r.version < 4 { // filled up to a multiple of eight, with one to eight NULs
		size = (at + end + 8) &^ 7
	}
	if size > len(r.data) {
		return "", false
	}
	r.data = r.data[size:]
	return string(r.last), true
}

// offset reads a number of git's "offset encoding", and tells how many bytes it has; 0 for none.
func offset(data []byte) (value, n int) {
	for n < len(data) && n < 4 {
		c := data[n]
		if n > 0 {
			value++
		}
		value, n = value<<7|int(c&0x7f), n+1
		if c < 0x80 {
			return value, n
		}
	}
	return 0, 0
}
