package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Numbers of meaning that are not settings.
const (
	leastNear   = 1.0 // standard deviations above the mean from which on nearness counts
	mostNear    = 6.0 // what is nearer counts as much
	leastKnown  = 8   // memories with a vector; among fewer, nearness says nothing
	besideNear  = 0.5 // of its nearness, for the memories next to it in a session
	meantAtMost = 256 // memories that are found by meaning
)

// meant is a document, and how near it is.
type meant struct {
	doc  uint32
	near float64
}

// matchMeaning adds what a provider of meaning finds: for each of the nearest by how many standard deviations it is nearer than the
// mean of all, and half of that for those next to it in its session. Cosines of different models, and of long and short questions, are thus alike.
func (ix *Index) matchMeaning(m *matches, q *Query) error {
	if q.Meaning == nil || q.MeaningWeight <= 0 || strings.TrimSpace(q.Text) == "" {
		return nil
	}
	near, err := q.Meaning.Near(q.Text)
	if err != nil {
		return err
	}
	for _, x := range nearestTo(ix, near) {
		share := float32(q.MeaningWeight * x.near)
		m.met.add(x.doc)
		m.docs[x.doc].meaning += share
		around := ix.around(x.doc)
		for _, beside := range around[:2] {
			if beside != none {
				m.met.add(beside)
				m.docs[beside].meaning += besideNear * share
			}
		}
	}
	return nil
}

// nearestTo are the documents that are nearer than most, in the order of their numbers.
func nearestTo(ix *Index, near map[string]float64) []meant {
	var all []meant
	for id, cosine := range near {
		if d := ix.find(id); d != none && cosine == cosine {
			all = append(all, meant{d, cosine})
		}
	}
	if len(all) < leastKnown {
		return nil
	}
	slices.SortFunc(all, func(a, b meant) int { return cmp.Compare(a.doc, b.doc) })
	mean, deviation := 0.0, 0.0
	for _, x := range all {
		mean += x.near / float64(len(all))
	}
	for _, x := range all {
		deviation += (x.near - mean) * (x.near - mean) / float64(len(all))
	}
	if deviation = math.Sqrt(deviation); deviation < 1e-9 {
		return nil
	}
	for i := range all {
		all[i].near = min((all[i].near-mean)/deviation, mostNear)
	}
	all = slices.DeleteFunc(all, func(x meant) bool { return x.near < leastNear })
	slices.SortStableFunc(all, func(a, b meant) int { return cmp.Compare(b.near, a.near) })
	all = all[:min(len(all), meantAtMost)]
	slices.SortFunc(all, func(a, b meant) int { return cmp.Compare(a.doc, b.doc) })
	return all
}
