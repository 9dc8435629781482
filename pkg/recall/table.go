package recall

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

var le = binary.LittleEndian

// column is a number for each document: those of the base as they lie in its
// bytes, those of the delta behind them.
type column struct {
	flat []byte
	n    uint32 // numbers in flat
	tail []uint32
}

func (c *column) at(i uint32) uint32 {
	if i < c.n {
		return le.Uint32(c.flat[4*i:])
	}
	return c.tail[i-c.n]
}

// set changes a number; the first change of one in the base copies the column.
func (c *column) set(i, v uint32) {
	if i < c.n {
		all := make([]uint32, c.n, c.n+uint32(len(c.tail)))
		for j := range all {
			all[j] = le.Uint32(c.flat[4*j:])
		}
		c.flat, c.n, c.tail = nil, 0, append(all, c.tail...)
	}
	c.tail[i-c.n] = v
}

// let makes sure of a number.
func (c *column) let(i, v uint32) {
	if c.at(i) != v {
		c.set(i, v)
	}
}

// clock is a column of times, in seconds since 1970.
type clock struct {
	flat []byte
	n    uint32
	tail []int64
}

func (c *clock) at(i uint32) int64 {
	if i < c.n {
		return int64(le.Uint64(c.flat[8*i:]))
	}
	return c.tail[i-c.n]
}

// strings are a table of texts: where each ends, and all of them.
type texts struct {
	ends []byte
	blob []byte
}

func (t texts) len() uint32 { return uint32(len(t.ends) / 4) }

func (t texts) at(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = le.Uint32(t.ends[4*(i-1):])
	}
	return t.blob[start:le.Uint32(t.ends[4*i:])]
}

// check reports whether the table can be read: ends rise and stay within.
func (t texts) check() bool {
	last := uint32(0)
	for i := range t.len() {
		end := le.Uint32(t.ends[4*i:])
		if end < last || uint64(end) > uint64(len(t.blob)) {
			return false
		}
		last = end
	}
	return len(t.ends)%4 == 0
}

// names numbers strings: those of the base are sorted in its bytes, those of the
// delta follow in the order in which they came.
type names struct {
	flat  texts
	extra map[string]uint32
	list  []string
}

func (n *names) len() uint32 { return n.flat.len() + uint32(len(n.list)) }

func (n *names) at(i uint32) string {
	if i < n.flat.len() {
		return string(n.flat.at(i))
	}
	return n.list[i-n.flat.len()]
}

func (n *names) find(s string) (uint32, bool) {
	count := int(n.flat.len())
	if i := uint32(sort.Search(count, func(i int) bool { return string(n.flat.at(uint32(i))) >= s })); i < uint32(count) && string(n.flat.at(i)) == s {
		return i, true
	}
	i, ok := n.extra[s]
	return i, ok
}

// add numbers a string, of which it keeps a copy: the text around it may be large.
func (n *names) add(s string) uint32 {
	if i, ok := n.find(s); ok {
		return i
	}
	if n.extra == nil {
		n.extra = map[string]uint32{}
	}
	i := n.len()
	s = strings.Clone(s)
	n.extra[s] = i
	n.list = append(n.list, s)
	return i
}

// ids finds documents by their ids.
type ids struct {
	flat   texts
	sorted []byte // the documents of the base, in the order of their ids
	extra  map[string]uint32
	list   []string
}

func (x *ids) at(d uint32) string {
	if n := x.flat.len(); d >= n {
		return x.list[d-n]
	}
	return string(x.flat.at(d))
}

func (x *ids) add(id string, d uint32) {
	if x.extra == nil {
		x.extra = map[string]uint32{}
	}
	id = strings.Clone(id)
	x.extra[id] = d
	x.list = append(x.list, id)
}

// find returns the document with an id; none when it isn't there.
func (ix *Index) find(id string) uint32 {
	if d, ok := ix.ids.extra[id]; ok {
		return d
	}
	low, high := 0, len(ix.ids.sorted)/4
	for low < high {
		mid := (low + high) / 2
		d := le.Uint32(ix.ids.sorted[4*mid:])
		switch c := strings.Compare(string(ix.ids.flat.at(d)), id); {
		case c == 0 && ix.isDead(d):
			return none
		case c == 0:
			return d
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return none
}

// eachTag calls is for the tags of a document until it returns true, and reports
// whether it did.
func (ix *Index) eachTag(d uint32, is func(symbol uint32) bool) bool {
	if d >= ix.base.documentsLen {
		return slices.ContainsFunc(ix.tagged[d-ix.base.documentsLen], is)
	}
	return ix.base.anyTag(d, is)
}
