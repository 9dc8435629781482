package recall

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"
	"time"
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

// Search finds the memories that fit a query best. No text is an error, and no
// memory needs to have every word; those that share nothing with the query, no
// word, no neighbour, no time, are no hits. The same index and query give the same
// hits in the same order, however the index came about. Only Meaning gives errors,
// and then the hits are those without it.
func (ix *Index) Search(q Query) (Result, error) {
	return ix.search(q, &tuned)
}

func (ix *Index) search(q Query, w *weights) (out Result, err error) {
	if q.Limit <= 0 {
		q.Limit = 10
	}
	q.Limit = min(q.Limit, max(ix.Len(), 1))
	m := ix.matching()
	defer ix.done(m)
	asked := ix.understand(m, &q)
	ix.match(m, &asked, w)
	ix.place(m, &asked, w)
	err = ix.mean(m, &q, w)
	r := &ranking{ix: ix, q: &q, w: w, m: m, now: seconds(q.At), least: q.Tiers.least(q.Mode), filter: ix.filter(&q)}
	r.listing = strings.TrimSpace(q.Text) == ""
	r.feed(&asked)
	best := r.hits(q.Limit)
	if r.judge(best) {
		best = r.hits(q.Limit)
	}
	for _, score := range r.held {
		if len(best) < q.Limit || score > best[len(best)-1].final {
			out.Held++
		}
	}
	for i := range best {
		out.Hits = append(out.Hits, r.hit(&best[i], &asked))
	}
	return out, err
}

// hit tells what was found, for the caller.
func (r *ranking) hit(c *candidate, q *asked) Hit {
	h := Hit{ID: r.ix.ids.at(c.doc), Parts: c.parts, Archived: r.ix.archived(c.doc)}
	h.Parts.Inherited = c.best - c.score
	h.Parts.Superseded = c.final - c.best
	h.Score = h.Parts.Sum()
	for i := range q.words {
		if r.m.has[c.doc]>>i&1 != 0 {
			h.Words = append(h.Words, q.words[i].text)
		}
	}
	for _, s := range r.successors(c.doc) {
		h.SupersededBy = append(h.SupersededBy, r.ix.ids.at(s))
	}
	return h
}

// mean adds what a provider of meaning finds.
func (ix *Index) mean(m *matches, q *Query, w *weights) error {
	if q.Meaning == nil || strings.TrimSpace(q.Text) == "" {
		return nil
	}
	near, err := q.Meaning.Near(q.Text, 4*q.Limit+64)
	if err != nil {
		return err
	}
	for id, s := range near {
		if d := ix.find(id); d != none && s > 0 {
			m.meet(d, mark)
			m.meaning[d] = float32(w.meaning * min(s, 1))
		}
	}
	return nil
}

// filter is a Filter made ready for an index.
type filter struct {
	ix       *Index
	archived bool // wanted too
	kind     uint32
	agent    uint32
	agents   uint32 // the scope of that agent
	scope    string
	scopes   map[uint32]bool // symbols of scopes met, and whether they fit
	tags     []uint32
	times    []interval
	never    bool // asks for what nothing has
}

func (ix *Index) filter(q *Query) filter {
	f := filter{ix: ix, archived: q.Mode == Exhaustive, kind: none, agent: none, agents: none, scope: fold(q.Filter.Scope), scopes: map[uint32]bool{}}
	need := func(text string) uint32 {
		if text = fold(text); text == "" {
			return none
		}
		s, ok := ix.symbols.find(text)
		if !ok {
			f.never = true
			return none
		}
		return s
	}
	f.kind = need(q.Filter.Type)
	for _, t := range q.Filter.Tags {
		if s := need(t); s != none {
			f.tags = append(f.tags, s)
		}
	}
	if name := fold(q.Filter.Agent); name != "" {
		agent, wrote := ix.symbols.find(name)
		scope, owns := ix.symbols.find("agent:" + name)
		if wrote {
			f.agent = agent
		}
		if owns {
			f.agents = scope
		}
		f.never = f.never || !wrote && !owns
	}
	if !q.Filter.Since.IsZero() || !q.Filter.Until.IsZero() {
		i := interval{noTime + 1, math.MaxInt64}
		if !q.Filter.Since.IsZero() {
			i.from = q.Filter.Since.Unix()
		}
		if !q.Filter.Until.IsZero() {
			i.to = ceil(q.Filter.Until)
		}
		f.times = []interval{i}
	}
	return f
}

// ceil is the first second that is not before a time.
func ceil(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

func (f *filter) fits(d uint32) bool {
	ix := f.ix
	switch {
	case f.never, !f.archived && ix.archived(d):
		return false
	case f.kind != none && ix.kind.at(d) != f.kind:
		return false
	case f.times != nil && !ix.of(f.times, d):
		return false
	case (f.agent != none || f.agents != none) && (f.agent == none || ix.agent.at(d) != f.agent) && (f.agents == none || ix.scope.at(d) != f.agents):
		return false
	case f.scope != "" && !f.scoped(ix.scope.at(d)):
		return false
	}
	for _, t := range f.tags {
		if !ix.eachTag(d, func(s uint32) bool { return s == t }) {
			return false
		}
	}
	return true
}

// scoped reports whether a scope is the one that is asked for, or of its kind.
func (f *filter) scoped(symbol uint32) bool {
	if symbol == none {
		return false
	}
	fits, ok := f.scopes[symbol]
	if !ok {
		name := f.ix.symbols.at(symbol)
		kind, _, _ := strings.Cut(name, ":")
		fits = name == f.scope || kind == f.scope
		f.scopes[symbol] = fits
	}
	return fits
}
