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
func block(m *workspace.Memory) string {
	norm := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
	return strings.Join([]string{norm(m.Type), norm(m.Subtype), m.Scope.Kind, m.Scope.ID, norm(m.CreatedBy)}, "\x00")
}

// merge proposes to merge duplicates. The newest memory of a group survives;
// another joins only if it is similar to the survivor itself.
func (p *planner) merge() {
	texts := p.wording()
	found := make([]grouped, len(texts)) // by survivor
	keys := make([]string, len(texts))
	each(len(texts), func(i int) { keys[i] = block(texts[i].Memory) })
	parts(len(texts), func(i int) string { return keys[i] }, func(part []int) { p.groups(texts, part, found) })
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return fresher(texts[b].Memory, texts[a].Memory) })
	var groups []*group
	for _, i := range order {
		for _, sk := range found[i].skipped {
			p.note(sk)
		}
		if g := found[i].group; g != nil {
			groups = append(groups, g)
			for _, id := range g.ids() {
				p.claimed[id] = true
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return older(a.oldest(), b.oldest()) })
	for _, g := range groups {
		g.propose(p)
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
func (p *planner) groups(texts []worded, part []int, found []grouped) {
	own := *p
	own.claimed, own.noted = map[string]bool{}, map[workspace.Skip]bool{}
	records := make([]similarity.Record, len(part))
	order := make([]int, len(part))
	for k, i := range part {
		records[k] = similarity.Record{Tags: texts[i].Tags, Text: texts[i].features.Again()}
		order[k] = k
	}
	memory := func(k int) *workspace.Memory { return texts[part[k]].Memory }
	slices.SortFunc(order, func(a, b int) int { return fresher(memory(b), memory(a)) })
	join := similarity.NewJoin(records, p.Settings.Merge.TagOverlap, p.Settings.Merge.ContentSimilarity)
	for _, k := range order {
		if own.claimed[memory(k).ID] {
			continue
		}
		own.skipped = nil
		g := &group{survivor: memory(k)}
		for _, pair := range join.Similar(k) {
			j := pair.A + pair.B - k
			g.add(&own, member{Memory: memory(j), index: j, pair: pair}, records[k].Text, records[j].Text)
		}
		found[part[k]].skipped = own.skipped
		// What has left the join is not compared again, and what was prepared of its text is let go.
		join.Remove(k)
		records[k].Text = nil
		for _, m := range g.members {
			join.Remove(m.index)
			records[m.index].Text = nil
		}
		if len(g.members)+len(g.flagged) > 0 {
			found[part[k]].group = g
			for _, id := range g.ids() {
				own.claimed[id] = true
			}
		}
	}
}

// fresher orders memories by updated_at, then created_at, then id.
func fresher(a, b *workspace.Memory) int {
	if c := a.Newest().Compare(b.Newest()); c != 0 {
		return c
	}
	if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// member is a memory similar to a group's survivor.
type member struct {
	*workspace.Memory
	index       int // among the records of the join
	pair        similarity.Pair
	reason      string // flagged for review: why
	differences []string
}

// group is a survivor with its duplicates, or with those that a person has to
// decide about.
type group struct {
	survivor *workspace.Memory
	members  []member
	flagged  []member
}

// add puts an older memory where it belongs: among the duplicates, among those
// to be flagged, or nowhere.
func (g *group) add(p *planner, flag member, survivorText, text *similarity.Features) {
	m := flag.Memory
	if p.claimed[m.ID] {
		return
	}
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
	admitted := p.late[m.ID] && p.justMerged(g.survivor) || p.admits(g.survivor, workspace.RuleMerge)
	if !p.admits(m, workspace.RuleMerge) || !admitted {
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

// justMerged reports whether m is the survivor of a group that was too large for
// one run, so that the rest of the group may follow at once.
func (p *planner) justMerged(m *workspace.Memory) bool {
	reason, _ := p.excluded(m, workspace.RuleMerge)
	return reason == ReasonJustNow
}

// ids lists the memories that the group's action takes: while there are
// duplicates to merge, those to be flagged wait for the next run.
func (g *group) ids() []string {
	ids := []string{g.survivor.ID}
	for _, m := range g.taken() {
		ids = append(ids, m.ID)
	}
	return ids
}

func (g *group) taken() []member {
	if len(g.members) > 0 {
		return g.members
	}
	return g.flagged
}

func (g *group) oldest() *workspace.Memory {
	return slices.MinFunc(g.taken(), func(a, b member) int { return older(a.Memory, b.Memory) }).Memory
}

// propose turns the group into an action.
func (g *group) propose(p *planner) {
	slices.SortStableFunc(g.members, func(a, b member) int { return older(a.Memory, b.Memory) })
	slices.SortStableFunc(g.flagged, func(a, b member) int { return older(a.Memory, b.Memory) })
	if len(g.members) == 0 {
		g.review(p)
		return
	}
	// A group larger than a whole run is merged in parts, the oldest first.
	var late []string
	if most := max(p.Settings.Run.Limit-1, 1); len(g.members) > most {
		for _, m := range g.members[most:] {
			late = append(late, m.ID)
		}
		g.members = g.members[:most]
	}
	c := candidate{
		cost: len(g.members) + 1, late: late,
		build:   func() (workspace.Action, error) { return p.mergeAction(g) },
		refused: func(err error) { p.skip(g.survivor, workspace.RuleMerge, ReasonBroken, err.Error()) },
	}
	for _, m := range g.members {
		c.members = append(c.members, m.ID)
	}
	c.members = append(c.members, g.survivor.ID)
	p.consider(c)
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
	low := slices.MinFunc(g.flagged, func(a, b member) int { return cmp.Compare(a.pair.Content, b.pair.Content) })
	a.TagOverlap, a.ContentSimilarity = round(low.pair.TagOverlap), round(low.pair.Content)
	p.propose(a, 0)
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
