package rules

import (
	"cmp"
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// RuleSupersede is the name of the rule that asks a person about updates.
const RuleSupersede = "supersede"

var superseding = rule{
	name: RuleSupersede, last: true, except: exceptions{decisions: true, inReview: true},
	does: "asks a person whether a newer memory replaces an older one; it changes nothing itself",
	pairs: &pairing{
		what: func(*state) string { return "a memory of the same scope that it updates, or that updates it" },
		find: findUpdate,
	},
	moments: untimed, // but for its age: see ofAge
	propose: proposeUpdates,
}

// findUpdate looks for an update that m takes part in. Nothing outside of its scope
// matters.
func findUpdate(st *state, m *memory.Memory, _ []Neighbour) (met bool, is string) {
	in := st.Request
	if in.Scope == nil && m.Scope.Kind != "session" {
		in.Scope = &m.Scope
	}
	for _, u := range updates(newState(st.Snapshot, in).cover()) {
		if u.newer.Memory == m || u.older.Memory == m {
			return true, u.newer.ID + " updates " + u.older.ID + ": " + describeUpdate(u.judgement)
		}
	}
	return false, "none"
}

// proposeUpdates proposes, for review, that newer memories supersede older ones. It
// comes last, when the run is not full, and asks about nothing that another rule takes
// in this run.
func proposeUpdates(p *proposer) {
	for found := updates(p.state); len(found) > 0; {
		n := 1
		for n < len(found) && found[n].newer == found[0].newer {
			n++
		}
		us := slices.DeleteFunc(slices.Clone(found[:n]), func(u update) bool {
			return u.older.claimed || u.newer.claimed || !mayAsk(p, u)
		})
		if len(us) > 0 {
			if r, ok := Rejected(p.Snapshot, us[0].newer.Memory); ok {
				us = slices.DeleteFunc(us, func(u update) bool { return u.older.Memory != r.Holds })
				for i := range us {
					us[i].older, us[i].newer, us[i].evidence = us[i].newer, us[i].older, r.Evidence()
				}
			}
		}
		if len(us) > 0 {
			flagUpdates(p, us)
		}
		found = found[n:]
	}
}

// mayAsk reports whether a person may be asked about an update, and notes in the
// plan when not.
func mayAsk(p *proposer, u update) bool {
	older, newer := u.older, u.newer
	together := "waits for a decision, together with " + newer.ID
	switch {
	case decided(older.Memory, newer.Memory): // by a link since the two were judged
		return false
	case p.Review.Pending(newer.Memory, older.Memory):
		if !p.has[memory.Skip{MemoryID: older.ID, Rule: RuleMerge, Reason: ReasonInReview, Detail: together}] {
			p.skip(older.ID, ReasonInReview, together)
		}
		return false
	case keepBothReason(p.state, newer.Memory, older.Memory) != "":
		p.skip(older.ID, ReasonApart, keepBothReason(p.state, newer.Memory, older.Memory))
		return false
	}
	// Both are asked, so that the plan names each memory that stopped the question.
	admitted := p.admits(newer)
	if !p.admits(older) || !admitted {
		return false
	}
	if p.Review.Waits(older.Memory, p.Snapshot) {
		p.skip(older.ID, ReasonInReview, "waits for a decision already")
		return false
	}
	return true
}

// flagUpdates flags the older memories of one newer one. It changes no memory.
func flagUpdates(p *proposer, us []update) {
	newer := us[0].newer
	var about []*subject
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: RuleSupersede, Reason: ReasonSupersede,
		Detail: newer.ID + " seems to update what is older",
	}}
	slices.SortStableFunc(us, func(v, w update) int { return cmp.Compare(v.older.n, w.older.n) })
	tags, content := 1.0, 1.0
	for _, u := range us {
		about = append(about, u.older)
		evidence := []string{cmp.Or(u.evidence, describeUpdate(u.judgement))}
		a.MemoryIDs = append(a.MemoryIDs, u.older.ID)
		a.Differences = append(a.Differences, evidence...)
		a.Pairs = append(a.Pairs, memory.NewPair(u.older.Memory, newer.Memory, ReasonSupersede, evidence, *oplog.Score(u.tags), *oplog.Score(u.content)))
		tags, content = min(tags, u.tags), min(content, u.content)
	}
	a.MemoryIDs = append(a.MemoryIDs, newer.ID)
	a.TagOverlap, a.ContentSimilarity = oplog.Score(tags), oplog.Score(content)
	p.question(&a, append(about, newer))
}
