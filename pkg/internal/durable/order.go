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

// sortByName sorts the entries of a directory by name. The names of many begin alike and differ
// soon behind that: they are sorted by the eight bytes from there on, which takes a tenth of the
// time that comparing names does, and by all of them where these are the same.
func sortByName(list []Entry) {
	byName := func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }
	if len(list) < manyNames {
		slices.SortFunc(list, byName)
		return
	}
	alike := list[0].Name
	for i := range list {
		for !strings.HasPrefix(list[i].Name, alike) {
			alike = alike[:sameUntil(alike, list[i].Name)]
		}
	}
	keys := make([]nameKey, len(list))
	for i := range list {
		var key [8]byte
		copy(key[:], list[i].Name[len(alike):])
		keys[i] = nameKey{binary.BigEndian.Uint64(key[:]), int32(i)}
	}
	keys = sortKeys(keys)
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].key == keys[from].key {
			to++
		}
		if to > from+1 {
			slices.SortFunc(keys[from:to], func(a, b nameKey) int { return byName(list[a.at], list[b.at]) })
		}
		from = to
	}
	// Each is put where it belongs along the circles that they form.
	for i := range keys {
		first := list[i]
		for to := i; keys[to].at >= 0; {
			from := int(keys[to].at)
			keys[to].at = -1
			if from == i {
				list[to] = first
				break
			}
			list[to], to = list[from], from
		}
	}
}

// sortKeys sorts keys byte by byte, the last first (a radix sort), without those that all have
// alike. It uses both the slice that it is given and the one that it returns.
func sortKeys(keys []nameKey) []nameKey {
	var counts [8][256]int32
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k.key>>(8*b))]++
		}
	}
	other := make([]nameKey, len(keys))
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
