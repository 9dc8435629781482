package recall

import "math/bits"

// match finds the documents that have words of the query, or whose neighbours do.
func (ix *Index) match(m *matches, q *asked, w *weights) {
	scale := ix.scale()
	for i := range q.words {
		x := &q.words[i]
		as := 1.0 // what the word counts as a word
		if x.person != none {
			m.postings = ix.live(m.postings[:0], x.person)
			share := float64(len(m.postings)) / float64(max(ix.totals.docs, 1))
			as -= (1 - w.name) * min(2*share, 1)
			people := m.use(m.people)
			for _, p := range m.postings {
				m.met.add(p.doc)
				people[p.doc] += float32(w.person * (1 - share))
				m.has[p.doc] |= 1 << i
			}
		}
		if x.number != none {
			m.postings = ix.live(m.postings[:0], x.number)
			ix.matchWord(m, i, as*ix.rarity(len(m.postings)), scale, w)
		}
	}
}

// scale is 1 by the mean length of each field, of the documents that have it.
func (ix *Index) scale() (scale [fieldCount]float64) {
	for f := range fieldCount {
		if n := ix.totals.having[f]; n > 0 {
			scale[f] = float64(n) / float64(ix.totals.words[f])
		}
	}
	return scale
}

// matchWord adds what one word says: the postings are its.
func (ix *Index) matchWord(m *matches, bit int, rarity float64, scale [fieldCount]float64, w *weights) {
	m.sessions = m.sessions[:0]
	norms := m.norms(scale, w)
	// What stands everywhere, and so in most sessions too, tells nothing of neighbours.
	common := float64(len(m.postings)) > w.common*float64(ix.totals.docs)
	first, last := len(m.close), 0 // blocks of close
	for _, p := range m.postings {
		d := p.doc
		m.met.add(d)
		m.has[d] |= 1 << bit
		is := ix.weigh(p, norms, w)
		s := ix.session.at(d)
		if s == none || common {
			m.words[d] += float32(rarity * is.saturated)
			continue
		}
		m.local[d].own = is.frequency
		from, to := m.tell(ix.around(d), is.frequency)
		m.close.add(d)
		first, last = min(first, int(min(from, d)/64)), max(last, int(max(to, d)/64)+1)
		if m.times[s] == 0 {
			m.sessions = append(m.sessions, s)
		}
		m.times[s] += p.counts.total()
	}
	first = min(first, last)
	for i, block := range m.close[first:last] {
		m.met[first+i] |= block
		for ; block != 0; block &= block - 1 {
			d := uint32(64*(first+i) + bits.TrailingZeros64(block))
			own, inside := float64(m.local[d].own), 0.0
			if own > 0 {
				inside = saturated(own, w.k1)
				m.words[d] += float32(rarity * inside)
			}
			if n := w.near*float64(m.local[d].near) + w.far*float64(m.local[d].far); n > 0 {
				m.around[d] += float32(rarity * (saturated(own+n, w.k1) - inside))
			}
		}
	}
	clear(m.close[first:last])
	clear(m.local[64*first : 64*last])
	mean := 1.0
	if n := ix.totals.sessions; n > 0 {
		mean = float64(ix.totals.inSessions) / float64(n)
	}
	for _, s := range m.sessions {
		tf := float64(m.times[s])
		m.session[s] += float32(w.session * rarity * saturated(tf/(1-w.bs+w.bs*float64(ix.words.at(s))/mean), w.k1s))
		m.times[s] = 0
	}
}

// tell tells the documents around one how often that has the term at hand, and between which
// they lie. Of what each is told the order doesn't matter: it is two numbers at most.
func (m *matches) tell(around [4]uint32, frequency float32) (from, to uint32) {
	from = none
	for i, d := range around {
		if d == none {
			continue
		}
		if i < 2 {
			m.local[d].near += frequency
		} else {
			m.local[d].far += frequency
		}
		m.close.add(d)
		from, to = min(from, d), max(to, d)
	}
	return from, to
}

