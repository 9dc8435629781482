package recall

import (
	"cmp"
	"slices"
	"strings"
)

// pending are documents that were added to sessions and have no place there yet.
type pending map[uint32][]uint32

// few documents are put in their places one by one.
const few = 8

// open readies a session for a change of its members.
func (ix *Index) open(s uint32) {
	if _, ok := ix.members[s]; ok || s >= ix.base.sessionsLen {
		return
	}
	start, end := ix.base.session(s)
	list := make([]uint32, 0, end-start+1)
	for d := start; d < end; d++ {
		list = append(list, d)
	}
	ix.members[s] = list
}

// leave takes a document out of its session.
func (ix *Index) leave(d uint32, fresh pending) {
	s := ix.session.at(d)
	if s == none {
		return
	}
	ix.open(s)
	if at, ok := slices.BinarySearchFunc(ix.members[s], d, ix.inOrder); ok {
		ix.members[s] = slices.Delete(ix.members[s], at, at+1)
		ix.link(ix.members[s], at-1, at)
	} else {
		fresh[s] = slices.DeleteFunc(fresh[s], func(e uint32) bool { return e == d })
	}
}

// settle gives documents their places in their sessions.
func (ix *Index) settle(fresh pending) {
	for s, docs := range fresh {
		ix.open(s)
		list := ix.members[s]
		if len(docs) > few {
			list = append(list, docs...)
			slices.SortFunc(list, ix.inOrder)
			ix.link(list, 0, len(list)-1)
			docs = nil
		}
		for _, d := range docs {
			at, _ := slices.BinarySearchFunc(list, d, ix.inOrder)
			list = slices.Insert(list, at, d)
			ix.link(list, at-1, at+1)
		}
		ix.members[s] = list
	}
}

// link makes neighbours of the members of a session from one place to another.
func (ix *Index) link(list []uint32, from, to int) {
	at := func(i int) uint32 {
		if i < 0 || i >= len(list) {
			return none
		}
		return list[i]
	}
	for i := max(from, 0); i <= to && i < len(list); i++ {
		ix.prev.set(list[i], at(i-1))
		ix.next.set(list[i], at(i+1))
	}
}

// inOrder compares documents of a session: by time, then by id.
func (ix *Index) inOrder(a, b uint32) int {
	return cmp.Or(cmp.Compare(ix.created.at(a), ix.created.at(b)), natural(ix.ids.at(a), ix.ids.at(b)))
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
