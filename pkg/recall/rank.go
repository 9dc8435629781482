package recall

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"
)

// ranking finds the best of what matched.
type ranking struct {
	ix      *Index
	q       *Query
	w       *weights
	m       *matches
	listing bool // no text: all memories are as relevant
	now     int64
	least   float64 // retention
	filter  filter
	held    []float64           // scores of those that the mode leaves out
	judged  map[uint32][]uint32 // successors by the texts
}

// relevance says how well a document fits, by part.
func (r *ranking) relevance(d uint32) (p Parts) {
	m := r.m
	if r.listing {
		p.Listed = 1
	}
	if m.marked[d] == 0 {
		return p
	}
	p.Words, p.Related, p.Neighbours = float64(m.words[d]), float64(m.related[d]), float64(m.around[d])
	p.People, p.Time, p.Meaning = float64(m.people[d]), float64(m.when[d]), float64(m.meaning[d])
	if s := r.ix.session.at(d); s != none {
		p.Session = float64(m.session[s])
	}
	return p
}

// standing adds what is known of a document whatever the query, but for its
// retention: shares of its relevance.
func (r *ranking) standing(d uint32, p *Parts) {
	ix, w, relevance := r.ix, r.w, p.relevance()
	if newest := ix.newest(d); r.now != noTime && newest != noTime {
		days := max(float64(r.now-newest)/(24*3600), 0)
		p.Recency = relevance * w.recency / (1 + days/30)
	}
	switch ix.flags.at(d) & maskPriority {
	case critical:
		p.Priority = relevance * w.priority
	case high:
		p.Priority = relevance * w.priority / 2
	case low:
		p.Priority = -relevance * w.priority / 2
	}
	if n := ix.reads.at(d); n > 0 {
		p.Reads = relevance * w.reads * min(math.Log1p(float64(n))/math.Log1p(manyReads), 1)
	}
}

// manyReads count as much as more do.
const manyReads = 100

// newest is when a document was last written.
func (ix *Index) newest(d uint32) int64 { return max(ix.created.at(d), ix.updated.at(d)) }

// retain adds the part of retention, and reports whether the mode lets the memory
// be found.
func (r *ranking) retain(d uint32, p *Parts) bool {
	if r.q.Retention == nil {
		return true
	}
	kept := min(max(r.q.Retention(r.ix.ids.at(d)), 0), 1)
	if kept != kept { // NaN
		kept = 0
	}
	p.Retention = p.relevance() * r.w.retention * kept
	return kept >= r.least
}

// candidate is a document that may become a hit.
type candidate struct {
	doc   uint32
	parts Parts
	score float64 // by itself
	best  float64 // with what it inherits
	final float64
	depth int // how many stand between it and what holds
}

// worst is a heap of candidates with the worst on top.
type worst struct {
	r    *ranking
	list []candidate
}

func (h *worst) Len() int { return len(h.list) }
func (h *worst) Less(i, j int) bool {
	return h.r.order(&h.list[i], &h.list[j], h.list[i].score, h.list[j].score) > 0
}
func (h *worst) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *worst) Push(x any)    { h.list = append(h.list, x.(candidate)) }
func (h *worst) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}

// order puts the higher score first; of equals what is less superseded, then the
// newer, then by id.
func (r *ranking) order(a, b *candidate, x, y float64) int {
	if x != y {
		return cmp.Compare(y, x)
	}
	ix := r.ix
	return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(ix.newest(b.doc), ix.newest(a.doc)),
		strings.Compare(ix.ids.at(a.doc), ix.ids.at(b.doc)))
}

// top selects the best by their own scores, and reports whether that were all.
func (r *ranking) top(limit int) (list []candidate, all bool) {
	h := &worst{r: r}
	r.held = r.held[:0]
	most := 1 + r.w.recency + r.w.priority + r.w.reads + r.w.retention // of the relevance
	all = true
	try := func(d uint32) {
		c := candidate{doc: d, parts: r.relevance(d)}
		if len(h.list) == limit && c.parts.relevance()*most < h.list[0].score {
			all = false
			return
		}
		if !r.filter.fits(d) {
			return
		}
		r.standing(d, &c.parts)
		if !r.retain(d, &c.parts) {
			r.held = append(r.held, c.parts.Sum())
			return
		}
		c.score = c.parts.Sum()
		if c.score <= 0 {
			return
		}
		if len(h.list) < limit {
			heap.Push(h, c)
			return
		}
		all = false
		if r.order(&c, &h.list[0], c.score, h.list[0].score) < 0 {
			h.list[0] = c
			heap.Fix(h, 0)
		}
	}
	if r.listing {
		for d := range r.ix.size() {
			if !r.ix.isDead(d) {
				try(d)
			}
		}
	} else {
		for _, d := range r.m.found {
			try(d)
		}
	}
	slices.SortFunc(h.list, func(a, b candidate) int { return r.order(&a, &b, a.score, b.score) })
	return h.list, all
}

// hits ranks the best, with successors before what they supersede. Since a memory
// can only fall behind by what supersedes it, and rise to the score of one that it
// supersedes, nobody outside the best by themselves can stand before the last hit
// when that one's final score is above their last score: then it is done, else more
// of them are looked at.
func (r *ranking) hits(limit int) []candidate {
	for wide := 2*limit + 32; ; wide *= 4 {
		best, all := r.top(wide)
		ranked := r.succeed(best)
		if all || len(ranked) >= limit && ranked[limit-1].final > best[len(best)-1].score {
			return ranked[:min(limit, len(ranked))]
		}
	}
}
