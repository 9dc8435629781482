package rules

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// member is a memory similar to a group's survivor. Of most groups nobody asks more than
// where they stand.
type member struct {
	*workspace.Memory         // nil before fill
	at                int32   // among the covered memories
	tags, content     float64 // how similar it is to the survivor
	reason            string  // flagged for review: why
	differences       []string
}

// group is a survivor with its duplicates, or with those that a person has to
// decide about.
type group struct {
	survivor *workspace.Memory // nil before fill
	at       int32             // of the survivor, among the covered memories
	looked   bool              // whether the survivor was edited since a run has seen it, which edited tells then
	edited   bool
	oldest   int32 // of those that are taken beside it
	members  []member
	flagged  []member
	asks     *workspace.Action // about flagged, if there are no members
	result   *mergeResult      // of members, once somebody asked; see settle
	err      error             // why there is none
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
	if p.disputed != nil && p.disputed.has(g.at) && p.disputed.has(pair.with) && p.decided(g.at, pair.with) {
		return
	}
	// Asked for both, so that the plan names each memory that stopped the merge.
	admitted := p.late.has(pair.with) && p.justMerged(g.at) || p.admits(g.at, workspace.RuleMerge)
	if p.admits(pair.with, workspace.RuleMerge) && admitted {
		g.take(p, v, pair)
	}
}

// decided reports whether a person was asked about two memories already, or has decided that
// both stay, and notes it in the plan.
func (p *planner) decided(newer, older int32) (is bool) {
	p.show(newer, func(survivor *workspace.Memory) {
		p.show(older, func(m *workspace.Memory) { is = p.decidedAlready(survivor, m) })
	})
	return is
}

func (p *planner) decidedAlready(survivor, m *workspace.Memory) bool {
	switch {
	case p.Review.Stands(survivor, m):
		p.skip(m.ID, workspace.RuleMerge, ReasonInReview, "waits for a decision, together with "+survivor.ID)
	case p.Review.KeptApart(survivor, m):
		p.skip(m.ID, workspace.RuleMerge, ReasonApart, "a person decided that it stays beside "+survivor.ID)
	case p.Parted(survivor, m):
		p.skip(m.ID, workspace.RuleMerge, ReasonApart, "its merge with "+survivor.ID+" was undone")
	default:
		return false
	}
	return true
}

// take puts an older memory that may be merged among the duplicates or those to be
// flagged, unless a person is asked about it already.
func (g *group) take(p *planner, v *visit, pair *similarTo) {
	m := member{at: pair.with}
	switch {
	case g.editedSince(p) && p.edited(m.at):
		m.reason = "both_edited"
	case p.Settings.Merge.DistinctFacts != "latest-wins":
		if m.differences = p.differences(v, pair); m.differences != nil {
			m.reason = "distinct_facts"
		}
	}
	m.tags, m.content = pair.tags, pair.content
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

// editedSince reports whether the survivor was edited since a run has seen it. Most groups never ask.
func (g *group) editedSince(p *planner) bool {
	if !g.looked {
		g.looked, g.edited = true, p.Sighted() && p.edited(g.at)
	}
	return g.edited
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

// prepare makes of the group what its action needs. It changes nothing else.
func (g *group) prepare(p *planner) {
	slices.SortStableFunc(g.members, byAge)
	slices.SortStableFunc(g.flagged, byAge)
	if len(g.members) == 0 {
		g.asks = g.review(p)
	}
}

// settle makes the records of a group whose members are final, once. It changes nothing but
// the group, which one goroutine at a time may ask.
func (g *group) settle(p *planner) (*mergeResult, error) {
	if g.result == nil && g.err == nil {
		if g.survivor == nil {
			g.fill(p)
		}
		r, err := p.mergeResult(g)
		g.result, g.err = &r, err
	}
	return g.result, g.err
}

// propose turns the group into an action.
func (g *group) propose(p *planner) {
	about := make([]int32, 0, len(g.members)+len(g.flagged)+1)
	if len(g.members) == 0 {
		for i := range g.flagged {
			about = append(about, g.flagged[i].at)
		}
		p.propose(g.asks, append(about, g.at))
		return
	}
	c := &wider{group: g}
	// A group larger than a whole run is merged in parts, the oldest first.
	if most := max(p.Settings.Run.Limit-1, 1); len(g.members) > most {
		for _, m := range g.members[most:] {
			c.late = append(c.late, m.at)
			p.claimed.add(m.at)
		}
		g.members = g.members[:most]
	}
	for i := range g.members {
		about = append(about, g.members[i].at)
	}
	c.members = append(about, g.at)
	p.consider(candidate{cost: int32(len(c.members)), more: c})
}

// review flags the pairs of the group for a person's decision. It changes no
// memory.
func (g *group) review(p *planner) *workspace.Action {
	g.fill(p)
	a := &workspace.Action{Action: oplog.Action{
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
		a.Pairs = append(a.Pairs, workspace.NewPair(m.Memory, g.survivor, m.reason, m.differences, m.tags, m.content))
	}
	a.MemoryIDs = append(a.MemoryIDs, g.survivor.ID)
	a.Digests = map[string]string{g.survivor.ID: string(p.digest(g.at))} // while what was read is at hand
	for _, m := range g.flagged {
		a.Digests[m.ID] = string(p.digest(m.at))
	}
	low := slices.MinFunc(g.flagged, func(a, b member) int { return cmp.Compare(a.content, b.content) })
	a.TagOverlap, a.ContentSimilarity = round(low.tags), round(low.content)
	return a
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
