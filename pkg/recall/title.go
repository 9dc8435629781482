package recall

import (
	"cmp"
	"slices"
)

// titleQuery is a query that may be the title of a memory: its terms and how often each occurs. Unlike the terms that
// are searched for, these include times.
type titleQuery struct {
	terms  []titleTerm
	length uint32 // terms, each as often as it occurs
}

type titleTerm struct {
	term   string
	number uint32
	times  uint32
	count  int // documents that have it or had it before they were removed
}

// longestName bounds the names that are looked for, in terms.
const longestName = 64

// add takes in a term of the query.
func (c *titleQuery) add(t token) {
	if t.whole { // its parts came before
		return
	}
	c.length++
	for i := range c.terms {
		if c.terms[i].term == t.term {
			c.terms[i].times++
			return
		}
	}
	if len(c.terms) < longestName {
		c.terms = append(c.terms, titleTerm{term: t.term, times: 1})
	}
}

// matchTitle finds the memories that the query names: those whose title, or summary where
// there is no title, has the terms of the query and no others, each as often.
func (ix *Index) matchTitle(m *matches, c *titleQuery, w *weights) {
	if c.length == 0 || c.length > longestName {
		return
	}
	for i := range c.terms {
		t := &c.terms[i]
		var ok bool
		if t.number, ok = ix.terms.find(t.term); !ok {
			return
		}
		t.count = int(ix.postings[t.number].count)
	}
	// The rarest first: mostly no document is left after it.
	slices.SortFunc(c.terms, func(a, b titleTerm) int { return cmp.Compare(a.count, b.count) })
	var named []uint32
	for i, t := range c.terms {
		m.postings = ix.postingsOf(m.postings[:0], t.number)
		var left []uint32
		for _, p := range m.postings {
			if !ix.names(p, t.times, c.length) {
				continue
			}
			for i > 0 && len(named) > 0 && named[0] < p.doc {
				named = named[1:]
			}
			if i == 0 || len(named) > 0 && named[0] == p.doc {
				left = append(left, p.doc)
			}
		}
		if named = left; len(named) == 0 {
			return
		}
	}
	sum := rarityOf(ix, len(named))
	for _, t := range c.terms {
		sum += rarityOf(ix, ix.frequencyOf(m, t.number))
	}
	for _, d := range named {
		m.met.add(d)
		m.docs[d].title = float32(w.title * sum)
	}
}

// names reports whether a term occurs so many times in the title of a document, which
// has so many terms.
func (ix *Index) names(p posting, times, length uint32) bool {
	if p.counts == once {
		return false
	}
	field, lengths := title, &ix.lengths[p.doc]
	if lengths[title] == 0 {
		field = summary
	}
	return uint32(lengths[field]) == length && p.counts.of(field) == min(times, 1<<fieldBits-1)
}
