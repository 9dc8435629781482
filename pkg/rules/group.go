package rules

import (
	"bytes"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// group is a survivor with its duplicates, or with those that a person has to decide about.
type group struct {
	findings
	survivor *subject
	members  []member       // to be merged into the survivor; the oldest first
	flagged  []member       // for review
	passed   []*subject     // that have an older value of what the survivor says: they are in no other group
	question *memory.Action // about flagged, if there are no members
	waits    string         // that a person has to decide about what the survivor says, "" otherwise: then it takes exact copies only
}

// member is a memory similar to a group's survivor.
type member struct {
	*subject
	tags, content float64 // how similar it is to the survivor
	reason        string  // flagged for review: why
	differences   []string
}

// skip notes why a memory is not merged.
func (g *group) skip(id, reason, detail string) {
	g.findings.skip(memory.Skip{MemoryID: id, Rule: RuleMerge, Reason: reason, Detail: detail})
}

// takes lists the memories that the group's action takes besides the survivor: while there
// are duplicates to merge, those to be flagged wait for the next run.
func (g *group) takes() []*subject {
	list := g.members
	if len(list) == 0 {
		list = g.flagged
	}
	var out []*subject
	for _, m := range list {
		out = append(out, m.subject)
	}
	return out
}

// waitTogether reports whether a person has to decide about the two.
func waitTogether(st *state, a, b *memory.Memory) bool {
	return slices.ContainsFunc(st.UndecidedOf(a), func(q review.Pair) bool { return q.A == b.ID || q.B == b.ID })
}

// exactCopy reports whether two memories say the same in the same form.
func exactCopy(a, b *memory.Memory) bool {
	x, y := a.Content(), b.Content()
	return a.Title() == b.Title() && x.Type == y.Type && bytes.Equal(jsonedit.Compact([]byte(x.Raw)), jsonedit.Compact([]byte(y.Raw)))
}

// inherited are the pairs in which members of a merge wait for a person's decision: the survivor, which says the same, takes their
// place.
func inherited(st *state, g *group) (pairs []review.Pair) {
	s := g.survivor.Memory
	taken := map[string]bool{s.ID: true}
	for _, q := range st.UndecidedOf(s) {
		taken[q.A], taken[q.B] = true, true
	}
	for _, m := range g.members {
		if !exactCopy(m.Memory, s) { // a person, or a model, has chosen one of them
			continue
		}
		for _, q := range st.UndecidedOf(m.Memory) {
			older, newer := st.Live(q.A), st.Live(q.B)
			other := older
			if older.ID == m.ID {
				other, older = newer, s
			} else {
				newer = s
			}
			if taken[other.ID] || st.Review.DecidedKeepBoth(s, other) {
				continue
			}
			taken[other.ID] = true
			if q.Reason != ReasonSupersede { // that is about the texts, whatever their age
				older, newer = ByAge(older, newer)
			}
			pairs = append(pairs, memory.NewPair(older, newer, q.Reason, q.Differences, q.TagOverlap, q.ContentSimilarity))
		}
	}
	return pairs
}

// RuleMerge is the name of the rule that merges duplicates.
const RuleMerge = "merge"
