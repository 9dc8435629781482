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
	held    []float64   // scores of those that the mode leaves out
	fallen  []uint32    // more of these, by what was said of them before
	best    []candidate // by their own scores, the first wide; all: that were all
	wide    int
	all     bool
	judged  map[uint32][]uint32 // successors by the texts
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
	p.Words, p.Related, p.Neighbours = float64(m.words[d]), float64(m.related[d]), float64(m.around[d])
	p.People, p.Title, p.Time, p.Meaning = float64(m.people[d]), float64(m.titled[d]), float64(m.when[d]), float64(m.meaning[d])
	if s := r.ix.session.at(d); s != none {
		p.Session = float64(r.m.session[s])
	}
	return p
}

// share is at least the score of a document of relevance 1, of which so much may
// be retention.
func (r *ranking) share(d uint32, kept float64) float64 {
	recency, priority, reads := r.standing(d)
	return (1 + recency + priority + reads + kept) * (1 + 1e-9)
}

// roughly is at least the relevance, whatever the order in which it is summed.
func (r *ranking) roughly(d uint32) float64 {
	if r.listing {
		return 1 + 1e-9
	}
	sum := float64(r.m.words[d]) + float64(r.m.around[d])
	for _, part := range r.m.more {
		sum += float64(part[d])
	}
	if s := r.ix.session.at(d); s != none {
		sum += float64(r.m.session[s])
	}
	return sum * (1 + 1e-9)
}

// standing says what is known of a document whatever the query, but for its
// retention: shares of its relevance.
func (r *ranking) standing(d uint32) (recency, priority, reads float64) {
	ix, w := r.ix, r.w
	if newest := ix.newest(d); r.now != noTime && newest != noTime {
		days := max(float64(r.now-newest)/(24*3600), 0)
		recency = w.recency / (1 + days/30)
	}
	switch ix.flags.at(d) & maskPriority {
	case critical:
		priority = w.priority
	case high:
		priority = w.priority / 2
	case low:
		priority = -w.priority / 2
	}
	if n := ix.reads.at(d); n > 0 {
		reads = w.reads * min(math.Log1p(float64(n))/math.Log1p(manyReads), 1)
	}
	return recency, priority, reads
}

// parts says what the score of a document is made of, but for retention and what
// follows from other hits.
func (r *ranking) parts(d uint32) Parts {
	p := r.relevance(d)
	recency, priority, reads := r.standing(d)
	relevance := p.relevance()
	p.Recency, p.Priority, p.Reads = relevance*recency, relevance*priority, relevance*reads
	return p
}

// manyReads count as much as more do.
const manyReads = 100

// newest is when a document was last written.
func (ix *Index) newest(d uint32) int64 { return max(ix.created.at(d), ix.updated.at(d)) }

// retain adds the part of retention, and reports whether the mode lets the memory
// be found.
func (r *ranking) retain(d uint32, p *Parts) bool {
	if r.q.kept == nil {
		return true
	}
	kept := min(max(r.q.kept(d), 0), 1)
	if kept != kept { // NaN
		kept = 0
	}
	r.q.said.note(d, r.q.At, kept)
	p.Retention = p.relevance() * r.w.retention * kept
	named := p.Title > 0 && r.q.Mode != Reflexive && len(r.ix.successors(d)) == 0
	return kept >= r.least || named
}

// above reports whether a document that the mode leaves out scores above a hit. It is asked how
// much it matters only where that decides.
func (r *ranking) above(d uint32, score float64) bool {
	most := r.q.said.most(d, r.q.At)
	if r.roughly(d)*r.share(d, r.w.retention*most) <= score {
		return false
	}
	p := r.parts(d)
	if p.Sum() > score {
		return true
	}
	p.Retention = p.relevance() * r.w.retention * most
	if p.Sum() <= score {
		return false
	}
	r.retain(d, &p)
	return p.Sum() > score
}

// candidate is a document that may become a hit.
type candidate struct {
	doc   uint32
	parts Parts
	score float64 // by itself
	best  float64 // with what it inherits
	final float64
	depth int  // how many stand between it and what holds
	held  bool // the mode leaves it out, but what supersedes it may be found by it
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
	r.held, r.fallen = r.held[:0], r.fallen[:0]
	kept := 0.0
	if r.q.kept != nil {
		kept = r.w.retention
	}
	most := 1 + r.w.recency + r.w.priority + r.w.reads + kept // of the relevance
	all = true
	try := func(d uint32) {
		if len(h.list) == limit { // most documents can be told to be too bad before much is known of them
			relevance := r.roughly(d)
			if relevance*most < h.list[0].score || relevance*r.share(d, kept*r.q.said.most(d, r.q.At)) < h.list[0].score {
				all = false
				return
			}
		}
		if !r.filter.fits(d) {
			return
		}
		if r.m.titled[d] == 0 && r.q.said.most(d, r.q.At) < r.least && len(r.ix.successors(d)) == 0 {
			r.fallen = append(r.fallen, d)
			return
		}
		c := candidate{doc: d, parts: r.parts(d)}
		if !r.retain(d, &c.parts) {
			r.held = append(r.held, c.parts.Sum())
			if c.held = len(r.ix.successors(d)) > 0; !c.held {
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
		for d := range r.ix.size() {
			if !r.ix.isDead(d) {
				try(d)
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
// supersedes, nobody outside the best by themselves can stand before the last hit
// when that one's final score is above their last score: then it is done, else more
// of them are looked at. Without any links the best by themselves are the hits.
func (r *ranking) hits(limit int) []candidate {
	if r.q.Note == nil && len(r.ix.base.edge) == 0 && len(r.ix.edges) == 0 {
		best, _ := r.top(limit)
		return r.succeed(best)
	}
	for wide := 2*limit + r.w.wide; ; wide *= 4 {
		if wide > r.wide { // else it was called before, and only what is superseded has changed
			r.best, r.all = r.top(wide)
			r.wide = wide
		}
		best, all := r.best, r.all
		ranked := r.succeed(best)
		if all || len(ranked) >= limit && ranked[limit-1].final > best[len(best)-1].score {
			return ranked[:min(limit, len(ranked))]
		}
	}
}