// weight is the frequency of a word in a document, and what it weighs.
type weight struct {
	frequency float32
	saturated float64
}

const (
	lengthBits = 10
	normCounts = 4
)

// norms are what depends on the lengths of fields only, for those below 1<<lengthBits words.
type norms struct {
	scale [fieldCount]float64
	w     [2 + fieldCount]float64

	field [fieldCount][]float64 // what a word counts that stands in the field once, by the field's length
	usual []weight              // of a word that stands in the content only, once to normCounts times: what most postings say
}

func (m *matches) norms(scale [fieldCount]float64, w *weights) *norms {
	n := &m.norm
	of := [2 + fieldCount]float64(append([]float64{w.b, w.k1}, w.field[:]...))
	if n.usual != nil && n.scale == scale && n.w == of {
		return n
	}
	*n = norms{scale: scale, w: of, usual: n.usual[:0]}
	for f := range n.field {
		for words := range uint32(1 << lengthBits) {
			n.field[f] = append(n.field[f], normal(f, words, scale, w))
		}
	}
	for count := range normCounts {
		for _, once := range n.field[content] {
			f := float32(float64(count+1) * once)
			n.usual = append(n.usual, weight{f, saturated(float64(f), w.k1)})
		}
	}
	return n
}

// of is what a word counts that stands once in a field of so many words.
func (n *norms) of(field int, words uint32, w *weights) float64 {
	if words < 1<<lengthBits {
		return n.field[field][words]
	}
	return normal(field, words, n.scale, w)
}

// normal is the same, worked out.
func normal(field int, words uint32, scale [fieldCount]float64, w *weights) float64 {
	return w.field[field] / (1 - w.b + w.b*float64(words)*scale[field])
}

// weigh is what a posting weighs as a word of the query.
func (ix *Index) weigh(p posting, n *norms, w *weights) weight {
	if words := ix.lengths.at(p.doc) & 0xffff; p.counts-1 < normCounts && words < 1<<lengthBits {
		return n.usual[uint32(p.counts-1)<<lengthBits|words]
	}
	f := float32(ix.frequency(p.doc, p.counts, n, w))
	return weight{f, saturated(float64(f), w.k1)}
}

// around are the documents before and behind a document in its session, and those
// one further.
func (ix *Index) around(d uint32) (n [4]uint32) {
	n = [4]uint32{ix.prev.at(d), ix.next.at(d), none, none}
	if n[0] != none {
		n[2] = ix.prev.at(n[0])
	}
	if n[1] != none {
		n[3] = ix.next.at(n[1])
	}
	return n
}

// frequency is how often a document has a term, by field: weighted, and normalised
// by the length of the field (BM25F: Robertson, Zaragoza and Taylor 2004).
func (ix *Index) frequency(d uint32, c counts, n *norms, w *weights) (sum float64) {
	if times := c.of(content); times > 0 {
		sum = float64(times) * n.of(content, ix.length(d, content), w)
	}
	rest := uint32(c) >> contentBits
	for f := content + 1; rest != 0; f, rest = f+1, rest>>fieldBits {
		if times := rest & (1<<fieldBits - 1); times > 0 {
			sum += float64(times) * n.of(f, ix.length(d, f), w)
		}
	}
	return sum
}

// place finds the documents of the time that the query names.
func (ix *Index) place(m *matches, q *asked, w *weights) {
	if len(q.spans) == 0 {
		return
	}
	when, n := m.use(m.when), 0
	for d := range ix.size() {
		if !ix.isDead(d) && ix.of(q.spans, d) {
			when[d] = 1
			n++
		}
	}
	bonus := float32(w.time * ix.rarity(n))
	if q.open {
		bonus *= float32(w.open) // what is asked for may be still to come: "a film for tonight"
	}
	for d := range when[:ix.size()] {
		if when[d] > 0 {
			m.met.add(uint32(d))
			when[d] = bonus
		}
	}
}
