package similarity

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

// prefixIndex finds for each of a number of bags a superset of those that a criterion accepts with it. It rests on the prefix
// filter (Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007): in any common order of the elements, two bags with an
// overlap of n have an element in common among the first size-n+1 of each. The order is rarest first, so these are few. What
// shares one must then pass the positional filter (Xiao et al. 2008: before the first common element nothing is shared) and
// the signatures. Where even the rarest elements stand in most bags, the signatures of all are compared, one behind the other.
//
// Several goroutines may ask at the same time, each with a lookup of its own, while nobody prunes.
type prefixIndex struct {
	criterion
	order      []int32     // bags by size
	rank       []int32     // where a bag stands in order
	sizes      []int       // sizes, in that order
	signatures [][4]uint64 // signatures, in that order
	prefixes   [][]element // of each bag
	postings   [][]posting // of each element, by rank
}

// element is one of a bag's: the number of its posting list, and its position in the bag.
type element struct{ list, position int32 }

// posting is a bag with an element: its rank, how large it is, and where the element stands in it. Larger numbers stand as
// huge.
type posting struct {
	rank           int32
	size, position uint16
}

const huge = 1<<16 - 1

// lookup is what one query after the other needs.
type lookup struct {
	needs []int   // by size: overlap + 1, or 0 when not yet known
	seen  []int32 // by class: the query that last met it
	query int32
}

func newPrefixIndex(c criterion, bags []bag) *prefixIndex {
	n := len(bags)
	p := &prefixIndex{criterion: c, order: make([]int32, n), rank: make([]int32, n), sizes: make([]int, n),
		signatures: make([][4]uint64, n), prefixes: make([][]element, n)}
	for i := range bags {
		p.order[i] = int32(i)
	}
	slices.SortStableFunc(p.order, func(i, j int32) int { return cmp.Compare(len(bags[i].elems), len(bags[j].elems)) })
	frequency := newFrequencies(bags)
	lists := make(map[uint64]int32)
	var keys []uint64
	var counts []int // of the postings of each list
	var prefix []element
	for r, i := range p.order {
		elems := bags[i].elems
		p.rank[i], p.sizes[r], p.signatures[r] = int32(r), len(elems), bags[i].signature
		keys, prefix = keys[:0], prefix[:0]
		for _, e := range elems {
			keys = append(keys, frequency.key(e))
		}
		if len(elems) == 0 {
			keys = append(keys, 0) // empty bags meet here
		}
		slices.Sort(keys)
		for at, k := range keys[:min(len(keys), max(0, len(keys)-c.least(len(elems))+1))] {
			if at > 0 && k == keys[at-1] {
				continue
			}
			id, ok := lists[k]
			if !ok {
				id = int32(len(counts))
				lists[k], counts = id, append(counts, 0)
			}
			counts[id]++
			prefix = append(prefix, element{id, int32(at)})
		}
		p.prefixes[i] = slices.Clone(prefix)
	}
	p.postings = make([][]posting, len(counts))
	for id, n := range counts {
		p.postings[id] = make([]posting, 0, n)
	}
	for r, i := range p.order {
		for _, e := range p.prefixes[i] {
			p.postings[e.list] = append(p.postings[e.list], posting{int32(r), uint16(min(p.sizes[r], huge)), uint16(min(e.position, huge))})
		}
	}
	return p
}

// prune takes bags out for good.
func (p *prefixIndex) prune(gone func(i int32) bool) {
	ranks, n := make([]int32, len(p.order)), 0 // from now on, by those of before
	for r, i := range p.order {
		if ranks[r] = -1; gone(i) {
			p.prefixes[i] = nil
			continue
		}
		ranks[r], p.rank[i] = int32(n), int32(n)
		p.order[n], p.sizes[n], p.signatures[n] = i, p.sizes[r], p.signatures[r]
		n++
	}
	p.order, p.sizes, p.signatures = p.order[:n], p.sizes[:n], p.signatures[:n]
	for id, list := range p.postings {
		left := list[:0]
		for _, x := range list {
			if x.rank = ranks[x.rank]; x.rank >= 0 {
				left = append(left, x)
			}
		}
		p.postings[id] = left
	}
}

