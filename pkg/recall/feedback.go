package recall

import (
	"cmp"
	"slices"
	"strings"
)

// feed adds the words that tell the best hits so far from all other memories, with
// little weight: pseudo-relevance feedback, which tells memories on the subject from others
// that have the same words of the query (after RM3: Abdul-Jaleel et al., TREC 2004).
// How much they count grows with the lengths of the hits: a few words say nothing
// of a subject, and the subject of a turn of a conversation is known from its neighbours.
func (r *ranking) feed(asked *parsedQuery) {
	w, ix, m := r.w, r.ix, r.m
	if r.q.Note == nil || len(asked.words) == 0 {
		return
	}
	best, _ := r.top(feedDocs)
	share, reliable := map[string]float64{}, 0.0
	for i := range best {
		note, ok := r.q.Note(ix.docs[best[i].doc].id)
		if !ok {
			continue
		}
		count, length := map[string]float64{}, 0.0
		m.analyzer.terms(note.Text[:min(len(note.Text), maxText)], func(t token) {
			if !t.whole {
				count[t.term]++
				length++
			}
		})
		for t, n := range count {
			share[t] += best[i].score * n / (length + w.feedLen)
		}
		reliable += length / (length + w.feedLen) / float64(len(best))
	}
	if reliable < leastReliable {
		return
	}
	for _, x := range asked.words {
		delete(share, x.term)
	}
	list := make([]related, 0, len(share))
	for t, x := range share {
		list = append(list, related{t, none, x})
	}
	weightiest := func(a, b related) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.term, b.term))
	}
	slices.SortFunc(list, weightiest)
	list = list[:min(feedConsidered, len(list))]
	for i := range list {
		if t, ok := ix.terms.find(list[i].term); ok && ix.has(m, t) {
			list[i].number, list[i].weight = t, list[i].weight*rarityOf(ix, ix.frequencyOf(m, t))
		} else {
			list[i].weight = 0
		}
	}
	slices.SortFunc(list, weightiest)
	f := ix.frequencies(w)
	for _, x := range list[:min(feedTerms, len(list))] {
		if x.weight == 0 {
			break
		}
		m.postings = ix.postingsOf(m.postings[:0], x.number)
		weight := w.feedback * reliable * x.weight / list[0].weight * rarityOf(ix, len(m.postings))
		for _, p := range m.postings {
			m.met.add(p.doc)
			m.docs[p.doc].related += float32(weight * f.saturated(p))
		}
	}
}

// related is a term that the best hits have.
type related struct {
	term   string
	number uint32
	weight float64
}

const (
	feedDocs       = 5
	feedTerms      = 20
	feedConsidered = 100 // those that are commonest in the hits
	leastReliable  = .1
)
