package similarity

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
)

// Index finds the similar ones of one text among many, while these come and go: the question that is asked whenever a text is
// saved. Its answers are those of comparing with all of them by Tags and Content.
//
// It keeps, for each record, its key, its words as numbers of four bytes and copies of its tags, not its text, nor what that is a
// part of: for 100,000 records of a hundred words about 80 MB. It is not safe for concurrent use.
type Index struct {
	content criterion
	tagOver float64
	records map[string]*indexed
	blocks  map[string]*indexBlock
	tags    map[string]string // each once
	// The order of the words, rarest first, on which the prefix filter rests. It stays until there are four times as many records:
	// a word that comes meanwhile is taken for the rarest of all.
	ranks   map[uint64]uint32
	least   uint32 // rank of the word that came last
	ordered int    // how many records there were when it was made
	left    int    // classes that nobody is in any more
}

// firstRank leaves room on either side: for the words in order of frequency, and below for those that come later.
const firstRank = 1 << 31

// indexed is one record: a member of the class with its words.
type indexed struct {
	key   string
	block *indexBlock
	class int32
	at    int32 // among the members of the class
	tags  []string
}

// indexClass is the records of a block with the same words.
type indexClass struct {
	words   []uint32 // ranks, ascending, one per occurrence
	members []*indexed
	left    bool // has had members, and has none
}

type indexBlock struct {
	name    string
	classes []indexClass
	byWords map[uint64][]int32
	largest int // size of a class
	// Of each class, side by side for the scan.
	sizes      []int32
	signatures [][4]uint64
	postings   map[uint32][]holder // by rank: classes with the word in their prefix
	met        []meeting
	query      uint32
}

// holder is a class that has a word in its prefix, so many times.
type holder struct{ class, times int32 }

// meeting counts the words that a class shares with the prefix of a query.
type meeting struct{ query, shared uint32 }

// Neighbour is a record similar to the one that was asked about.
type Neighbour struct {
	Key                 string
	TagOverlap, Content float64
}

// NewIndex returns an empty index of records that count as similar in one block with a tag overlap above tagOver and a content
// similarity above contentOver, both strictly. A tagOver below 0 leaves the tags out of it.
func NewIndex(tagOver, contentOver float64) *Index {
	return &Index{content: criterion{dice, contentOver}, tagOver: tagOver, least: firstRank,
		records: map[string]*indexed{}, blocks: map[string]*indexBlock{}, tags: map[string]string{}, ranks: map[uint64]uint32{}}
}

// Len is the number of records.
func (x *Index) Len() int { return len(x.records) }

// Add puts a record under a key, in place of the one that stands there.
func (x *Index) Add(key string, r Record) {
	x.Remove(key)
	b := x.blocks[r.Block]
	if b == nil {
		b = &indexBlock{name: strings.Clone(r.Block), byWords: map[uint64][]int32{}, postings: map[uint32][]holder{}}
		x.blocks[b.name] = b
	}
	hashes := r.Text.hashes()
	words := make([]uint32, len(hashes))
	for i, h := range hashes {
		rank, ok := x.ranks[h]
		if !ok {
			x.least--
			rank = x.least
			x.ranks[h] = rank
		}
		words[i] = rank
	}
	slices.Sort(words)
	bag := newBag(hashes)
	one := &indexed{key: key, block: b, tags: x.own(tagSet(r.Tags))}
	one.class = b.classWith(x.content, words, bag.signature)
	class := &b.classes[one.class]
	if one.at = int32(len(class.members)); one.at == 0 && class.left {
		class.left = false
		x.left--
	}
	class.members = append(class.members, one)
	x.records[key] = one
	if n := len(x.records); n >= 1024 && n >= 4*x.ordered {
		x.order()
	}
}

// own puts the copies that the index has in the place of tags, which may be parts of something large.
func (x *Index) own(tags []string) []string {
	for i, t := range tags {
		own, ok := x.tags[t]
		if !ok {
			own = strings.Clone(t)
			x.tags[own] = own
		}
		tags[i] = own
	}
	return tags
}

