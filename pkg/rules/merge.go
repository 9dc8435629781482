package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/oplog"
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
	all := parting{kind: blockOf, none: func(*workspace.Memory) bool { return false }}
	p.merged = s.run(all, p.known.merged(p))
	var groups []*group
	for _, e := range p.merged.inOrder(p) {
		found := e.found.(grouped)
		for _, sk := range found.skipped {
			p.note(sk)
		}
		if found.group != nil {
			groups = append(groups, found.group)
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(a.oldest, b.oldest) })
	for _, g := range groups {
		g.propose(p)
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
	g := &group{at: v.of, edited: p.Sighted() && p.EditedSinceSeen(p.at(v.of))}
	var own *planner // that notes what is skipped
	for i := range v.pairs {
		if pair := &v.pairs[i]; p.undisputed(v.of) && p.undisputed(pair.with) {
			g.take(p, v, pair)
		} else {
			if own == nil {
				aside := *p
				aside.noted, aside.skipped = nil, nil
				own = &aside
			}
			g.add(own, v, pair)
		}
	}
	var result grouped
	if own != nil {
		result.skipped = own.skipped
	}
	if all := g.taken(); len(all) > 0 {
		taken = make([]int32, len(all))
		for i := range all {
			taken[i] = all[i].at
		}
		result.group, g.oldest = g, slices.Min(taken)
	}
	return taken, result
}

// undisputed reports whether the memory at k may be merged for all that is known but its
// text: it is free, and no person was asked about it.
func (p *planner) undisputed(k int32) bool {
	return p.traits[k]&free != 0 && (p.disputed == nil || !p.disputed.has(k))
}

