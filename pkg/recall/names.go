package recall

import (
	"slices"
	"strings"
)

// names numbers strings from 0 on. Those of a decoded index are in order, those that were
// added since follow in the order in which they came.
type names struct {
	list   []string
	sorted int               // how many of list are in order
	added  map[string]uint32 // the numbers of the others
}

func (n *names) find(s string) (uint32, bool) {
	if i, ok := slices.BinarySearch(n.list[:n.sorted], s); ok {
		return uint32(i), true
	}
	i, ok := n.added[s]
	return i, ok
}

// add numbers a string and keeps a copy of it: the text around it may be large.
func (n *names) add(s string) uint32 {
	if i, ok := n.find(s); ok {
		return i
	}
	if n.added == nil {
		n.added = map[string]uint32{}
	}
	i := uint32(len(n.list))
	s = strings.Clone(s)
	n.added[s] = i
	n.list = append(n.list, s)
	return i
}