// Remove takes out the record under a key, if there is one.
func (x *Index) Remove(key string) {
	one, ok := x.records[key]
	if !ok {
		return
	}
	delete(x.records, key)
	class := &one.block.classes[one.class]
	last := class.members[len(class.members)-1]
	class.members[one.at], last.at = last, one.at
	class.members = class.members[:len(class.members)-1]
	if len(class.members) == 0 {
		class.left = true
		if x.left++; x.left >= 1024 && x.left >= len(x.records) {
			x.order()
		}
	}
}

// Near yields the records that are similar to r, the most similar in content first. r itself need not be in the index and is
// not put into it; nothing may be added or removed meanwhile. What has been asked for costs, not what there is: of thousands
// with the same words the first costs as much as one.
func (x *Index) Near(r Record) iter.Seq[Neighbour] {
	return func(yield func(Neighbour) bool) {
		b := x.blocks[r.Block]
		if b == nil {
			return
		}
		tags := tagSet(r.Tags)
		for _, h := range x.classesNear(b, r.Text.hashes()) {
			for _, m := range b.classes[h.class].members {
				n := Neighbour{Key: m.key, TagOverlap: jaccard(overlap(tags, m.tags), len(tags), len(m.tags)), Content: h.content}
				if n.TagOverlap > x.tagOver && !yield(n) {
					return
				}
			}
		}
	}
}

// hit is a class that is similar in content.
type hit struct {
	class   int32
	content float64
}

// classesNear finds the classes of a block that are similar to a text, the most similar first.
func (x *Index) classesNear(b *indexBlock, hashes []uint64) (hits []hit) {
	var words []uint32 // those that any record has
	for _, h := range hashes {
		if rank, ok := x.ranks[h]; ok {
			words = append(words, rank)
		}
	}
	slices.Sort(words)
	bag := newBag(hashes)
	size, unknown := len(hashes), len(hashes)-len(words) // these are the rarest, and come first
	least, most := x.content.least(size), b.accepted(x.content, size)
	if least > most {
		return nil
	}
	needs := make([]int32, most-least+1) // by size: overlap + 1, or 0 when not yet known
	need := func(other int) int {
		n := &needs[other-least]
		if *n == 0 {
			*n = int32(x.content.need(size, other)) + 1
		}
		return int(*n) - 1
	}
	verify := func(d int32, need int) {
		class, other := &b.classes[d], int(b.sizes[d])
		if need > min(len(words), other) || !signaturesAllow(&bag.signature, &b.signatures[d], size+other, need) || class.left {
			return
		}
		if common := overlapOf(words, class.words, need); common >= need {
			hits = append(hits, hit{d, x.content.measure(common, size, other)})
		}
	}
	shared := extra(least) + 1
	prefix := words[:min(len(words), max(0, size-least+shared-unknown))]
	work := 0
	for rank := range occurrences(prefix) {
		work += len(b.postings[rank])
	}
	// To look at a class takes as long as some holders, at a long one longer.
	if x.content.over < 0 || size == 0 || work > len(b.classes)*(1+size/16) {
		for d, n := range b.sizes {
			if int(n) >= least && int(n) <= most {
				verify(int32(d), need(int(n)))
			}
		}
	} else {
		b.query++
		for rank, times := range occurrences(prefix) {
			for _, p := range b.postings[rank] {
				m := &b.met[p.class]
				if m.query != b.query {
					*m = meeting{query: b.query}
				}
				was := int(m.shared)
				m.shared += uint32(min(times, p.times))
				if n := int(b.sizes[p.class]); was < shared && int(m.shared) >= shared && n >= least && n <= most {
					verify(p.class, need(n))
				}
			}
		}
	}
	slices.SortFunc(hits, func(x, y hit) int { return cmp.Or(cmp.Compare(y.content, x.content), cmp.Compare(x.class, y.class)) })
	return hits
}

