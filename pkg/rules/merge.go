package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
)

// duplicateBlock is what duplicates have in common: type, subtype, scope and author.
// Memories that differ in one of them stay separate.
func duplicateBlock(m *memory.Memory) block {
	norm := func(s string) string { return text.FoldName(strings.TrimSpace(s)) }
	return block{norm(m.Type), norm(m.Subtype), m.Scope.Kind, m.Scope.ID, norm(m.CreatedBy)}
}

// areDuplicates reports whether the scores of two memories of one block make them duplicates.
func areDuplicates(st *state, tags, content float64) bool {
	return tags > st.Settings.Merge.TagOverlap && content > st.Settings.Merge.ContentSimilarity
}

var merging = rule{
	name: RuleMerge, runs: allRuns, except: exceptions{inReview: true},
	does: "merges duplicates into the newest of them and archives the others; where their facts differ, a person is asked",
	pairs: &pairing{
		what: func(st *state) string {
			set := st.Settings.Merge
			return fmt.Sprintf("a memory of the same type, subtype, scope and author with tag overlap > %.2f and content similarity > %.2f", set.TagOverlap, set.ContentSimilarity)
		},
		find: nearestDuplicate,
	},
	moments: untimed, // but for its age: see ofAge
	propose: proposeMerges,
}

// nearestDuplicate reports whether a neighbour of a memory is a duplicate of it, and describes the nearest one.
func nearestDuplicate(st *state, _ *memory.Memory, near []Neighbour) (met bool, is string) {
	is = "none"
	for _, n := range near {
		met = met || n.Apart == "" && areDuplicates(st, n.TagOverlap, n.ContentSimilarity)
	}
	if len(near) > 0 {
		n := near[0]
		is = fmt.Sprintf("%s: tags %.2f, content %.2f", n.MemoryID, n.TagOverlap, n.ContentSimilarity)
		if n.Apart != "" {
			is += ", " + n.Apart
		}
	}
	return met, is
}

// proposeMerges proposes to merge duplicates. The newest memory of a group survives; another one
// joins only if it is similar to the survivor itself. Where two state different facts, a
// person is asked.
func proposeMerges(p *proposer) {
	proposeCopies(p)
	withdrawSeries(p)
	groups := searchSimilar(p.state, search{
		kind:        'm',
		block:       func(m *memory.Memory) (block, bool) { return duplicateBlock(m), true },
		tags:        p.Settings.Merge.TagOverlap,
		content:     p.Settings.Merge.ContentSimilarity,
		oldestFirst: true,
	}, func(v *visit) ([]*subject, *group) {
		g := newGroup(p, v)
		return append(g.takes(), g.passed...), g
	})
	for _, g := range groups {
		for _, sk := range g.skipped {
			p.findings.skip(sk)
		}
	}
	groups = slices.DeleteFunc(groups, func(g *group) bool { return len(g.takes()) == 0 })
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(a.takes()[0].n, b.takes()[0].n) })
	for _, g := range groups {
		proposeGroup(p, g)
	}
}

// newGroup puts a memory together with its duplicates. It changes nothing: other blocks are
// searched at the same time.
func newGroup(p *proposer, v *visit) *group {
	g := &group{survivor: v.of, waits: p.inReview(v.of.Memory)}
	for i := range v.pairs {
		if m := v.pairs[i].Memory; g.waits == "" && exactCopy(m, v.of.Memory) {
			g.waits = p.inReview(m) // the survivor takes its place
		}
	}
	for i := range v.pairs {
		if m := &v.pairs[i]; !m.claimed && !v.of.claimed && mergeable(p, g, m.subject) {
			joinGroup(p, g, v, m)
		}
	}
	flagged := g.flagged
	g.flagged = nil
	for _, m := range flagged {
		if valueBefore(p, g, v.pairs, flagged, m) {
			g.passed = append(g.passed, m.subject)
		} else {
			g.flagged = append(g.flagged, m)
		}
	}
	if len(g.members) == 0 && len(g.flagged) > 0 {
		g.question = askAbout(g)
	}
	return g
}

