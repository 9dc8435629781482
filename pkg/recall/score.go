package recall

// match finds the documents that have words of the query, or whose neighbours do.
func (ix *Index) match(m *matches, q *asked, w *weights) {
	scale := ix.scale()
	for i := range q.words {
		x := &q.words[i]
		by := uint32(i + 1)
		as := 1.0 // what the word counts as a word
		if x.person != none {
			m.postings = ix.live(m.postings[:0], x.person)
			share := float64(len(m.postings)) / float64(max(ix.totals.docs, 1))
			as -= (1 - w.name) * min(2*share, 1)
			for _, p := range m.postings {
				m.meet(p.doc, mark)
				m.docs[p.doc].people += float32(w.person * (1 - share))
				m.docs[p.doc].has |= 1 << i
			}
		}
		if x.number != none {
			m.postings = ix.live(m.postings[:0], x.number)
			ix.matchWord(m, i, by, as*ix.rarity(len(m.postings)), scale, w)
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
func (ix *Index) matchWord(m *matches, bit int, by uint32, rarity float64, scale [fieldCount]float64, w *weights) {
	m.near, m.nearby, m.sessions = m.near[:0], m.nearby[:0], m.sessions[:0]
	norm := m.norms(scale[content], w)
	// What stands everywhere, and so in most sessions too, tells nothing of neighbours.
	common := float64(len(m.postings)) > w.common*float64(ix.totals.docs)
	for _, p := range m.postings {
		d := p.doc
		var f float64
		if n := ix.lengths.at(d) & 0xffff; p.counts == once && n < uint32(len(norm)) {
			f = float64(norm[n])
		} else {
			f = float64(float32(ix.frequency(d, p.counts, scale, w)))
		}
		m.meet(d, by)
		x := &m.docs[d]
		x.has |= 1 << bit
		s := ix.session.at(d)
		if s == none || common {
			x.words += float32(rarity * saturated(f, w.k1))
			continue
		}
		x.frequency = float32(f)
		m.near, m.nearby = append(m.near, d), append(m.nearby, ix.around(d))
		if m.times[s] == 0 {
			m.sessions = append(m.sessions, s)
		}
		m.times[s] += p.counts.total()
	}
	for _, n4 := range m.nearby[:len(m.nearby):len(m.nearby)] {
		for _, n := range n4 {
			if n != none && m.docs[n].marked != by {
				m.meet(n, by)
				m.near, m.nearby = append(m.near, n), append(m.nearby, ix.around(n))
			}
		}
	}
	for i, d := range m.near {
		x, n := &m.docs[d], &m.nearby[i]
		own := float64(x.frequency)
		inside := 0.0
		if own > 0 {
			inside = saturated(own, w.k1)
			x.words += float32(rarity * inside)
		}
		if n := w.near*(m.at(n[0])+m.at(n[1])) + w.far*(m.at(n[2])+m.at(n[3])); n > 0 {
			x.around += float32(rarity * (saturated(own+n, w.k1) - inside))
		}
	}
	for _, d := range m.near {
		m.docs[d].frequency = 0
	}
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

// norms are the frequencies of a word that stands once, in a content only, by the
// length of that: what most postings say.
func (m *matches) norms(scale float64, w *weights) []float32 {
	if m.normOf != [3]float64{scale, w.b, w.field[content]} {
		m.normOf = [3]float64{scale, w.b, w.field[content]}
		m.norm = m.norm[:0]
		for n := range 1024 {
			m.norm = append(m.norm, float32(w.field[content]/(1-w.b+w.b*float64(n)*scale)))
		}
	}
	return m.norm
}

// at is how often a neighbour has the term at hand.
func (m *matches) at(d uint32) float64 {
	if d == none {
		return 0
	}
	return float64(m.docs[d].frequency)
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
func (ix *Index) frequency(d uint32, c counts, scale [fieldCount]float64, w *weights) (sum float64) {
	for f := range fieldCount {
		if n := c.of(f); n > 0 {
			sum += w.field[f] * float64(n) / (1 - w.b + w.b*float64(ix.length(d, f))*scale[f])
		}
	}
	return sum
}

// place finds the documents of the time that the query names.
func (ix *Index) place(m *matches, q *asked, w *weights) {
	if len(q.spans) == 0 {
		return
	}
	m.near = m.near[:0]
	for d := range ix.size() {
		if !ix.isDead(d) && ix.of(q.spans, d) {
			m.near = append(m.near, d)
		}
	}
	bonus := float32(w.time * ix.rarity(len(m.near)))
	if q.open {
		bonus *= float32(w.open) // what is asked for may be still to come: "a film for tonight"
	}
	for _, d := range m.near {
		m.meet(d, mark)
		m.docs[d].when = bonus
	}
}