// classWith returns the class of a block with these words, and makes it where there is none.
func (b *indexBlock) classWith(c criterion, words []uint32, signature [4]uint64) int32 {
	h := uint64(len(words))
	for _, w := range words {
		h = (h ^ uint64(w)) * 0x9e3779b97f4a7c15
	}
	h ^= h >> 32
	for _, d := range b.byWords[h] {
		if slices.Equal(b.classes[d].words, words) {
			return d
		}
	}
	d := int32(len(b.classes))
	b.largest = max(b.largest, len(words))
	b.byWords[h] = append(b.byWords[h], d)
	b.classes = append(b.classes, indexClass{words: words})
	b.sizes = append(b.sizes, int32(len(words)))
	b.signatures = append(b.signatures, signature)
	b.met = append(b.met, meeting{})
	prefix := words[:min(len(words), max(0, len(words)-c.least(len(words))+1+extra(len(words))))]
	for rank, times := range occurrences(prefix) {
		b.postings[rank] = append(b.postings[rank], holder{d, times})
	}
	return d
}

// extra is how many words more than one two bags must share in their prefixes, when each of these is as much longer (Wang,
// Li, Feng 2012): the lists get hardly longer, and chance alone rarely shares so many. size is that of the smaller bag at most.
func extra(size int) int { return size / 32 }

// occurrences yields the different elements of an ascending multiset, and how often each stands in it.
func occurrences(words []uint32) iter.Seq2[uint32, int32] {
	return func(yield func(uint32, int32) bool) {
		for i := 0; i < len(words); {
			n := i + 1
			for n < len(words) && words[n] == words[i] {
				n++
			}
			if !yield(words[i], int32(n-i)) {
				return
			}
			i = n
		}
	}
}

// order puts the words into the order of how many records have them, and makes all that rests on it again.
func (x *Index) order() {
	holders := map[uint32]int32{}
	for _, b := range x.blocks {
		for i := range b.classes {
			if len(b.classes[i].members) == 0 {
				continue
			}
			for j, w := range b.classes[i].words {
				if j == 0 || w != b.classes[i].words[j-1] {
					holders[w]++
				}
			}
		}
	}
	type word struct {
		hash uint64
		rank uint32
	}
	words := make([]word, 0, len(holders))
	for h, rank := range x.ranks {
		if holders[rank] > 0 {
			words = append(words, word{h, rank})
		}
	}
	slices.SortFunc(words, func(v, w word) int {
		return cmp.Or(cmp.Compare(holders[v.rank], holders[w.rank]), cmp.Compare(v.hash, w.hash))
	})
	moved := make(map[uint32]uint32, len(words))
	x.ranks, x.least, x.ordered, x.left = make(map[uint64]uint32, len(words)), firstRank, len(x.records), 0
	for i, w := range words {
		x.ranks[w.hash], moved[w.rank] = firstRank+uint32(i), firstRank+uint32(i)
	}
	x.tags = map[string]string{} // of those that are there
	for _, one := range x.records {
		x.own(one.tags)
	}
	for name, b := range x.blocks {
		if b.reorder(x.content, moved); len(b.classes) == 0 {
			delete(x.blocks, name)
		}
	}
}

// reorder makes a block again, its words under other ranks.
func (b *indexBlock) reorder(c criterion, moved map[uint32]uint32) {
	old, signatures := b.classes, b.signatures
	*b = indexBlock{name: b.name, byWords: map[uint64][]int32{}, postings: map[uint32][]holder{}}
	for i, class := range old {
		if len(class.members) == 0 {
			continue
		}
		for j, w := range class.words {
			class.words[j] = moved[w]
		}
		slices.Sort(class.words)
		d := b.classWith(c, class.words, signatures[i])
		b.classes[d].members = class.members
		for _, m := range class.members {
			m.class = d
		}
	}
}

// accepted is the greatest size in a block of a bag that is accepted with any of size a.
func (b *indexBlock) accepted(c criterion, a int) int {
	return a + sort.Search(b.largest-a, func(more int) bool { return !(c.measure(a, a, a+more+1) > c.over) })
}
