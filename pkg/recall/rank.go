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
	leftOut []float64   // scores of those that the mode leaves out
	best    []candidate // by their own scores, the first wide; all: that were all
	wide    int
	all     bool

	undecided map[uint32][]uint32 // successors about which nobody has decided
}

// relevance says how well a document fits, by part.
func (r *ranking) relevance(d uint32) (p Parts) {
	if r.listing {
		p.Listed = 1
	}
	m := r.m
	if !m.met.has(d) {
		return p
	}
	x := &m.docs[d]
	p.Words, p.Neighbours = float64(x.words), float64(x.around)
	p.People, p.Title, p.Time, p.Meaning = float64(x.people), float64(x.title), float64(x.time), float64(x.meaning)
	if s := r.ix.docs[d].session; s != none {
		p.Session = float64(m.session[s])
	}
	if p.relevance() > 0 { // words of the best hits alone let nothing in
		p.Related = float64(x.related)
	}
	return p
}

// relevanceBound is at least the relevance, whatever the order in which it is summed.
func (r *ranking) relevanceBound(d uint32) float64 {
	if r.listing {
		return 1 + 1e-9
	}
	x := &r.m.docs[d]
	sum := float64(x.words) + float64(x.around) + float64(x.related) + float64(x.people) + float64(x.title) + float64(x.time) + float64(x.meaning)
	if s := r.ix.docs[d].session; s != none {
		sum += float64(r.m.session[s])
	}
	return sum * (1 + 1e-9)
}

// static says what counts for a document whatever the query, but for its retention: shares
// of its relevance.
func (r *ranking) static(d uint32) (recency, priority, reads float64) {
	x, w := &r.ix.docs[d], r.w
	if newest := x.newest(); r.now != noTime && newest != noTime { // a time to come counts as now
		days := max(float64(r.now-newest)/(24*3600), 0)
		recency = w.recency / (1 + days/30)
	}
	switch x.priority {
	case critical:
		priority = w.priority
	case high:
		priority = w.priority / 2
	case low:
		priority = -w.priority / 2
	}
	if x.reads > 0 {
		reads = w.reads * min(math.Log1p(float64(x.reads))/math.Log1p(manyReads), 1)
	}
	return recency, priority, reads
}

// factorBound is at least the score of a document of relevance 1, of which so much may
// be retention.
func (r *ranking) factorBound(d uint32, retention float64) float64 {
	recency, priority, reads := r.static(d)
	return (1 + recency + priority + reads + retention) * (1 + 1e-9)
}

// parts says what the score of a document is made of, but for retention and what
// follows from other hits.
func (r *ranking) parts(d uint32) Parts {
	p := r.relevance(d)
	recency, priority, reads := r.static(d)
	relevance := p.relevance()
	p.Recency, p.Priority, p.Reads = relevance*recency, relevance*priority, relevance*reads
	return p
}

// manyReads count as much as more do.
const manyReads = 100

// newest is when a document was last written.
func (x *doc) newest() int64 { return max(x.created, x.updated) }

// retain adds the part of retention, and reports whether the mode lets the memory
// be found.
func (r *ranking) retain(d uint32, p *Parts) bool {
	if r.q.retention == nil {
		return true
	}
	retention := min(max(r.q.retention(d), 0), 1)
	if retention != retention { // NaN
		retention = 0
	}
	p.Retention = p.relevance() * r.w.retention * retention
	named := p.Title > 0 && r.q.Mode != Reflexive && len(r.settled(d)) == 0
	return retention >= r.least || named
}

// past is a time, or now where it is still to come.
func (r *ranking) past(t int64) int64 {
	if r.now != noTime {
		return min(t, r.now)
	}
	return t
}

// candidate is a document that may become a hit.
type candidate struct {
	doc      uint32
	parts    Parts
	score    float64 // by itself
	best     float64 // with what it inherits
	final    float64
	depth    int  // how many steps it is from a memory that nothing supersedes, or seems to
	replaced int  // those of them about which somebody has decided
	leftOut  bool // by the mode; what supersedes it may be found by it
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

// order puts the higher score first; of equals the less superseded one, then the
// newer, then by id.
func (r *ranking) order(a, b *candidate, x, y float64) int {
	if x != y {
		return cmp.Compare(y, x)
	}
	d, e := &r.ix.docs[a.doc], &r.ix.docs[b.doc]
	return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(r.past(e.newest()), r.past(d.newest())), strings.Compare(d.id, e.id))
}

// top selects the best by their own scores, and reports whether that were all.
func (r *ranking) top(limit int) (list []candidate, all bool) {
	h := &worst{r: r}
	r.leftOut = r.leftOut[:0]
	retention := 0.0
	if r.q.retention != nil {
		retention = r.w.retention
	}
	most := 1 + r.w.recency + r.w.priority + r.w.reads + retention // of the relevance
	all = true
	try := func(d uint32) {
		if len(h.list) == limit { // most documents can be ruled out before much is known of them
			relevance := r.relevanceBound(d)
			if relevance*most < h.list[0].score || relevance*r.factorBound(d, retention) < h.list[0].score {
				all = false
				return
			}
		}
		if !r.filter.fits(d) {
			return
		}
		c := candidate{doc: d, parts: r.parts(d)}
		if !r.retain(d, &c.parts) {
			r.leftOut = append(r.leftOut, c.parts.Sum())
			if c.leftOut = len(r.settled(d)) > 0; !c.leftOut {
				return
			}
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
		for d := range r.ix.docs {
			if !r.ix.dead.has(uint32(d)) {
				try(uint32(d))
			}
		}
	} else {
		r.m.met.each(try)
	}
	slices.SortFunc(h.list, func(a, b candidate) int { return r.order(&a, &b, a.score, b.score) })
	return h.list, all
}

// hits ranks the best, with successors before what they supersede. Since a memory
// can only fall behind by what supersedes it, and rise to the score of one that it
// supersedes, nobody outside the best by themselves can come before the last hit
// when that one's final score is above their last score: then it is done, else more
// of them are looked at. Without any links the best by themselves are the hits.
func (r *ranking) hits(limit int) []candidate {
	if r.q.Note == nil && len(r.undecided) == 0 && len(r.ix.edges) == 0 {
		best, _ := r.top(limit)
		return r.rankSuccessors(best)
	}
	for wide := 2*limit + r.w.wide; ; wide *= 4 {
		if wide > r.wide { // else it was called before, and only what is superseded has changed
			r.best, r.all = r.top(wide)
			r.wide = wide
		}
		best, all := r.best, r.all
		ranked := r.rankSuccessors(best)
		if all || len(ranked) >= limit && ranked[limit-1].final > best[len(best)-1].score {
			return ranked[:min(limit, len(ranked))]
		}
	}
}
