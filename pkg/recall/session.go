package recall

import (
	"cmp"
	"slices"
	"strings"
)

// join gives a document its place in its session.
func (ix *Index) join(d uint32) {
	s := ix.docs[d].session
	if s == none {
		return
	}
	at, _ := slices.BinarySearchFunc(ix.members[s], d, ix.inOrder)
	ix.members[s] = slices.Insert(ix.members[s], at, d)
	linkMembers(ix, ix.members[s], at-1, at+1)
}

// leave takes a document out of its session.
func (ix *Index) leave(d uint32) {
	s := ix.docs[d].session
	if s == none {
		return
	}
	if at, ok := slices.BinarySearchFunc(ix.members[s], d, ix.inOrder); ok {
		ix.members[s] = slices.Delete(ix.members[s], at, at+1)
		linkMembers(ix, ix.members[s], at-1, at)
	}
}

// linkMembers makes neighbours of the members of a session from one place to another.
func linkMembers(ix *Index, list []uint32, from, to int) {
	at := func(i int) uint32 {
		if i < 0 || i >= len(list) {
			return none
		}
		return list[i]
	}
	for i := max(from, 0); i <= to && i < len(list); i++ {
		ix.docs[list[i]].prev, ix.docs[list[i]].next = at(i-1), at(i+1)
	}
}

// inOrder compares documents of a session: by time, then by id.
func (ix *Index) inOrder(a, b uint32) int {
	x, y := &ix.docs[a], &ix.docs[b]
	if c := cmp.Compare(x.created, y.created); c != 0 {
		return c
	}
	return natural(x.id, y.id)
}

// natural compares texts with the numbers in them as numbers: a9 before a10.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		if n > 0 && m > 0 {
			p, q := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func digits(s string) (n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
