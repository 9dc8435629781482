package rules

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// block is what duplicates have in common: type, subtype, scope and author.
// Memories that differ in one of them stay separate.
type block struct{ kind, subtype, scope, scopeID, author string }

func blockOf(m *workspace.Common) block {
	norm := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
	return block{norm(m.Type), norm(m.Subtype), m.Scope.Kind, m.Scope.ID, norm(m.CreatedBy)}
}

// merge proposes to merge duplicates. The newest memory of a group survives;
// another joins only if it is similar to the survivor itself.
func (p *planner) merge() {
	s := &search{
		planner: p, byAge: true, tags: p.Settings.Merge.TagOverlap, content: p.Settings.Merge.ContentSimilarity,
		visit: p.group,
	}
	p.disputed = p.disputes()
	all := parting{kind: blockOf, none: func(*workspace.Common) bool { return false }}
	p.merged = s.run(all, p.replays())
	var groups []*group
	skips, ordered := 0, true // as far as somebody asks
	for i := range p.merged.events {
		e := &p.merged.events[i]
		found := e.found.(grouped)
		if found.group != nil {
			groups = append(groups, found.group)
		}
		skips += len(found.skipped)
		ordered = ordered && e.turn > 0
	}
	if !ordered || skips > 0 {
		p.noted.expect(skips)
		for _, e := range p.merged.inOrder(p) {
			for _, sk := range e.found.(grouped).skipped {
				p.note(sk)
			}
		}
	}
	for _, i := range numbersBy(len(groups), func(i int32) int32 { return groups[i].oldest }) {
		groups[i].propose(p)
	}
}

// grouped is what looking for the duplicates of one memory came to.
type grouped struct {
	group   *group // nil for none
	skipped []workspace.Skip
}

// group puts a memory together with its duplicates, and tells which these are. It
// changes nothing else: other parts are searched at the same time. An id that stands
// twice is in no group.
func (p *planner) group(v *visit) (taken []int32, found any) {
	g := &group{at: v.of}
	for i := range v.pairs {
		if pair := &v.pairs[i]; p.undisputed(v.of) && p.undisputed(pair.with) {
			g.take(p, v, pair)
		} else {
			g.add(v.asideOf(p), v, pair)
		}
	}
	var result grouped
	if v.aside != nil {
		result.skipped, v.aside.skipped = v.aside.skipped, nil
	}
	if all := g.taken(); len(all) > 0 {
		taken = make([]int32, len(all))
		for i := range all {
			taken[i] = all[i].at
		}
		result.group, g.oldest = g, slices.Min(taken)
		g.prepare(p) // while what was read is at hand
	}
	return taken, result
}

// edited reports whether the memory at k was since the last run saw it.
func (p *planner) edited(k int32) (is bool) {
	p.show(k, func(m *workspace.Memory) { is = p.EditedSinceSeen(m) })
	return is
}

// asideOf is a planner that notes what is skipped for whoever visits, one for all visits.
func (v *visit) asideOf(p *planner) *planner {
	if v.aside == nil {
		aside := *p
		aside.aside, aside.skipped, aside.room = true, nil, nil
		v.aside = &aside
	}
	return v.aside
}

// undisputed reports whether the memory at k may be merged for all that is known but its
// text: it is free, and no person was asked about it.
func (p *planner) undisputed(k int32) bool {
	return p.traits[k]&free != 0 && (p.disputed == nil || !p.disputed.has(k))
}

// disputes marks the memories about which a person may have been asked.
func (p *planner) disputes() bits {
	places, ok := p.disputedAt()
	if len(places) == 0 && ok {
		return nil
	}
	out := newBits(len(p.places))
	if !ok {
		for i := range out {
			out[i] = ^uint64(0)
		}
	}
	at := p.byPlace()
	for _, place := range places {
		if k := at[place]; k > 0 {
			out.add(k - 1)
		}
	}
	return out
}

// differences tells where the older one of a pair states other facts.
func (p *planner) differences(v *visit, pair *similarTo) []string {
	if pair.finding == nil {
		pair.finding = []byte{}
		p.learnt.Add(learntPair)
		found := similarity.DistinctFacts(v.text(pair.with), v.text(v.of))
		if len(found) > 0 && pair.content == 1 { // else nobody has to look at the memories
			found = distinct(p.at(pair.with), p.at(v.of), pair.content, found)
		}
		for _, d := range found {
			pair.finding = appendString(pair.finding, describe(d))
		}
	}
	r := reader{rest: pair.finding}
	var out []string
	for len(r.rest) > 0 && !r.broken {
		out = append(out, r.string())
	}
	return out
}

// justMerged reports whether the memory at k is the survivor of a group that was too
// large for one run, so that the rest of the group may follow at once.
func (p *planner) justMerged(k int32) (is bool) {
	p.show(k, func(m *workspace.Memory) {
		reason, _ := p.excluded(m, workspace.RuleMerge, p.late.has(k))
		is = reason == ReasonJustNow
	})
	return is
}
