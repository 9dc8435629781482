package recall

import "math/bits"

// match finds the documents that have words of the query, or whose neighbours do.
func (ix *Index) match(m *matches, q *parsedQuery, w *weights) {
	f := ix.frequencies(w)
	for i := range q.words {
		x := &q.words[i]
		as := 1.0 // what the word counts as a word
		if x.variant > 0 {
			as = x.variant
		}
		if x.person != none {
			m.postings = ix.postingsOf(m.postings[:0], x.person)
			share := float64(len(m.postings)) / float64(max(ix.totals.docs, 1))
			as -= (1 - w.name) * min(2*share, 1)
			for _, p := range m.postings {
				m.met.add(p.doc)
				m.docs[p.doc].people += float32(w.person * (1 - share))
				m.docs[p.doc].has |= 1 << i
			}
		}
		if x.number != none {
			m.postings = ix.postingsOf(m.postings[:0], x.number)
			ix.matchWord(m, i, as*rarityOf(ix, len(m.postings)), f, w)
		}
	}
}

// scaleOf is 1 by the mean length of each field, of the documents that have it.
func scaleOf(ix *Index) (scale [fieldCount]float64) {
	for f := range fieldCount {
		if n := ix.totals.having[f]; n > 0 {
			scale[f] = float64(n) / float64(ix.totals.words[f])
		}
	}
	return scale
}

// matchWord adds what one word says: the postings are its.
func (ix *Index) matchWord(m *matches, bit int, rarity float64, f *frequencies, w *weights) {
	m.sessions = m.sessions[:0]
	// A word of most documents, and so of most sessions, says nothing about neighbours.
	common := float64(len(m.postings)) > w.common*float64(ix.totals.docs)
	first, last := len(m.nearby), 0 // blocks of nearby
	for _, p := range m.postings {
		d := p.doc
		m.met.add(d)
		x := &m.docs[d]
		x.has |= 1 << bit
		s := ix.docs[d].session
		if s == none || common {
			x.words += float32(rarity * f.saturated(p))
			continue
		}
		frequency := f.of(p)
		m.local[d].own = frequency
		from, to := m.addNear(ix.around(d), frequency)
		m.nearby.add(d)
		first, last = min(first, int(min(from, d)/64)), max(last, int(max(to, d)/64)+1)
		if m.times[s] == 0 {
			m.sessions = append(m.sessions, s)
		}
		m.times[s] += p.counts.total()
	}
	first = min(first, last)
	for i, block := range m.nearby[first:last] {
		m.met[first+i] |= block
		for ; block != 0; block &= block - 1 {
			d := uint32(64*(first+i) + bits.TrailingZeros64(block))
			own, inside := float64(m.local[d].own), 0.0
			if own > 0 {
				inside = saturated(own, w.k1)
				m.docs[d].words += float32(rarity * inside)
			}
			if n := w.near*float64(m.local[d].near) + w.far*float64(m.local[d].far); n > 0 {
				m.docs[d].around += float32(rarity * (saturated(own+n, w.k1) - inside))
			}
		}
	}
	clear(m.nearby[first:last])
	clear(m.local[64*first : 64*last])
	mean := 1.0
	if n := ix.totals.sessions; n > 0 {
		mean = float64(ix.totals.inSessions) / float64(n)
	}
	for _, s := range m.sessions {
		tf := float64(m.times[s])
		m.session[s] += float32(w.session * rarity * saturated(tf/(1-w.bs+w.bs*float64(ix.words[s])/mean), w.k1s))
		m.times[s] = 0
	}
}

// addNear adds how often a document has the term at hand to the documents around it, and
// returns the range that these are in. The order of additions doesn't matter: each document
// gets two at most.
func (m *matches) addNear(around [4]uint32, frequency float32) (from, to uint32) {
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
		m.nearby.add(d)
		from, to = min(from, d), max(to, d)
	}
	return from, to
}

// around are the documents before and behind a document in its session, and those
// one further.
func (ix *Index) around(d uint32) (n [4]uint32) {
	n = [4]uint32{ix.docs[d].prev, ix.docs[d].next, none, none}
	if n[0] != none {
		n[2] = ix.docs[n[0]].prev
	}
	if n[1] != none {
		n[3] = ix.docs[n[1]].next
	}
	return n
}

// frequencies tells how often documents have a term, by field: weighted, and normalised
// by the length of the field (BM25F: Robertson, Zaragoza and Taylor 2004).
type frequencies struct {
	ix    *Index
	w     *weights
	scale [fieldCount]float64
	short [fieldCount][256]float64 // what one occurrence counts, by the length of the field: most are short
}

func (ix *Index) frequencies(w *weights) *frequencies {
	f := &frequencies{ix: ix, w: w, scale: scaleOf(ix)}
	for field := range f.short {
		for length := range f.short[field] {
			f.short[field][length] = f.occurrence(field, length)
		}
	}
	return f
}

// occurrence is what a term counts that stands once in a field of so many words.
func (f *frequencies) occurrence(field, length int) float64 {
	return f.w.field[field] / (1 - f.w.b + f.w.b*float64(length)*f.scale[field])
}

func (f *frequencies) of(p posting) float32 {
	lengths, sum := &f.ix.lengths[p.doc], 0.0
	times, rest := p.counts.of(content), p.counts>>contentBits
	for field := content; ; field++ {
		if times > 0 {
			if length := int(lengths[field]); length < len(f.short[field]) {
				sum += float64(times) * f.short[field][length]
			} else {
				sum += float64(times) * f.occurrence(field, length)
			}
		}
		if rest == 0 {
			return float32(sum)
		}
		times, rest = uint32(rest&(1<<fieldBits-1)), rest>>fieldBits
	}
}

// saturated is the BM25 weight of the frequency.
func (f *frequencies) saturated(p posting) float64 {
	return saturated(float64(f.of(p)), f.w.k1)
}

// matchTime finds the documents of the time that the query names.
func (ix *Index) matchTime(m *matches, q *parsedQuery, w *weights) {
	if len(q.spans) == 0 {
		return
	}
	var found []uint32
	for d := range ix.docs {
		if !ix.dead.has(uint32(d)) && ix.docs[d].of(q.spans) {
			found = append(found, uint32(d))
		}
	}
	bonus := float32(w.time * rarityOf(ix, len(found)))
	if q.open {
		bonus *= float32(w.open) // what is asked for may be still to come: "a film for tonight"
	}
	for _, d := range found {
		m.met.add(d)
		m.docs[d].time = bonus
	}
}
