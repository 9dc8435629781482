package durable

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// nameKey is what tells a name from most others of its directory, and where it stands.
type nameKey struct {
	high, low uint64 // the first bytes, and the next ones
	at        int32
}

// keyed is how many bytes of a name its key has.
const keyed = 16

// manyNames is from how many on they are sorted byte by byte.
const manyNames = 128

// sorting puts the names of a directory in order, in room that is used again.
type sorting struct{ keys, other []nameKey }

// order gives n names in order, as where they stand. The names of many begin alike and differ
// soon behind that: they are sorted by the bytes from there on, which takes a third of the
// time that comparing names does, and where these are the same by the next ones.
func (s *sorting) order(n int, name func(at int32) string) []nameKey {
	s.keys, s.other = slices.Grow(s.keys[:0], n)[:n], slices.Grow(s.other[:0], n)[:n]
	for i := range s.keys {
		s.keys[i].at = int32(i)
	}
	sortNames(s.keys, s.other, 0, name)
	return s.keys
}

// sortNames sorts names that begin with so many bytes alike, with room for as many.
func sortNames(keys, room []nameKey, same int, name func(at int32) string) {
	if len(keys) < 2 {
		return
	}
	first := name(keys[0].at)
	alike := len(first)
	for _, k := range keys {
		if n := name(k.at); len(n) < alike || n[same:alike] != first[same:alike] {
			alike = sameUntil(first[:alike], n)
		}
	}
	longer := false
	for i := range keys {
		var key [keyed]byte // no name has a zero
		rest := name(keys[i].at)[alike:]
		copy(key[:], rest)
		keys[i].high, keys[i].low = binary.BigEndian.Uint64(key[:]), binary.BigEndian.Uint64(key[8:])
		longer = longer || len(rest) > keyed
	}
	if len(keys) < manyNames {
		slices.SortFunc(keys, func(a, b nameKey) int { return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low)) })
	} else if sorted := sortKeys(keys, room); &sorted[0] != &keys[0] {
		copy(keys, sorted)
	}
	for from := 0; longer && from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].high == keys[from].high && keys[to].low == keys[from].low {
			to++
		}
		if byte(keys[from].low) != 0 { // else they end before it does, and are one name
			sortNames(keys[from:to], room[from:to], alike+keyed, name)
		}
		from = to
	}
}

// sortKeys sorts keys byte by byte, the last first (a radix sort), without those that all have
// alike. It uses both slices, and returns the one that it ends with.
func sortKeys(keys, other []nameKey) []nameKey {
	var high, low uint64 // bits that differ
	for _, k := range keys {
		high, low = high|(k.high^keys[0].high), low|(k.low^keys[0].low)
	}
	for b := range keyed {
		shift := b % 8 * 8
		differ := low
		if b >= 8 {
			differ = high
		}
		if byte(differ>>shift) == 0 {
			continue
		}
		digit := func(k *nameKey) byte {
			if b >= 8 {
				return byte(k.high >> shift)
			}
			return byte(k.low >> shift)
		}
		var count [256]int32
		for i := range keys {
			count[digit(&keys[i])]++
		}
		at := int32(0)
		for c, n := range count {
			count[c], at = at, at+n
		}
		for i := range keys {
			to := &count[digit(&keys[i])]
			other[*to] = keys[i]
			*to++
		}
		keys, other = other, keys
	}
	return keys
}

// sameUntil is how many bytes two names begin with alike.
func sameUntil(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
