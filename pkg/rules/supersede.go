package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// ReasonSupersede is why a pair is flagged of which the newer updates the older.
const ReasonSupersede = "supersede"

// explainSupersede looks for an update that m takes part in. Nothing outside of its scope
// matters.
func explainSupersede(p *planner, m *memory.Memory, _ []Neighbour) []Condition {
	in := p.Request
	if in.Scope == nil && m.Scope.Kind != "session" {
		in.Scope = &m.Scope
	}
	met, is := false, "none"
	for _, u := range newPlanner(p.Snapshot, in).cover().updates() {
		if u.newer.Memory == m || u.older.Memory == m {
			met, is = true, u.newer.ID+" updates "+u.older.ID+": "+describeUpdate(u.judgement)
			break
		}
	}
	return []Condition{{met, "a memory of the same scope that it updates, or that updates it", is}}
}

// update is an older memory that a newer one seems to make untrue.
type update struct {
	older, newer  *subject
	tags, content float64
	judgement     supersession.Judgement
}

// supersede proposes, for review, that newer memories supersede older ones. It
// comes last, when the run is not full, and asks about nothing that another rule takes
// in this run.
func (p *planner) supersede() {
	for found := p.updates(); len(found) > 0; {
		n := 1
		for n < len(found) && found[n].newer == found[0].newer {
			n++
		}
		us := slices.DeleteFunc(slices.Clone(found[:n]), func(u update) bool { return u.older.claimed || u.newer.claimed || !p.asks(u) })
		if len(us) > 0 {
			p.proposeUpdates(us)
		}
		found = found[n:]
	}
}

// asks reports whether a person may be asked about an update, and notes in the
// plan when not.
func (p *planner) asks(u update) bool {
	older, newer := u.older, u.newer
	together := "waits for a decision, together with " + newer.ID
	switch {
	case p.Review.Pending(newer.Memory, older.Memory):
		if !p.has[memory.Skip{MemoryID: older.ID, Rule: memory.RuleMerge, Reason: ReasonInReview, Detail: together}] {
			p.skip(older.ID, memory.RuleSupersede, ReasonInReview, together)
		}
		return false
	case p.Review.KeptApart(newer.Memory, older.Memory):
		p.skip(older.ID, memory.RuleSupersede, ReasonApart, "a person decided that it stays beside "+newer.ID)
		return false
	case p.Parted(newer.Memory, older.Memory):
		p.skip(older.ID, memory.RuleSupersede, ReasonApart, "its merge with "+newer.ID+" was undone")
		return false
	}
	// Both are asked, so that the plan names each memory that stopped the question.
	admitted := p.admits(newer, memory.RuleSupersede)
	if !p.admits(older, memory.RuleSupersede) || !admitted {
		return false
	}
	if p.Review.Waits(older.Memory, p.Snapshot) {
		p.skip(older.ID, memory.RuleSupersede, ReasonInReview, "waits for a decision already")
		return false
	}
	return true
}

// proposeUpdates flags the older memories of one newer one. It changes no memory.
func (p *planner) proposeUpdates(us []update) {
	newer := us[0].newer
	var about []*subject
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: memory.RuleSupersede, Reason: ReasonSupersede,
		Detail: newer.ID + " seems to update what is older",
	}}
	slices.SortStableFunc(us, func(v, w update) int { return cmp.Compare(v.older.n, w.older.n) })
	tags, content := 1.0, 1.0
	for _, u := range us {
		about = append(about, u.older)
		evidence := []string{describeUpdate(u.judgement)}
		a.MemoryIDs = append(a.MemoryIDs, u.older.ID)
		a.Differences = append(a.Differences, evidence...)
		a.Pairs = append(a.Pairs, memory.NewPair(u.older.Memory, newer.Memory, ReasonSupersede, evidence, *round(u.tags), *round(u.content)))
		tags, content = min(tags, u.tags), min(content, u.content)
	}
	a.MemoryIDs = append(a.MemoryIDs, newer.ID)
	a.TagOverlap, a.ContentSimilarity = round(tags), round(content)
	p.propose(&a, append(about, newer))
}

// describeUpdate says in a few words what shows that one text updates another.
func describeUpdate(j supersession.Judgement) string {
	switch {
	case j.Old != "" && j.New != "" && j.Cue != supersession.CueStated:
		return j.Cue + ": " + strconv.Quote(excerpt(j.Old)) + " became " + strconv.Quote(excerpt(j.New))
	case j.NewerSentence != "":
		return j.Cue + ": " + strconv.Quote(excerpt(j.NewerSentence))
	}
	return j.Cue + ": the older says " + strconv.Quote(excerpt(j.OlderSentence))
}

// excerpt cuts a piece of evidence to what a line holds.
func excerpt(text string) string {
	const most = 120
	if r := []rune(strings.Join(strings.Fields(text), " ")); len(r) > most {
		return string(r[:most-1]) + "…"
	} else {
		return string(r)
	}
}
