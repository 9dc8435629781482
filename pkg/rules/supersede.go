package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ReasonSupersede is why a pair is flagged of which the newer updates the older.
const ReasonSupersede = "supersede"

// update is an older memory that a newer one seems to make untrue.
type update struct {
	older, newer  int32 // positions
	tags, content float64
	judgement     supersession.Judgement
}

// updated proposes, for review, that newer memories supersede older ones. It
// comes last, when the run is not full, and asks about nothing that another rule takes
// in this run.
func (p *planner) updated() {
	found := p.updates()
	for len(found) > 0 {
		n := 1
		for n < len(found) && found[n].newer == found[0].newer {
			n++
		}
		us := slices.DeleteFunc(slices.Clone(found[:n]), func(u update) bool { return p.claimed.has(u.older) || p.claimed.has(u.newer) || !p.asks(u) })
		if len(us) > 0 {
			p.proposeUpdates(us)
		}
		found = found[n:]
	}
}

// asks reports whether a person may be asked about an update, and notes in the
// plan when not.
func (p *planner) asks(u update) bool {
	older, newer := p.at(u.older), p.at(u.newer)
	together := "waits for a decision, together with " + newer.ID
	switch {
	case p.Review.Stands(newer, older):
		if !p.noted.has(p.skipped, workspace.Skip{MemoryID: older.ID, Rule: workspace.RuleMerge, Reason: ReasonInReview, Detail: together}) {
			p.skip(older.ID, workspace.RuleSupersede, ReasonInReview, together)
		}
		return false
	case p.Review.KeptApart(newer, older):
		p.skip(older.ID, workspace.RuleSupersede, ReasonApart, "a person decided that it stays beside "+newer.ID)
		return false
	case p.Parted(newer, older):
		p.skip(older.ID, workspace.RuleSupersede, ReasonApart, "its merge with "+newer.ID+" was undone")
		return false
	}
	// Asked for both, so that the plan names each memory that stopped the question.
	admitted := p.admits(u.newer, workspace.RuleSupersede)
	if !p.admits(u.older, workspace.RuleSupersede) || !admitted {
		return false
	}
	if p.Review.Waits(older, p.Snapshot) {
		p.skip(older.ID, workspace.RuleSupersede, ReasonInReview, "waits for a decision already")
		return false
	}
	return true
}

// proposeUpdates flags the older memories of one newer one. It changes no memory.
func (p *planner) proposeUpdates(us []update) {
	newer := p.at(us[0].newer)
	var members []int32
	a := workspace.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: workspace.RuleSupersede, Reason: ReasonSupersede,
		Detail: newer.ID + " seems to update what is older",
	}}
	slices.SortStableFunc(us, func(v, w update) int { return cmp.Compare(v.older, w.older) })
	tags, content := 1.0, 1.0
	for _, u := range us {
		members = append(members, u.older)
		older := p.at(u.older)
		evidence := []string{describeUpdate(u.judgement)}
		a.MemoryIDs = append(a.MemoryIDs, older.ID)
		a.Differences = append(a.Differences, evidence...)
		a.Pairs = append(a.Pairs, workspace.NewPair(older, newer, ReasonSupersede, evidence, *round(u.tags), *round(u.content)))
		tags, content = min(tags, u.tags), min(content, u.content)
	}
	a.MemoryIDs = append(a.MemoryIDs, newer.ID)
	a.TagOverlap, a.ContentSimilarity = round(tags), round(content)
	p.propose(&a, append(members, us[0].newer))
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
