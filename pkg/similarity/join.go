package similarity

import (
	"cmp"
	"slices"
)

// Record is one text with what blocks it. Only records with an equal Block are compared.
type Record struct {
	Block string
	Tags  []string
	Text  *Features
}

// Pair is two similar records, A < B being their indexes.
type Pair struct {
	A, B                int
	TagOverlap, Content float64
}

// Pairs finds every pair of records in one block whose tag overlap is above tagOver and whose content similarity is above
// contentOver, both strictly. It is exact: it finds what comparing all pairs with Tags and Content would find. The pairs
// are sorted by A, then B. Many records with the same text make a quadratic number of pairs; a Join answers record by record.
func Pairs(records []Record, tagOver, contentOver float64) []Pair {
	var out []Pair
	j := NewJoin(records, tagOver, contentOver)
	ahead := NewAhead(j)
	for i := range records {
		ahead.Ask(len(records)-i, func(n int) int { return i + n })
		out = append(out, j.Similar(i)...)
		j.Remove(i)
	}
	return out
}

// Join finds the records that are similar to one record. It reads no text before it is asked, and then only texts of records
// whose tags have a partner. It is not safe for concurrent use.
type Join struct {
	records []Record
	content criterion
	tags    criterion
	tagBags []bag
	tagSet  []int32 // of each record, an index into tagBags
	group   []*group
	classOf []int32 // of each record in a group that is ready, its class in that
	// The live records with the same text and tags form a ring.
	next, prev []int32
	removed    []bool
	answers    map[int][]Pair // that were asked for ahead
}

// group is the records of one block whose tag sets are linked by chains of overlap; no record in it has a partner outside.
type group struct {
	records []int32
	ready   bool
	classes []class
	index   *prefixIndex // nil when there are few classes
	gone    int          // of the classes in the index, those of which no record is left
	look    lookup
	tagged  tagged
}

// class is the records with the same words and the same tags.
type class struct {
	bag
	tagSet int32
	first  int32 // a live record, or -1
	before int32 // another class with the same hash, or -1
}

// few is the number of classes that are compared one by one.
const few = 16

// NewJoin prepares a join of records under the thresholds that Pairs explains.
func NewJoin(records []Record, tagOver, contentOver float64) *Join {
	n := len(records)
	j := &Join{records: records, tags: criterion{jaccard, tagOver}, content: criterion{dice, contentOver},
		tagSet: make([]int32, n), group: make([]*group, n), classOf: make([]int32, n), next: make([]int32, n), prev: make([]int32, n), removed: make([]bool, n)}
	j.groupByTags()
	return j
}

// prepare reads the texts of a group, puts equal records into classes and indexes these.
func (j *Join) prepare(g *group) {
	g.ready = true
	slices.Sort(g.records)
	byHash := make(map[uint64]int32, len(g.records)) // the last class with a hash
	for _, r := range g.records {
		if j.removed[r] {
			continue
		}
		words := j.records[r].Text.hashes()
		h := uint64(j.tagSet[r])
		for _, w := range words {
			h = (h ^ w) * 0x9e3779b97f4a7c15
		}
		c, ok := byHash[h]
		last := int32(-1)
		if ok {
			last = c
		}
		for c = last; c >= 0; c = g.classes[c].before {
			if g.classes[c].tagSet == j.tagSet[r] && slices.Equal(g.classes[c].elems, words) {
				break
			}
		}
		if c < 0 {
			j.classOf[r] = int32(len(g.classes))
			byHash[h] = j.classOf[r]
			g.classes = append(g.classes, class{bag: newBag(words), tagSet: j.tagSet[r], first: r, before: last})
			j.next[r], j.prev[r] = r, r
			continue
		}
		j.classOf[r] = c
		first := g.classes[c].first
		end := j.prev[first]
		j.next[end], j.prev[r], j.next[r], j.prev[first] = r, end, first, r
	}
	if len(g.classes) > few {
		bags := make([]bag, len(g.classes))
		for i, c := range g.classes {
			bags[i] = c.bag
		}
		g.index = newPrefixIndex(j.content, bags)
		j.indexTags(g)
	}
}

// Alone reports whether the tags of record i leave it without a partner.
func (j *Join) Alone(i int) bool { return len(j.group[i].records) == 1 }

// Similar returns the pairs of record i with every similar record that has not been removed, sorted by A, then B; none
// when i itself has been removed.
func (j *Join) Similar(i int) []Pair {
	g := j.group[i]
	if j.removed[i] || len(g.records) == 1 {
		return nil
	}
	if pairs, ok := j.answers[i]; ok {
		delete(j.answers, i)
		return slices.DeleteFunc(pairs, func(p Pair) bool { return j.removed[p.A] || j.removed[p.B] })
	}
	if !g.ready {
		j.prepare(g)
	}
	return j.similar(i, &g.look)
}

// similar answers from a group that is ready.
func (j *Join) similar(i int, look *lookup) (out []Pair) {
	g, own := j.group[i], j.classOf[i]
	if len(look.seen) < len(g.classes) {
		look.seen, look.query = make([]int32, len(g.classes)), 0
	}
	look.query++
	c := &g.classes[own]
	meet := func(d int, need int) {
		other := &g.classes[d]
		if other.first < 0 || look.seen[d] == look.query {
			return
		}
		look.seen[d] = look.query
		x, y := j.tagBags[c.tagSet].elems, j.tagBags[other.tagSet].elems
		tags := jaccard(overlap(x, y), len(x), len(y)) // few, so they come first
		if !(tags > j.tags.over) {
			return
		}
		content, ok := j.content.accepts(&c.bag, &other.bag, need)
		if !ok {
			return
		}
		for r, done := other.first, false; !done; done = r == other.first {
			if int(r) != i {
				out = append(out, Pair{A: min(i, int(r)), B: max(i, int(r)), TagOverlap: tags, Content: content})
			}
			r = j.next[r]
		}
	}
	need := func(d int) int { return j.content.need(len(c.elems), len(g.classes[d].elems)) }
	if g.index == nil {
		for d := range g.classes {
			meet(d, need(d))
		}
	} else if sets, ok := j.near(g, c.tagSet, g.index.work(int(own))); ok {
		for _, set := range sets {
			for _, d := range g.tagged.classes[set] {
				meet(int(d), need(int(d)))
			}
		}
	} else {
		g.index.candidates(int(own), look, meet)
	}
	slices.SortFunc(out, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out
}

// Remove takes record i out of the join in constant time: no later answer has it. A survivor's group is taken out this way, so
// that thousands of equal records cost one answer, not one each.
func (j *Join) Remove(i int) {
	if j.removed[i] {
		return
	}
	j.removed[i] = true
	g, r := j.group[i], int32(i)
	if !g.ready {
		return
	}
	next, prev := j.next[r], j.prev[r]
	j.next[prev], j.prev[next] = next, prev
	if c := &g.classes[j.classOf[r]]; c.first == r {
		c.first = next
		if next == r {
			c.first = -1
			g.gone++
		}
	}
}
