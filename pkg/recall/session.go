package recall

import (
	"cmp"
	"slices"
	"strings"
)

// open readies a session for a change of its members.
func (ix *Index) open(s uint32, touched map[uint32]bool) {
	touched[s] = true
	if _, ok := ix.members[s]; ok || s >= ix.sessions.flat.len() {
		return
	}
	start, end := ix.base.session(s)
	list := make([]uint32, 0, end-start+1)
	for d := start; d < end; d++ {
		list = append(list, d)
	}
	ix.members[s] = list
}

// relink orders the members of sessions and makes them neighbours.
func (ix *Index) relink(touched map[uint32]bool) {
	for s := range touched {
		list := slices.DeleteFunc(ix.members[s], ix.isDead)
		slices.SortFunc(list, ix.inOrder)
		for i, d := range list {
			prev, next := none, none
			if i > 0 {
				prev = list[i-1]
			}
			if i+1 < len(list) {
				next = list[i+1]
			}
			ix.prev.set(d, prev)
			ix.next.set(d, next)
		}
		ix.members[s] = list
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
