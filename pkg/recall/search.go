package recall

import (
	"slices"
	"strings"
	"time"
)

// defaultLimit is how many hits there are at most where nobody says.
const defaultLimit = 10

// Search finds the memories that fit a query best. No text is an error, and no
// memory needs to have every word; those that share nothing with the query, no
// word, no neighbour, no time, are not hits. The same index and query give the same
// hits in the same order, however the index came about. Only Meaning gives errors,
// and then the hits are those without it.
func (ix *Index) Search(q Query) (Result, error) {
	return ix.search(q, &tuned)
}

func (ix *Index) search(q Query, w *weights) (out Result, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, max(ix.Len(), 1))
	if q.Retention != nil {
		q.retention = func(d uint32) float64 { return q.Retention(ix.docs[d].id) }
	}
	m := ix.borrowMatches()
	asked := ix.parseQuery(m, &q)
	ix.match(m, &asked, w)
	ix.matchTitle(m, &asked.name, w)
	ix.matchTime(m, &asked, w)
	err = ix.matchMeaning(m, &q)
	r := &ranking{ix: ix, q: &q, w: w, m: m, now: seconds(q.At), least: q.Tiers.least(q.Mode), filter: ix.filter(&q)}
	r.listing = strings.TrimSpace(q.Text) == ""
	r.feed(&asked)
	best := r.hits(q.Limit)
	if r.judge(best) {
		best = r.hits(q.Limit)
	}
	for _, score := range r.leftOut {
		if len(best) < q.Limit || score > best[len(best)-1].final {
			out.LeftOut++
		}
	}
	for i := range best {
		out.Hits = append(out.Hits, r.hit(&best[i], &asked))
	}
	ix.giveBack(m) // where a function of the query panics they are lost: they may be half done
	return out, err
}

// zone is the one in which the asker counts days.
func (r *ranking) zone() *time.Location {
	if r.q.At.IsZero() {
		return time.UTC
	}
	return r.q.At.Location()
}

// hit tells what was found, for the caller.
func (r *ranking) hit(c *candidate, q *parsedQuery) Hit {
	h := Hit{ID: r.ix.docs[c.doc].id, Parts: c.parts, Archived: r.ix.docs[c.doc].archived}
	h.Parts.Inherited = c.best - c.score
	h.Parts.Superseded = c.final - c.best
	h.Score = c.final
	for i := range q.words {
		if x := &q.words[i]; r.m.docs[c.doc].has>>i&1 != 0 && x.number != none {
			h.sought = append(h.sought, sought{r.ix.terms.list[x.number], rarityOf(r.ix, r.ix.frequencyOf(r.m, x.number))})
		}
	}
	for i := range q.words {
		if x := &q.words[i]; r.m.docs[c.doc].has>>i&1 != 0 && x.variant == 0 {
			h.Words = append(h.Words, x.text)
		}
	}
	for i := range q.words {
		if x := &q.words[i]; r.m.docs[c.doc].has>>i&1 != 0 && x.variant > 0 && !slices.Contains(h.Words, x.text) && !slices.Contains(h.Like, x.text) {
			h.Like = append(h.Like, x.text)
		}
	}
	for _, s := range r.settled(c.doc) {
		h.SupersededBy = append(h.SupersededBy, r.ix.docs[s].id)
	}
	for _, s := range r.undecided[c.doc] {
		n := Newer{ID: r.ix.docs[s].id, Partly: r.q.partly != nil && slices.Contains(r.q.partly(c.doc), s)}
		if t := r.past(r.ix.docs[s].newest()); t != noTime {
			n.Written = time.Unix(t, 0).In(r.zone())
		}
		h.Newer = append(h.Newer, n)
	}
	return h
}
