package recall

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/supersession"
)

// successors are the documents that replace a document, as documents say or texts show.
func (r *ranking) successors(d uint32) []uint32 {
	list := r.ix.successors(d)
	for _, s := range r.judged[d] {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// rankSuccessors ranks candidates so that each comes after all that supersede it. A
// successor inherits the score of what it supersedes where that is higher: who
// asks in the words of an old memory gets the current one. A superseded memory loses
// half of its score for each step to a current one. Links that close a circle are
// ignored where they close it.
func (r *ranking) rankSuccessors(list []candidate) []candidate {
	at := map[uint32]int{}      // the place of a document in all
	hidden := map[uint32]bool{} // on the way, but not to be found
	all := slices.Clone(list)
	for i := range all {
		at[all[i].doc] = i
		hidden[all[i].doc] = all[i].leftOut
	}
	links := map[uint32][]uint32{}
	var linked []uint32
	for i := 0; i < len(all); i++ {
		d := all[i].doc
		next := r.successors(d)
		if len(next) == 0 {
			continue
		}
		links[d] = next
		linked = append(linked, d)
		for _, s := range next {
			if _, ok := at[s]; ok {
				continue
			}
			c := candidate{doc: s, parts: r.parts(s)}
			if r.filter.fits(s) && r.retain(s, &c.parts) {
				c.score = c.parts.Sum()
			} else {
				hidden[s] = true // and has no score to bequeath but what it inherits
			}
			at[s] = len(all)
			all = append(all, c)
		}
	}
	for i := range all {
		all[i].best, all[i].final = all[i].score, all[i].score
	}
	if len(linked) == 0 {
		return all
	}
	depths := depths{links: links, of: map[uint32]int{}}
	for i := range all {
		all[i].depth = depths.visit(all[i].doc, 0)
	}
	// From the most superseded on, so that each has inherited before it bequeaths.
	slices.SortStableFunc(linked, func(a, b uint32) int { return all[at[b]].depth - all[at[a]].depth })
	for _, d := range linked {
		from := &all[at[d]]
		for _, s := range links[d] {
			if to := &all[at[s]]; to.depth < from.depth {
				to.best = max(to.best, from.best)
			}
		}
	}
	for i := range all {
		all[i].final = math.Ldexp(all[i].best, -all[i].depth)
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return hidden[c.doc] || c.final <= 0 })
	slices.SortFunc(all, func(a, b candidate) int { return r.order(&a, &b, a.final, b.final) })
	return all
}

// depths counts the steps to a memory that nothing supersedes, by the longest way.
type depths struct {
	links map[uint32][]uint32
	of    map[uint32]int // -1 while on the way
}

// furthest bounds the way.
const furthest = 64

func (x *depths) visit(d uint32, steps int) int {
	if n, ok := x.of[d]; ok {
		return max(n, 0)
	}
	x.of[d] = -1
	n := 0
	for _, s := range x.links[d] {
		if was, ok := x.of[s]; ok && was < 0 || steps >= furthest {
			continue // closes a circle
		}
		n = max(n, x.visit(s, steps+1)+1)
	}
	x.of[d] = n
	return n
}

// Of the best only so many are judged, each with each, and only texts of so many
// bytes: single facts change, and longer texts have too much else in common.
const (
	judges   = 10
	longNote = 1000
)

// judge looks among the best hits for those whose texts say that they update
// another, and reports whether there are any. Only pairs are judged that have
// most words of the query in common, and about as high a score.
func (r *ranking) judge(best []candidate) (found bool) {
	if r.q.Note == nil {
		return false
	}
	best = best[:min(judges, len(best))]
	notes := make([]supersession.Reading, len(best))
	read := make([]int8, len(best)) // 0 not yet, 1 there, -1 not there
	note := func(i int) bool {
		if read[i] == 0 {
			n, ok := r.q.Note(r.ix.docs[best[i].doc].id)
			read[i] = -1
			if ok && len(n.Title)+len(n.Text) <= longNote {
				notes[i], read[i] = supersession.Read(n), 1
			}
		}
		return read[i] > 0
	}
	r.judged = map[uint32][]uint32{}
	for i := range best {
		for j := range best {
			a, b := &best[i], &best[j]
			if !r.older(a.doc, b.doc) || b.score < r.w.judged*a.score || !r.alike(a.doc, b.doc) || !note(i) || !note(j) {
				continue
			}
			if notes[i].Judge(notes[j]).Relation == supersession.Updates {
				r.judged[a.doc] = append(r.judged[a.doc], b.doc)
				found = true
			}
		}
		slices.SortFunc(r.judged[best[i].doc], func(a, b uint32) int { return strings.Compare(r.ix.docs[a].id, r.ix.docs[b].id) })
	}
	return found
}

// older reports whether a was surely last written before b.
func (r *ranking) older(a, b uint32) bool {
	x, y := r.ix.docs[a].newest(), r.ix.docs[b].newest()
	return x < y && x != noTime
}

// alike reports whether two documents have most of their words of the query in
// common.
func (r *ranking) alike(a, b uint32) bool {
	x, y := r.m.docs[a].has, r.m.docs[b].has
	return x&y != 0 && float64(bits.OnesCount64(x&y)) >= r.w.alike*float64(bits.OnesCount64(x|y))
}
