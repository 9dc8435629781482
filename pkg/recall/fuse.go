package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// MaxPhrasings is in how many phrasings a query may come at most, the text among them. More are not read.
const MaxPhrasings = 4

// Numbers of fusion.
const (
	fusionK    = 60 // of reciprocal rank fusion, as its authors have it
	fusedLists = 50 // hits of a phrasing that are looked at, at least
)

// phrasings are the texts of a query, each once, those without a word left out.
func (q *Query) phrasings() (texts []string) {
	for _, text := range append([]string{q.Text}, q.Also...) {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(texts, text) && len(texts) < MaxPhrasings {
			texts = append(texts, text)
		}
	}
	return texts
}

// fused is a hit and what its ranks add up to.
type fused struct {
	Found
	sum float64
}

// fuse searches by each of several phrasings and fuses the ranks of what they find: a memory counts 1/(60 + rank) for each phrasing that finds it
// (reciprocal rank fusion: Cormack, Clarke and Büttcher 2009). The score is that sum, as a share of the greatest one possible. What a memory of the list
// replaces stays behind it. Colder memories follow only where all phrasings together find few.
func (s *Searcher) fuse(r Request, texts []string) (hits []Found, leftOut int, err error) {
	wanted := r.Limit
	if wanted <= 0 {
		wanted = defaultLimit
	}
	ask := func(few int) (lists [][]Found, err error) {
		for _, text := range texts {
			one := r
			one.Text, one.Also, one.Limit, one.Few = text, nil, max(wanted, fusedLists), few
			list, left, err := s.ask(one)
			if err != nil {
				return nil, err
			}
			lists, leftOut = append(lists, list), max(leftOut, left)
		}
		return lists, nil
	}
	lists, err := ask(0)
	if err != nil {
		return nil, 0, err
	}
	hits = fuseLists(lists)
	if len(hits) < min(r.Few, wanted) {
		leftOut = 0
		if lists, err = ask(r.Few); err != nil {
			return nil, 0, err
		}
		hits = fuseLists(lists)
	}
	return hits[:min(len(hits), wanted)], leftOut, nil
}

// fuseLists fuses lists of hits: those of the own project, then those of others, then those beyond the mode.
func fuseLists(lists [][]Found) []Found {
	byMemory := map[*memory.Memory]*fused{}
	var all []*fused
	for _, list := range lists {
		for rank, h := range list {
			share := 1 / float64(fusionK+rank+1)
			f := byMemory[h.Memory]
			if f == nil {
				f = &fused{Found: h}
				byMemory[h.Memory], all = f, append(all, f)
			} else {
				f.join(&h.Hit)
			}
			f.sum += share
		}
	}
	place := func(f *fused) int {
		switch {
		case f.Beyond:
			return 2
		case f.Elsewhere:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *fused) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(b.sum, a.sum), strings.Compare(a.ID, b.ID))
	})
	most := float64(len(lists)) / (fusionK + 1)
	hits := make([]Found, len(all))
	for i, f := range all {
		hits[i] = f.Found
		hits[i].Score = f.sum / most
	}
	return newerFirst(hits)
}

// join adds what another phrasing has found in the same memory.
func (f *fused) join(h *Hit) {
	f.Beyond = f.Beyond && h.Beyond
	for _, w := range h.Words {
		if !slices.Contains(f.Words, w) {
			f.Words = append(slices.Clip(f.Words), w)
		}
	}
	for _, w := range h.Like {
		if !slices.Contains(f.Like, w) && !slices.Contains(f.Words, w) {
			f.Like = append(slices.Clip(f.Like), w)
		}
	}
	for _, t := range h.sought {
		if !slices.ContainsFunc(f.sought, func(x sought) bool { return x.term == t.term }) {
			f.sought = append(slices.Clip(f.sought), t)
		}
	}
	if h.Parts.relevance() > f.Parts.relevance() {
		f.Parts = h.Parts
	}
}

// newerFirst moves what replaces a hit, or seems to, in front of it, where it stands behind it at the same place.
func newerFirst(hits []Found) []Found {
	for i, left := 0, len(hits)*MaxPhrasings; i < len(hits); i++ {
		newer := slices.Clone(hits[i].SupersededBy)
		for _, n := range hits[i].Newer {
			newer = append(newer, n.ID)
		}
		j := i + 1 + slices.IndexFunc(hits[i+1:], func(h Found) bool {
			return slices.Contains(newer, h.ID) && h.Beyond == hits[i].Beyond && h.Elsewhere == hits[i].Elsewhere
		})
		if j > i && left > 0 { // of those that seem so, two may seem so of each other
			h := hits[j]
			copy(hits[i+1:j+1], hits[i:j])
			hits[i] = h
			left--
			i-- // something may replace this one, too
		}
	}
	return hits
}
