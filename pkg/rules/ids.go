package rules

import "hash/maphash"

// ids is a set of ids: a hash table with open addressing, which costs a fraction of
// what a map does to make.
type ids struct {
	all   []string
	slots []int32 // one more than the position in all; 0: free
}

func newIDs(all []string) ids {
	size := 16
	for size < 2*len(all) {
		size *= 2
	}
	s := ids{all, make([]int32, size)}
	for i, id := range all {
		if at := s.slot(id); s.slots[at] == 0 {
			s.slots[at] = int32(i + 1)
		}
	}
	return s
}

// slot is where an id stands, or would.
func (s ids) slot(id string) int {
	mask := len(s.slots) - 1
	for at := int(maphash.String(seed, id)) & mask; ; at = (at + 1) & mask {
		if i := s.slots[at]; i == 0 || s.all[i-1] == id {
			return at
		}
	}
}

func (s ids) has(id string) bool { return s.slots[s.slot(id)] != 0 }

var seed = maphash.MakeSeed() // so that nobody can choose ids that collide
