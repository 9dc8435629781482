package durable

import (
	"encoding/binary"
	"slices"
	"strings"
)

// nameKey is what tells a name from most others of its directory, and where it stands.
type nameKey struct {
	key uint64
	at  int32
}

// manyNames is from how many on they are sorted by keys.
const manyNames = 128

// sorting puts the names of a directory in order, in room that is used again.
type sorting struct{ keys, other []nameKey }

// order gives n names in order, as where they stand. The names of many begin alike and differ
// soon behind that: they are sorted by the eight bytes from there on, which takes a third of the
// time that comparing names does, and by all of them where these are the same.
func (s *sorting) order(n int, name func(at int32) string) []nameKey {
	byName := func(a, b nameKey) int { return strings.Compare(name(a.at), name(b.at)) }
	s.keys, s.other = slices.Grow(s.keys[:0], n)[:n], slices.Grow(s.other[:0], n)[:n]
	keys := s.keys
	for i := range keys {
		keys[i].at = int32(i)
	}
	if n < manyNames {
		slices.SortFunc(keys, byName)
		return keys
	}
	alike := name(0)
	for i := range keys {
		for !strings.HasPrefix(name(int32(i)), alike) {
			alike = alike[:sameUntil(alike, name(int32(i)))]
		}
	}
	for i := range keys {
		var key [8]byte
		copy(key[:], name(int32(i))[len(alike):])
		keys[i].key = binary.BigEndian.Uint64(key[:])
	}
	keys = sortKeys(keys, s.other)
	for from := 0; from < n; {
		to := from + 1
		for to < n && keys[to].key == keys[from].key {
			to++
		}
		if to > from+1 {
			slices.SortFunc(keys[from:to], byName)
		}
		from = to
	}
	return keys
}

// sortKeys sorts keys byte by byte, the last first (a radix sort), without those that all have
// alike. It uses both slices, and returns the one that it ends with.
func sortKeys(keys, other []nameKey) []nameKey {
	var counts [8][256]int32
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k.key>>(8*b))]++
		}
	}
	for b := range counts {
		count := &counts[b]
		if int(count[byte(keys[0].key>>(8*b))]) == len(keys) {
			continue
		}
		at := int32(0)
		for c, n := range count {
			count[c], at = at, at+n
		}
		for _, k := range keys {
			to := &count[byte(k.key>>(8*b))]
			other[*to] = k
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