// valueBefore reports whether a memory has a value of a subject of which a newer memory has another value, and a person decides about that one and
// the survivor first; and notes it. One question at a time is enough. Where nobody decides about the newer one, because both stay or it is excluded,
// the older one is compared with the survivor itself.
func valueBefore(p *proposer, g *group, pairs []similarTo, flagged []member, m member) bool {
	if m.reason != ReasonDistinct {
		return false
	}
	for i := range pairs {
		other := &pairs[i]
		if other.subject == m.subject || freshestFirst(other.subject, m.subject) > 0 || !p.sameTemplate(other.Memory, m.Memory) || !p.sameTemplate(other.Memory, g.survivor.Memory) {
			continue
		}
		waits := p.Review.Pending(g.survivor.Memory, other.Memory)
		if waits || slices.ContainsFunc(flagged, func(f member) bool { return f.subject == other.subject && f.reason == ReasonDistinct }) {
			g.skip(m.ID, ReasonInReview, "has an older value of what "+other.ID+" says, which is compared with "+g.survivor.ID+" first")
			return true
		}
	}
	return false
}

// admits reports whether the rule may change m, and notes when it may not.
func (g *group) admits(p *proposer, m *subject) bool {
	reason, detail := p.excluded(m, p.rule.except)
	if reason != "" {
		g.skip(m.ID, reason, detail)
	}
	return reason == ""
}

// mergeable reports whether the exclusions and a person's decisions let a memory be merged
// into the survivor of a group.
func mergeable(p *proposer, g *group, m *subject) bool {
	s := g.survivor
	switch {
	case p.Review.Pending(s.Memory, m.Memory):
		g.skip(m.ID, ReasonInReview, "waits for a decision, together with "+s.ID)
		g.skip(s.ID, ReasonInReview, "waits for a decision, together with "+m.ID)
		return false
	case mentioned(p.state, m.Memory) != "":
		g.skip(m.ID, ReasonMentioned, mentioned(p.state, m.Memory))
		return false
	case keepBothReason(p.state, s.Memory, m.Memory) != "":
		g.skip(m.ID, ReasonApart, keepBothReason(p.state, s.Memory, m.Memory))
		return false
	}
	if !exactCopy(m.Memory, s.Memory) && (ttlPassed(p.state, s.Memory) || ttlPassed(p.state, m.Memory)) {
		return false // what has expired is archived, and takes nothing with it
	}
	// Both are asked, so that the plan names each memory that stopped the merge.
	admitted := m.late && justMerged(p, s) || g.admits(p, s)
	return g.admits(p, m) && admitted
}

// keepBothReason says how a person has settled that a memory stays next to another one; "" where nobody has.
func keepBothReason(st *state, stays, m *memory.Memory) string {
	switch {
	case st.Review.DecidedKeepBoth(stays, m):
		return "a person decided that it stays beside " + stays.ID
	case st.MergeUndone(stays, m):
		return "its merge with " + stays.ID + " was undone"
	}
	return ""
}

// justMerged reports whether m is the survivor of a group that was too large for one run,
// so that the rest of the group may follow at once.
func justMerged(p *proposer, m *subject) bool {
	reason, _ := p.excluded(m, p.rule.except)
	return reason == ReasonJustNow
}

// edited reports whether the memory's text or tags differ from what the last run that saw it left. A memory
// that no run has seen is not edited.
func edited(st *state, m *subject) bool {
	if st.Seen == nil {
		return false
	}
	noted, ok := st.Seen()[m.ID]
	return ok && m.EditedSince(noted)
}

