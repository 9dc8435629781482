package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// block is what duplicates have in common: type, subtype, scope and author.
// Memories that differ in one of them stay separate.
type block struct{ kind, subtype, scope, scopeID, author string }

func blockOf(m *workspace.Memory) block {
	norm := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
	return block{norm(m.Type), norm(m.Subtype), m.Scope.Kind, m.Scope.ID, norm(m.CreatedBy)}
}

// written is the block as it is written, from which its normal form follows.
func written(m *workspace.Memory) block {
	return block{m.Type, m.Subtype, m.Scope.Kind, m.Scope.ID, m.CreatedBy}
}

// blocks lists the covered memories of each block, oldest first.
func (p *planner) blocks() [][]int32 {
	known, at := map[block]int{}, map[block]int{}
	var all [][]int32
	for k, m := range p.live {
		b, ok := known[written(m)]
		if !ok {
			normal := blockOf(m)
			if b, ok = at[normal]; !ok {
				b = len(all)
				at[normal] = b
				all = append(all, nil)
			}
			known[written(m)] = b
		}
		all[b] = append(all[b], int32(k))
	}
	return all
}

// merge proposes to merge duplicates. The newest memory of a group survives;
// another joins only if it is similar to the survivor itself.
func (p *planner) merge() {
	found := make([]grouped, len(p.live)) // by survivor
	p.fresh()
	parts(p.blocks(), func(part []int32) { p.groups(part, found) })
	var groups []*group
	for _, k := range p.freshest {
		for _, sk := range found[k].skipped {
			p.note(sk)
		}
		if g := found[k].group; g != nil {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(a.oldest(), b.oldest()) })
	for _, g := range groups {
		g.propose(p)
	}
}

// fresh makes the order of the covered memories in which the freshest come first.
func (p *planner) fresh() {
	if p.freshest == nil {
		p.freshest = sorted(p.live, func(m *workspace.Memory) int64 { return -m.Newest().Unix() }, func(a, b *workspace.Memory) int { return fresher(b, a) })
	}
}

// grouped is what looking for the duplicates of one memory came to.
type grouped struct {
	group   *group // nil for none
	skipped []workspace.Skip
}

// groups finds the duplicates among the memories of one block. It changes nothing but
// found at the places of these: other blocks are worked on at the same time. An id
// that stands twice is in no group, so that nothing is claimed in two blocks.
func (p *planner) groups(part []int32, found []grouped) {
	own := *p
	own.noted = map[workspace.Skip]bool{}
	claimed := newBits(len(part))
	records := make([]similarity.Record, len(part))
	order := make([]int32, len(part))
	for k, i := range part {
		records[k] = similarity.Record{Tags: p.live[i].Tags, Text: p.features(i)}
		order[k] = int32(k)
	}
	memory := func(k int32) *workspace.Memory { return p.live[part[k]] }
	slices.SortStableFunc(order, func(a, b int32) int { return fresher(memory(b), memory(a)) })
	join := similarity.NewJoin(records, p.Settings.Merge.TagOverlap, p.Settings.Merge.ContentSimilarity)
	for _, k := range order {
		if claimed.has(k) || join.Alone(int(k)) || !says(memory(k)) {
			continue
		}
		own.skipped = nil
		g := &group{survivor: memory(k), at: part[k]}
		for _, pair := range join.Similar(int(k)) {
			j := int32(pair.A + pair.B - int(k))
			if !claimed.has(j) && (pair.Content < 1 || says(memory(j))) {
				g.add(&own, member{Memory: memory(j), at: part[j], index: j, pair: pair}, records[k].Text, records[j].Text)
			}
		}
		found[part[k]].skipped = own.skipped
		// What has left the join is not compared again, and what was prepared of its text is let go.
		join.Remove(int(k))
		records[k].Text = nil
		for _, m := range g.members {
			join.Remove(int(m.index))
			records[m.index].Text = nil
		}
		if taken := g.taken(); len(taken) > 0 {
			found[part[k]].group = g
			claimed.add(k)
			for _, m := range taken {
				claimed.add(m.index)
			}
		}
	}
}

// member is a memory similar to a group's survivor.
type member struct {
	*workspace.Memory
	at          int32 // among the covered memories
	index       int32 // among those of its block
	pair        similarity.Pair
	reason      string // flagged for review: why
	differences []string
}

// group is a survivor with its duplicates, or with those that a person has to
// decide about.
type group struct {
	survivor *workspace.Memory
	at       int32 // of the survivor, among the covered memories
	members  []member
	flagged  []member
}

// add puts an older memory where it belongs: among the duplicates, among those
// to be flagged, or nowhere.
func (g *group) add(p *planner, flag member, survivorText, text *similarity.Features) {
	m := flag.Memory
	if p.Review.Stands(g.survivor, m) {
		p.skip(m, workspace.RuleMerge, ReasonInReview, "waits for a decision, together with "+g.survivor.ID)
		return
	}
	if p.Review.KeptApart(g.survivor, m) {
		p.skip(m, workspace.RuleMerge, ReasonApart, "a person decided that it stays beside "+g.survivor.ID)
		return
	}
	if p.Parted(g.survivor, m) {
		p.skip(m, workspace.RuleMerge, ReasonApart, "its merge with "+g.survivor.ID+" was undone")
		return
	}
	// Asked for both, so that the plan names each memory that stopped the merge.
	admitted := p.late.has(flag.at) && p.justMerged(g.at) || p.admits(g.at, workspace.RuleMerge)
	if !p.admits(flag.at, workspace.RuleMerge) || !admitted {
		return
	}
	switch {
	case p.EditedSinceSeen(g.survivor) && p.EditedSinceSeen(m):
		flag.reason = "both_edited"
	case p.Settings.Merge.DistinctFacts != "latest-wins":
		for _, d := range similarity.Judge(text, survivorText, p.Settings.Merge.ContentSimilarity).Differences {
			flag.reason = "distinct_facts"
			flag.differences = append(flag.differences, describe(d))
		}
	}
	switch {
	case flag.reason == "":
		g.members = append(g.members, flag)
	case p.Review.Waits(m, p.Snapshot):
		p.skip(m, workspace.RuleMerge, ReasonInReview, "waits for a decision already")
	default:
		g.flagged = append(g.flagged, flag)
	}
}

// justMerged reports whether the memory at k is the survivor of a group that was too
// large for one run, so that the rest of the group may follow at once.
func (p *planner) justMerged(k int32) bool {
	reason, _ := p.excluded(p.live[k], workspace.RuleMerge, p.late.has(k))
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

// oldest is the oldest memory that is taken, by its position.
func (g *group) oldest() int32 {
	return slices.MinFunc(g.taken(), byAge).at
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
	c := &wider{
		build:   func() (workspace.Action, error) { return p.mergeAction(g) },
		refused: func(err error) { p.skip(g.survivor, workspace.RuleMerge, ReasonBroken, err.Error()) },
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
		a.Pairs = append(a.Pairs, workspace.NewPair(m.Memory, g.survivor, m.reason, m.differences, m.pair.TagOverlap, m.pair.Content))
	}
	a.MemoryIDs = append(a.MemoryIDs, g.survivor.ID)
	members := make([]int32, 0, len(g.flagged)+1)
	for _, m := range g.flagged {
		members = append(members, m.at)
	}
	low := slices.MinFunc(g.flagged, func(a, b member) int { return cmp.Compare(a.pair.Content, b.pair.Content) })
	a.TagOverlap, a.ContentSimilarity = round(low.pair.TagOverlap), round(low.pair.Content)
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
