package rules

import (
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
	older, newer  *workspace.Memory
	tags, content float64
	judgement     supersession.Judgement
}

// updated proposes, for review, that newer memories supersede older ones. It
// comes last and asks about nothing that another rule takes in this run.
func (p *planner) updated() {
	if !p.Settings.Supersede.Propose {
		return
	}
	free := func(a, b *workspace.Memory) bool { return !p.claimed[a.ID] && !p.claimed[b.ID] }
	found := p.updates()
	for len(found) > 0 {
		n := 1
		for n < len(found) && found[n].newer == found[0].newer {
			n++
		}
		us := slices.DeleteFunc(slices.Clone(found[:n]), func(u update) bool { return !free(u.older, u.newer) || !p.asks(u) })
		if len(us) > 0 {
			p.proposeUpdates(us)
		}
		found = found[n:]
	}
}

// asks reports whether a person may be asked about an update, and notes in the
// plan when not.
func (p *planner) asks(u update) bool {
	together := "waits for a decision, together with " + u.newer.ID
	switch {
	case p.Review.Stands(u.newer, u.older):
		if !p.noted[workspace.Skip{MemoryID: u.older.ID, Rule: workspace.RuleMerge, Reason: ReasonInReview, Detail: together}] {
			p.skip(u.older, workspace.RuleSupersede, ReasonInReview, together)
		}
		return false
	case p.Review.KeptApart(u.newer, u.older):
		p.skip(u.older, workspace.RuleSupersede, ReasonApart, "a person decided that it stays beside "+u.newer.ID)
		return false
	case p.Parted(u.newer, u.older):
		p.skip(u.older, workspace.RuleSupersede, ReasonApart, "its merge with "+u.newer.ID+" was undone")
		return false
	}
	// Asked for both, so that the plan names each memory that stopped the question.
	admitted := p.admits(u.newer, workspace.RuleSupersede)
	if !p.admits(u.older, workspace.RuleSupersede) || !admitted {
		return false
	}
	if p.Review.Waits(u.older, p.Snapshot) {
		p.skip(u.older, workspace.RuleSupersede, ReasonInReview, "waits for a decision already")
		return false
	}
	return true
}

// proposeUpdates flags the older memories of one newer one. It changes no memory.
func (p *planner) proposeUpdates(us []update) {
	newer := us[0].newer
	a := workspace.Action{Action: oplog.Action{
		Type: oplog.Review, Rule: workspace.RuleSupersede, Reason: ReasonSupersede,
		Detail: newer.ID + " seems to update what is older",
	}}
	slices.SortStableFunc(us, func(v, w update) int { return older(v.older, w.older) })
	tags, content := 1.0, 1.0
	for _, u := range us {
		evidence := []string{describeUpdate(u.judgement)}
		a.MemoryIDs = append(a.MemoryIDs, u.older.ID)
		a.Differences = append(a.Differences, evidence...)
		a.Pairs = append(a.Pairs, workspace.NewPair(u.older, newer, ReasonSupersede, evidence, *round(u.tags), *round(u.content)))
		tags, content = min(tags, u.tags), min(content, u.content)
	}
	a.MemoryIDs = append(a.MemoryIDs, newer.ID)
	a.TagOverlap, a.ContentSimilarity = round(tags), round(content)
	p.propose(a, 0)
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