// joinGroup puts a memory among the duplicates or among those to be flagged, unless a person is
// asked about it already.
func joinGroup(p *proposer, g *group, v *visit, pair *similarTo) {
	m := member{subject: pair.subject, tags: pair.tags, content: pair.content}
	switch {
	case edited(p.state, g.survivor) && edited(p.state, m.subject):
		m.reason = memory.ReasonBothEdited
	case p.Settings.Merge.Differences != "latest-wins":
		m.differences = pair.judge(func() []string { return differencesOnce(p.state, m.Memory, v.of.Memory) })
		if m.differences != nil {
			if records := p.seriesOf(v.of.Memory, m.Memory); records != nil {
				g.findings.skip(records.skip(RuleMerge))
				return
			}
			m.reason = ReasonDistinct
		}
	}
	if m.reason == "" {
		raw, err := survive(p.state, v.of.Memory, append(slices.Clone(g.members), m))
		switch {
		case errors.Is(err, memory.ErrTooManyVariants):
			m.reason, m.differences = ReasonWording, []string{err.Error()}
		case err == nil && v.of.IsNote() && moreSaid(v.of.Memory, raw):
			m.reason, m.differences = ReasonWording, []string{"the host reads the note alone, which would lack what the other one says"}
		}
	}
	switch waits := or(p.inReview(m.Memory), g.waits); {
	case m.reason == "" && waits != "" && (!exactCopy(m.Memory, v.of.Memory) || waitTogether(p.state, m.Memory, v.of.Memory)):
		g.skip(m.ID, ReasonInReview, waits)
		g.skip(v.of.ID, ReasonInReview, or(p.inReview(v.of.Memory), "is like "+m.ID+", which waits for a decision"))
	case m.reason == "":
		g.members = append(g.members, m)
	case p.Review.Waits(m.Memory, p.Snapshot):
		g.skip(m.ID, ReasonInReview, "waits for a decision already")
	default:
		g.flagged = append(g.flagged, m)
	}
}

// proposeGroup proposes the merge, or the question to a person.
func proposeGroup(p *proposer, g *group) {
	if g.question != nil {
		p.question(g.question, append(g.takes(), g.survivor))
		return
	}
	considerMerge(p, g, "")
}

// considerMerge takes the merge of a group into the plan. A group larger than a whole run is merged in parts, the first members first.
func considerMerge(p *proposer, g *group, detail string) {
	about := append(g.takes(), g.survivor)
	c := candidate{about: about}
	if most := max(p.most-1, 1); len(g.members) > most {
		c.about, c.late = append(slices.Clone(about[:most]), g.survivor), about[most:len(about)-1]
		g.members = g.members[:most]
	}
	c.cost = len(c.about)
	c.build = func() (memory.Action, error) {
		if err := p.parts(g); err != nil {
			return memory.Action{}, err
		}
		a, err := mergeAction(p.state, g)
		if err == nil {
			a.Detail = detail
			p.merges(g)
		}
		return a, err
	}
	c.refused = func(err error) { p.skip(g.survivor.ID, whyRefused(err), err.Error()) }
	p.consider(c)
}

// askAbout flags the pairs of a group for a person's decision. It changes no memory.
func askAbout(g *group) *memory.Action {
	a := &memory.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: RuleMerge, Reason: g.flagged[0].reason,
		Detail: "similar, but a person has to decide",
	}}
	for _, m := range g.flagged {
		a.MemoryIDs = append(a.MemoryIDs, m.ID)
		for _, d := range m.differences {
			if !slices.Contains(a.Differences, d) {
				a.Differences = append(a.Differences, d)
			}
		}
		a.Pairs = append(a.Pairs, memory.NewPair(m.Memory, g.survivor.Memory, m.reason, m.differences, m.tags, m.content))
	}
	a.MemoryIDs = append(a.MemoryIDs, g.survivor.ID)
	low := slices.MinFunc(g.flagged, func(a, b member) int { return cmp.Compare(a.content, b.content) })
	a.TagOverlap, a.ContentSimilarity = oplog.Score(low.tags), oplog.Score(low.content)
	return a
}
