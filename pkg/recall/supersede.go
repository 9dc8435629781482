package recall

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// settled are the documents that replace a document: by what records say, or by a link. A snapshot makes these one.
func (r *ranking) settled(d uint32) []uint32 { return r.ix.successors(d) }

// successors are the documents that replace a document, and those that only seem to: about these nobody has decided.
func (r *ranking) successors(d uint32) []uint32 {
	return added(r.settled(d), r.undecided[d])
}

func added(list, more []uint32) []uint32 {
	for _, d := range more {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// rankSuccessors ranks candidates so that each comes after all that supersede it, or seem to. A
// successor inherits the score of what it supersedes where that is higher: who
// asks in the words of an old memory gets the current one. A superseded memory loses
// half of its score for each step to a current one; one about which nobody has decided loses nothing. Links that close a circle are
// ignored where they close it.
func (r *ranking) rankSuccessors(list []candidate) []candidate {
	at := map[uint32]int{}      // the place of a document in all
	hidden := map[uint32]bool{} // on the way, but not to be found
	all := slices.Clone(list)
	for i := range all {
		at[all[i].doc] = i
		hidden[all[i].doc] = all[i].leftOut
	}
	links, settled := map[uint32][]uint32{}, map[uint32][]uint32{}
	var linked []uint32
	for i := 0; i < len(all); i++ {
		d := all[i].doc
		next := r.successors(d)
		if len(next) == 0 {
			continue
		}
		links[d], settled[d] = next, r.settled(d)
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
	steps, replaced := depths{links: links, of: map[uint32]int{}}, depths{links: settled, of: map[uint32]int{}}
	for i := range all {
		all[i].depth, all[i].replaced = steps.stepsFrom(all[i].doc, 0), replaced.stepsFrom(all[i].doc, 0)
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
		all[i].final = math.Ldexp(all[i].best, -all[i].replaced)
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

func (x *depths) stepsFrom(d uint32, steps int) int {
	if n, ok := x.of[d]; ok {
		return max(n, 0)
	}
	x.of[d] = -1
	n := 0
	for _, s := range x.links[d] {
		if was, ok := x.of[s]; ok && was < 0 || steps >= furthest {
			continue // closes a circle
		}
		n = max(n, x.stepsFrom(s, steps+1)+1)
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

// judge looks among the best hits for those about which nobody has decided whether another replaces them, and reports whether there are
// any: pairs that wait for a decision, and those whose texts say so (package supersession) and that have most words of the query in common and
// about as high a score. Neither are of two scopes or types, or events.
func (r *ranking) judge(best []candidate) (found bool) {
	if r.q.Note == nil && r.q.waiting == nil {
		return false
	}
	best = best[:min(judges, len(best))]
	notes := make([]supersession.Note, len(best))
	readings := make([]supersession.Reading, len(best))
	read := make([]int8, len(best)) // 0 not yet, 1 there, -1 not there
	note := func(i int) bool {
		if read[i] == 0 {
			n, ok := r.q.Note(r.ix.docs[best[i].doc].id)
			read[i] = -1
			if ok && len(n.Title)+len(n.Text) <= longNote {
				notes[i], readings[i], read[i] = n, supersession.Read(n), 1
			}
		}
		return read[i] > 0
	}
	r.undecided = map[uint32][]uint32{}
	settle := func(older, newer uint32) {
		if !slices.Contains(r.settled(older), newer) && !slices.Contains(r.settled(newer), older) && !slices.Contains(r.undecided[newer], older) {
			r.undecided[older], found = added(r.undecided[older], []uint32{newer}), true
		}
	}
	for i := range best {
		if r.q.partly == nil {
			break
		}
		for _, newer := range r.q.partly(best[i].doc) {
			settle(best[i].doc, newer)
		}
	}
	for _, told := range []func(uint32) []uint32{r.q.waiting, r.q.rejected} { // a decision outranks what texts seem to say
		for i := range best {
			if told == nil {
				break
			}
			for _, newer := range told(best[i].doc) {
				if r.mayReplace(best[i].doc, newer) {
					settle(best[i].doc, newer)
				}
			}
		}
	}
	for i := range best {
		if r.q.Note == nil { // no text is read
			break
		}
		a := &best[i]
		for j := range best {
			b := &best[j]
			if !r.older(a.doc, b.doc) || b.score < r.w.judged*a.score || !r.alike(a.doc, b.doc) || !r.mayReplace(a.doc, b.doc) || !note(i) || !note(j) {
				continue
			}
			if rules.Replaces(notes[i], notes[j], readings[i].Judge(readings[j])) {
				settle(a.doc, b.doc)
			}
		}
	}
	for _, newer := range r.undecided {
		slices.SortFunc(newer, func(a, b uint32) int { return strings.Compare(r.ix.docs[a].id, r.ix.docs[b].id) })
	}
	return found
}

// mayReplace reports whether one document can take the place of another, whatever they say: both are of one scope and type and no events, and nobody has
// decided that both stay.
func (r *ranking) mayReplace(older, newer uint32) bool {
	a, b := &r.ix.docs[older], &r.ix.docs[newer]
	if a.scope != b.scope || a.kind != b.kind || a.kind != none && r.ix.symbols.list[a.kind] == memory.Episodic {
		return false
	}
	return r.q.apart == nil || !r.q.apart(older, newer)
}

// older reports whether a was surely last written before b. A time that is still to come tells nothing: what has one is older than what
// has none.
func (r *ranking) older(a, b uint32) bool {
	x, y := r.ix.docs[a].newest(), r.ix.docs[b].newest()
	if r.now != noTime && (x > r.now) != (y > r.now) {
		return x > r.now && y != noTime
	}
	return x < y && x != noTime
}

// alike reports whether two documents have most of their words of the query in
// common.
func (r *ranking) alike(a, b uint32) bool {
	x, y := r.m.docs[a].has, r.m.docs[b].has
	return x&y != 0 && float64(bits.OnesCount64(x&y)) >= r.w.alike*float64(bits.OnesCount64(x|y))
}