// disputes marks the memories about which a person may have been asked.
func (p *planner) disputes() bits {
	places, ok := p.Disputed()
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

// member is a memory similar to a group's survivor. Of most groups nobody asks more than
// where they stand.
type member struct {
	*workspace.Memory       // nil before fill
	at                int32 // among the covered memories
	pair              similarTo
	reason            string // flagged for review: why
	differences       []string
}

// group is a survivor with its duplicates, or with those that a person has to
// decide about.
type group struct {
	survivor *workspace.Memory // nil before fill
	at       int32             // of the survivor, among the covered memories
	edited   bool              // the survivor, since a run has seen it
	oldest   int32             // of those that are taken beside it
	members  []member
	flagged  []member
	result   func() (mergeResult, error) // of members, once these are final; may be nil
}

// fill makes the memories of the group.
func (g *group) fill(p *planner) {
	g.survivor = p.at(g.at)
	for _, list := range [][]member{g.members, g.flagged} {
		for i := range list {
			list[i].Memory = p.at(list[i].at)
		}
	}
}

// add puts an older memory where it belongs: among the duplicates, among those
// to be flagged, or nowhere.
func (g *group) add(p *planner, v *visit, pair *similarTo) {
	survivor, m := p.at(g.at), p.at(pair.with)
	if p.Review.Stands(survivor, m) {
		p.skip(m.ID, workspace.RuleMerge, ReasonInReview, "waits for a decision, together with "+survivor.ID)
		return
	}
	if p.Review.KeptApart(survivor, m) {
		p.skip(m.ID, workspace.RuleMerge, ReasonApart, "a person decided that it stays beside "+survivor.ID)
		return
	}
	if p.Parted(survivor, m) {
		p.skip(m.ID, workspace.RuleMerge, ReasonApart, "its merge with "+survivor.ID+" was undone")
		return
	}
	// Asked for both, so that the plan names each memory that stopped the merge.
	admitted := p.late.has(pair.with) && p.justMerged(g.at) || p.admits(g.at, workspace.RuleMerge)
	if p.admits(pair.with, workspace.RuleMerge) && admitted {
		g.take(p, v, pair)
	}
}

// take puts an older memory that may be merged among the duplicates or those to be
// flagged, unless a person is asked about it already.
func (g *group) take(p *planner, v *visit, pair *similarTo) {
	m := member{at: pair.with}
	switch {
	case g.edited && p.EditedSinceSeen(p.at(m.at)):
		m.reason = "both_edited"
	case p.Settings.Merge.DistinctFacts != "latest-wins":
		if m.differences = p.differences(v, pair); m.differences != nil {
			m.reason = "distinct_facts"
		}
	}
	m.pair = *pair
	switch {
	case m.reason == "":
		if g.members == nil {
			g.members = make([]member, 0, len(v.pairs))
		}
		g.members = append(g.members, m)
	case !p.undisputed(m.at) && p.Review.Waits(p.at(m.at), p.Snapshot):
		p.skip(p.id(m.at), workspace.RuleMerge, ReasonInReview, "waits for a decision already")
	default:
		g.flagged = append(g.flagged, m)
	}
}

// differences tells where the older one of a pair states other facts.
func (p *planner) differences(v *visit, pair *similarTo) []string {
	if pair.finding == nil {
		pair.finding = []byte{}
		found := similarity.DistinctFacts(v.text(pair.with), v.text(v.of))
		for _, d := range distinct(p.at(pair.with), p.at(v.of), pair.content, found) {
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
func (p *planner) justMerged(k int32) bool {
	reason, _ := p.excluded(p.at(k), workspace.RuleMerge, p.late.has(k))
	return reason == ReasonJustNow
}

// taken lists the memories that the group's action takes beside the survivor: while
// there are duplicates to merge, those to be flagged wait for the next run.
func (g *group) taken() []member {
	if len(g.members) > 0 {
		return g.members
	}
	return g.flagged
}

func byAge(a, b member) int { return cmp.Compare(a.at, b.at) }

// propose turns the group into an action.
func (g *group) propose(p *planner) {
	slices.SortStableFunc(g.members, byAge)
	slices.SortStableFunc(g.flagged, byAge)
	if len(g.members) == 0 {
		g.review(p)
		return
	}
	g.result = sync.OnceValues(func() (mergeResult, error) {
		g.fill(p)
		return p.mergeResult(g)
	})
	c := &wider{
		ahead:   func() { _, _ = g.result() }, // build tells of an error
		build:   func() (workspace.Action, error) { return p.mergeAction(g) },
		refused: func(err error) { p.skip(p.id(g.at), workspace.RuleMerge, ReasonBroken, err.Error()) },
	}
	// A group larger than a whole run is merged in parts, the oldest first.
	if most := max(p.Settings.Run.Limit-1, 1); len(g.members) > most {
		for _, m := range g.members[most:] {
			c.late = append(c.late, m.at)
			p.claimed.add(m.at)
		}
		g.members = g.members[:most]
	}
	for _, m := range g.members {
		c.members = append(c.members, m.at)
	}
	c.members = append(c.members, g.at)
	p.consider(candidate{cost: int32(len(c.members)), more: c})
}

// review flags the pairs of the group for a person's decision. It changes no
// memory.
func (g *group) review(p *planner) {
	g.fill(p)
	a := workspace.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: workspace.RuleMerge, Reason: g.flagged[0].reason,
		Detail: "similar, but a person has to decide",
	}}
	for _, m := range g.flagged {
		a.MemoryIDs = append(a.MemoryIDs, m.ID)
		for _, d := range m.differences {
			if !slices.Contains(a.Differences, d) {
				a.Differences = append(a.Differences, d)
			}
		}
		a.Pairs = append(a.Pairs, workspace.NewPair(m.Memory, g.survivor, m.reason, m.differences, m.pair.tags, m.pair.content))
	}
	a.MemoryIDs = append(a.MemoryIDs, g.survivor.ID)
	members := make([]int32, 0, len(g.flagged)+1)
	for _, m := range g.flagged {
		members = append(members, m.at)
	}
	low := slices.MinFunc(g.flagged, func(a, b member) int { return cmp.Compare(a.pair.content, b.pair.content) })
	a.TagOverlap, a.ContentSimilarity = round(low.pair.tags), round(low.pair.content)
	p.propose(a, append(members, g.at))
}

// describe says in a few words where two texts state different facts.
func describe(d similarity.Difference) string {
	side := func(text string) string {
		if text == "" {
			return "nothing"
		}
		return strconv.Quote(text)
	}
	return d.Kind + ": " + side(d.A) + " against " + side(d.B)
}