// work is what candidates costs for bag i at most, in bags that postings lead to.
func (p *prefixIndex) work(i int) (n int) {
	if p.over < 0 {
		return len(p.order)
	}
	return min(p.posted(i), len(p.order)/scanned)
}

// scanned is how many bags are looked at one behind the other in the time of one that a posting leads to.
const scanned = 2

// posted is how many postings there are for bag i.
func (p *prefixIndex) posted(i int) (n int) {
	for _, e := range p.prefixes[i] {
		n += len(p.postings[e.list])
	}
	return n
}

// candidates calls yield for the bags that the criterion may accept with bag i, some more than once and i among them, and
// with the overlap that each needs.
func (p *prefixIndex) candidates(i int, l *lookup, yield func(j, need int)) {
	if p.over < 0 { // nothing need be shared
		for _, j := range p.order {
			yield(int(j), 0)
		}
		return
	}
	own := p.rank[i]
	a, signature := p.sizes[own], &p.signatures[own]
	from := sort.Search(len(p.sizes), func(r int) bool { return p.sizes[r] >= a || p.measure(p.sizes[r], a, p.sizes[r]) > p.over })
	end := sort.Search(len(p.sizes), func(r int) bool { return p.sizes[r] > a && !(p.measure(a, a, p.sizes[r]) > p.over) })
	if from == end {
		return
	}
	if most := p.sizes[end-1]; len(l.needs) <= most {
		l.needs = make([]int, most+1)
	} else {
		clear(l.needs[p.sizes[from] : most+1])
	}
	needed := func(b int) int {
		if l.needs[b] == 0 {
			l.needs[b] = p.need(a, b) + 1
		}
		return l.needs[b] - 1
	}
	if p.posted(i) > (end-from)/scanned {
		for r := from; r < end; {
			b := p.sizes[r]
			need := needed(b)
			for ; r < end && p.sizes[r] == b; r++ {
				if signaturesAllow(signature, &p.signatures[r], a+b, need) {
					yield(int(p.order[r]), need)
				}
			}
		}
		return
	}
	for _, e := range p.prefixes[i] {
		list := p.postings[e.list]
		start, _ := slices.BinarySearchFunc(list, int32(from), func(x posting, from int32) int { return cmp.Compare(x.rank, from) })
		for _, x := range list[start:] {
			if int(x.rank) >= end {
				break
			}
			b := int(x.size)
			if b == huge {
				b = p.sizes[x.rank]
			}
			need := l.needs[b] - 1
			if need < 0 {
				need = needed(b)
			}
			if a-int(e.position) < need {
				break // as for all larger ones
			}
			if b-int(x.position) >= need && signaturesAllow(signature, &p.signatures[x.rank], a+b, need) {
				yield(int(p.order[x.rank]), need)
			}
		}
	}
}

// frequencies counts elements by a part of their hash; a shared counter only makes two elements look more common.
type frequencies []uint32

func newFrequencies(bags []bag) frequencies {
	total := 0
	for i := range bags {
		total += len(bags[i].elems)
	}
	f := make(frequencies, 1<<min(20, max(8, bits.Len(uint(total)))))
	for i := range bags {
		for _, e := range bags[i].elems {
			f[f.slot(e)]++
		}
	}
	return f
}

func (f frequencies) slot(e uint64) uint64 { return e * 0x9e3779b97f4a7c15 >> 32 & uint64(len(f)-1) }

// key maps elements to numbers that ascend with their frequency. Two elements may share a key, and then look like one.
func (f frequencies) key(e uint64) uint64 {
	return uint64(min(f[f.slot(e)], 1<<16-1))<<48 | e*0x9e3779b97f4a7c15>>16
}
