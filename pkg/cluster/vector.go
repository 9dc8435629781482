package cluster

import (
	"cmp"
	"math"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// entry is a term of a vector, and its weight.
type entry struct {
	term   int32
	weight float64
}

// vector is sorted by term.
type vector []entry

// dot is the scalar product of two vectors.
func dot(a, b vector) (sum float64) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch c := cmp.Compare(a[i].term, b[k].term); {
		case c < 0:
			i++
		case c > 0:
			k++
		default:
			sum += a[i].weight * b[k].weight
			i, k = i+1, k+1
		}
	}
	return sum
}

// plus is the sum of two vectors.
func plus(a, b vector) vector {
	sum := make(vector, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0].term, b[0].term); {
		case c < 0:
			sum, a = append(sum, a[0]), a[1:]
		case c > 0:
			sum, b = append(sum, b[0]), b[1:]
		default:
			sum = append(sum, entry{a[0].term, a[0].weight + b[0].weight})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...)
}

// corpus is the items as vectors of length 1, and what terms and ties they have.
type corpus struct {
	items   []Item // sorted by id
	vectors []vector
	terms   []string  // by number
	holders [][]int32 // by term: the items that have it; nil for what too many have
	ties    [][]int32 // by item: numbers of ties that few enough have, sorted
	names   []string  // of ties, by number
	near    map[pair]bool
	isNear  []bool // by item: it is in a pair of near
}

// read makes the vectors of items.
func read(items []Item, o Options) *corpus {
	c := &corpus{items: items, vectors: make([]vector, len(items)), ties: make([][]int32, len(items))}
	counts := make([]map[string]int, len(items))
	parallel.For(len(items), func(i int) { counts[i] = stems(items[i].Text) })
	most := max(int(o.Common*float64(len(items))), commonFloor)
	c.number(counts, most)
	number := make(map[string]int32, len(c.terms))
	for n, term := range c.terms {
		number[term] = int32(n)
	}
	parallel.For(len(items), func(i int) { c.vectors[i] = c.vector(counts[i], number) })
	for i, v := range c.vectors {
		for _, e := range v {
			c.holders[e.term] = append(c.holders[e.term], int32(i))
		}
	}
	c.tie(o.Shared)
	c.nearBy(o.Near)
	return c
}

// nearBy takes over the pairs that need no tie.
func (c *corpus) nearBy(pairs [][2]string) {
	c.near, c.isNear = make(map[pair]bool, len(pairs)), make([]bool, len(c.items))
	find := func(id string) (int, bool) {
		return slices.BinarySearchFunc(c.items, id, func(it Item, id string) int { return cmp.Compare(it.ID, id) })
	}
	for _, p := range pairs {
		i, ok := find(p[0])
		k, also := find(p[1])
		if ok && also && i != k {
			c.near[pair{int32(min(i, k)), int32(max(i, k))}] = true
			c.isNear[i], c.isNear[k] = true, true
		}
	}
}

// number numbers the terms that at least two texts have and at most so many, in their order.
func (c *corpus) number(counts []map[string]int, most int) {
	texts := map[string]int{}
	for _, found := range counts {
		for term := range found {
			texts[term]++
		}
	}
	for term, n := range texts {
		if n <= most {
			c.terms = append(c.terms, term)
		}
	}
	slices.Sort(c.terms)
	c.holders = make([][]int32, len(c.terms))
	for n, term := range c.terms {
		c.holders[n] = make([]int32, 0, texts[term])
	}
}

// fewTexts is how many texts a scope counts as having at least: of a few texts nearly all words are rare, and what two have in common would
// weigh too little.
const fewTexts = 50

// vector weighs the terms of a text; see the package comment for the formula.
func (c *corpus) vector(found map[string]int, number map[string]int32) (v vector) {
	for term, tf := range found {
		if n, ok := number[term]; ok {
			df := cap(c.holders[n])
			v = append(v, entry{n, (1 + math.Log(float64(tf))) * math.Log(1+float64(max(len(c.items), fewTexts))/float64(df))})
		}
	}
	slices.SortFunc(v, func(a, b entry) int { return cmp.Compare(a.term, b.term) })
	length := math.Sqrt(dot(v, v))
	for i := range v {
		v[i].weight /= length
	}
	return v
}

// tie numbers the ties that at least two items have and at most so many.
func (c *corpus) tie(most int) {
	holders := map[string][]int32{}
	for i, it := range c.items {
		for _, tie := range it.Ties {
			if have := holders[tie]; len(have) == 0 || have[len(have)-1] != int32(i) {
				holders[tie] = append(have, int32(i))
			}
		}
	}
	for tie, have := range holders {
		if len(have) >= 2 && len(have) <= most {
			c.names = append(c.names, tie)
		}
	}
	slices.Sort(c.names)
	for n, tie := range c.names {
		for _, i := range holders[tie] {
			c.ties[i] = append(c.ties[i], int32(n))
		}
	}
}

// tied reports whether two items have a tie in common.
func (c *corpus) tied(i, k int32) bool {
	a, b := c.ties[i], c.ties[k]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// pair is two items that are tied, or near, the first being the lower number.
type pair struct{ a, b int32 }

// candidates are the pairs of tied or near items that are at least so alike. A pair of less can't make two groups one: their mean likeness has to be
// as much.
func (c *corpus) candidates(threshold float64) []pair {
	found := make([][]pair, len(c.items))
	parallel.Ranges(len(c.items), func(from, to int) {
		likeness := make([]float64, len(c.items))
		var met []int32
		for i := from; i < to; i++ {
			if len(c.ties[i]) == 0 && !c.isNear[i] {
				continue
			}
			for _, e := range c.vectors[i] {
				for _, k := range later(c.holders[e.term], int32(i)) {
					if likeness[k] == 0 {
						met = append(met, k)
					}
					likeness[k] += e.weight * c.weight(k, e.term)
				}
			}
			slices.Sort(met)
			for _, k := range met {
				if likeness[k] >= threshold && (c.tied(int32(i), k) || c.near[pair{int32(i), k}]) {
					found[i] = append(found[i], pair{int32(i), k})
				}
				likeness[k] = 0
			}
			met = met[:0]
		}
	})
	return slices.Concat(found...)
}

// later is the part of a sorted list behind i.
func later(list []int32, i int32) []int32 {
	at, found := slices.BinarySearch(list, i)
	if found {
		at++
	}
	return list[at:]
}

// weight is that of a term in an item's vector.
func (c *corpus) weight(i, term int32) float64 {
	at, _ := slices.BinarySearchFunc(c.vectors[i], term, func(e entry, term int32) int { return cmp.Compare(e.term, term) })
	return c.vectors[i][at].weight
}
