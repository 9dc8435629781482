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

// supersede notes that one memory replaces another, as a document tells.
func (ix *Index) supersede(older, newer string, owner uint32) {
	if older == newer {
		return
	}
	from, to := ix.symbols.add("\x00"+older), ix.symbols.add("\x00"+newer)
	ix.edges[from] = append(ix.edges[from], edge{to, owner})
}

// successors lists the documents that replace a document, sorted by id, each once.
func (ix *Index) successors(d uint32) (list []uint32) {
	from, ok := ix.symbols.find("\x00" + ix.ids.at(d))
	if !ok {
		return nil
	}
	for _, e := range append(ix.base.edges(from), ix.edges[from]...) {
		if ix.isDead(e.owner) {
			continue
		}
		if newer := ix.find(ix.symbols.at(e.newer)[1:]); newer != none {
			list = append(list, newer)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(ix.ids.at(a), ix.ids.at(b)) })
	return slices.Compact(list)
}
