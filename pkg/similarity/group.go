package similarity

import "slices"

// tagSets are the distinct tag sets of the records, block by block, joined where they overlap enough.
type tagSets struct {
	criterion
	bags   []bag
	places []setPlace // of each set
	blocks [][]int32  // the sets of each block
	slots  []int32    // one more than a set, by their hashes: with open addressing, a power of two
	parent []int32    // of a union-find forest
	room   []uint64   // for the elements of new sets
}

// fewTags is how many tags records have, more or less.
const fewTags = 8

// setPlace is the block of a set, and their hash: a sum, so that those of its subsets follow from it.
type setPlace struct {
	hash  uint64
	block int
}

// groupByTags puts two records into the same group when their tag sets overlap by more than the threshold, directly or by way
// of others. Groups are small where tags vary, and one is a whole block where they do not.
func (j *Join) groupByTags() {
	s := newTagSets(j.tags, len(j.records))
	tagIDs, blockIDs := map[string]uint64{}, map[string]int{}
	var elems []uint64
	for i, r := range j.records {
		block, ok := blockIDs[r.Block]
		if !ok {
			block = len(blockIDs)
			blockIDs[r.Block] = block
		}
		elems = elems[:0]
		for _, t := range tagSet(r.Tags) {
			id, ok := tagIDs[t]
			if !ok {
				id = uint64(len(tagIDs))
				tagIDs[t] = id
			}
			elems = append(elems, id)
		}
		slices.Sort(elems)
		j.tagSet[i] = s.add(block, elems)
	}
	s.join()
	j.tagBags = s.bags
	groups := make([]*group, len(s.bags))
	for i := range j.records {
		root := s.find(j.tagSet[i])
		if groups[root] == nil {
			groups[root] = &group{}
		}
		j.group[i] = groups[root]
		j.group[i].records = append(j.group[i].records, int32(i))
	}
}

// newTagSets has room for the sets of n records if they all differ, up to some hundreds.
func newTagSets(c criterion, n int) *tagSets {
	n = min(n, 1024)
	slots := 16
	for slots < 2*n {
		slots *= 2
	}
	return &tagSets{criterion: c, slots: make([]int32, slots), bags: make([]bag, 0, n), places: make([]setPlace, 0, n), parent: make([]int32, 0, n)}
}

// add takes a set into its block, and returns its number: that of an equal one, if there is one. Blocks begin at 0, and none
// is left out.
func (s *tagSets) add(block int, elems []uint64) int32 {
	if block == len(s.blocks) {
		s.blocks = append(s.blocks, nil)
	}
	at := setPlace{spread(uint64(block)), block}
	for _, e := range elems {
		at.hash += spread(e)
	}
	slot := s.slot(at, elems, -1)
	if *slot > 0 {
		return *slot - 1
	}
	set := int32(len(s.bags))
	*slot = set + 1
	if cap(s.room)-len(s.room) < len(elems) {
		s.room = make([]uint64, 0, max(min(1024, fewTags*cap(s.bags)), len(elems)))
	}
	from := len(s.room)
	s.room = append(s.room, elems...)
	s.bags = append(s.bags, newBag(s.room[from:len(s.room):len(s.room)]))
	s.places = append(s.places, at)
	s.parent = append(s.parent, set)
	s.blocks[block] = append(s.blocks[block], set)
	if len(s.bags) > len(s.slots)/2 {
		s.slots = make([]int32, 4*len(s.slots))
		for set, at := range s.places {
			*s.slot(at, s.bags[set].elems, -1) = int32(set + 1)
		}
	}
	return set
}

// slot is where the set of some elements without the one at skip stands, or may be put.
func (s *tagSets) slot(at setPlace, elems []uint64, skip int) *int32 {
	for i := at.hash; ; i++ {
		slot := &s.slots[i&uint64(len(s.slots)-1)]
		if *slot == 0 || s.places[*slot-1] == at && equalWithout(s.bags[*slot-1].elems, elems, skip) {
			return slot
		}
	}
}

// equalWithout compares x with y without its element at skip.
func equalWithout(x, y []uint64, skip int) bool {
	if skip < 0 {
		return slices.Equal(x, y)
	}
	return len(x) == len(y)-1 && slices.Equal(x[:skip], y[:skip]) && slices.Equal(x[skip:], y[skip+1:])
}

// spread turns numbers that differ little into some that differ in many bits (S. Vigna's splitmix64).
func spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// join links the sets that overlap enough.
func (s *tagSets) join() {
	for block := range s.blocks {
		s.joinSubsets(block)
		s.joinOthers(block)
	}
}

// joinSubsets joins the sets of which one has just one tag more than the other. Where sets are small there are no others that
// overlap by much, so that the common case takes one look-up per tag, however few different tags there are.
func (s *tagSets) joinSubsets(block int) {
	for _, set := range s.blocks[block] {
		elems, at := s.bags[set].elems, s.places[set]
		a := len(elems)
		if a == 0 || !(s.measure(a-1, a, a-1) > s.over) {
			continue
		}
		for skip, e := range elems {
			if other := *s.slot(setPlace{at.hash - spread(e), block}, elems, skip); other > 0 {
				s.parent[s.find(other-1)] = s.find(set)
			}
		}
	}
}

// joinOthers joins the sets that overlap enough in any other way: an exchanged tag, two tags more.
func (s *tagSets) joinOthers(block int) {
	sets := slices.DeleteFunc(slices.Clone(s.blocks[block]), func(set int32) bool {
		a := len(s.bags[set].elems) // the best such partner has two tags more, which is as good as any with one exchanged
		return !(s.measure(a, a, a+2) > s.over)
	})
	if len(sets) < 2 {
		return
	}
	bags := make([]bag, len(sets))
	for i, set := range sets {
		bags[i] = s.bags[set]
	}
	roots := map[int32]bool{}
	for _, set := range sets {
		roots[s.find(set)] = true
	}
	index, look := newPrefixIndex(s.criterion, bags), &lookup{}
	for i := 0; i < len(sets) && len(roots) > 1; i++ {
		index.candidates(i, look, func(k, need int) {
			a, b := s.find(sets[i]), s.find(sets[k])
			if a == b {
				return
			}
			if _, ok := s.accepts(&bags[i], &bags[k], need); ok {
				s.parent[b] = a
				delete(roots, b)
			}
		})
	}
}

func (s *tagSets) find(set int32) int32 {
	for s.parent[set] != set {
		s.parent[set] = s.parent[s.parent[set]]
		set = s.parent[set]
	}
	return set
}
