package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// ReasonSupersede is why a pair is flagged of which the newer updates the older.
const ReasonSupersede = "supersede"

// Supersede is the name of the rule that asks a person about updates.
const Supersede = "supersede"

var superseding = rule{
	name: Supersede, last: true, decisions: true, inReview: true,
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

// update is an older memory that a newer one seems to make untrue.
type update struct {
	older, newer  *subject
	tags, content float64
	judgement     supersession.Judgement
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
		us := slices.DeleteFunc(slices.Clone(found[:n]), func(u update) bool { return u.older.claimed || u.newer.claimed || !asks(p, u) })
		if len(us) > 0 {
			flagUpdates(p, us)
		}
		found = found[n:]
	}
}

// asks reports whether a person may be asked about an update, and notes in the
// plan when not.
func asks(p *proposer, u update) bool {
	older, newer := u.older, u.newer
	together := "waits for a decision, together with " + newer.ID
	switch {
	case p.Review.Pending(newer.Memory, older.Memory):
		if !p.has[memory.Skip{MemoryID: older.ID, Rule: Merge, Reason: ReasonInReview, Detail: together}] {
			p.skip(older.ID, ReasonInReview, together)
		}
		return false
	case keptApart(p.state, newer.Memory, older.Memory) != "":
		p.skip(older.ID, ReasonApart, keptApart(p.state, newer.Memory, older.Memory))
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
		Type: oplog.Review, Rule: Supersede, Reason: ReasonSupersede,
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
	p.question(&a, append(about, newer))
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

// byScope compares the memories of a scope with each other, whatever their type, as texts that name each other are.
func byScope(kind byte) search {
	return search{kind: kind, block: func(m *memory.Memory) (block, bool) {
		return block{scope: m.Scope.Kind, scopeID: m.Scope.ID}, m.Type != memory.Working
	}}
}

// toldUpdates finds the memories that tell of a change from what an older one of their scope says: "switched from … to …".
func toldUpdates(st *state) []update {
	s := byScope('t')
	blocks := blocksOf(st, s)
	found := make([][]update, len(blocks))
	parallel.Tasks(len(blocks), func(i int) {
		members := slices.SortedFunc(slices.Values(blocks[i]), freshestFirst)
		if st.progress.step(len(members)) {
			found[i] = toldIn(st, s, members)
		}
	})
	return slices.Concat(found...)
}

// toldIn looks at the memories of one scope, from the freshest to the oldest.
func toldIn(st *state, s search, members []*subject) (us []update) {
	var marked []int
	for i, m := range members {
		if derivedOf(m.Memory).changes {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	key := st.Memo.key(s, members)
	known := st.Memo.lookUp(key, len(members))
	if known == nil {
		known = &comparison{pairs: make([][]*pair, len(members))}
		for _, c := range supersession.Corrections(len(members), marked, func(i int) supersession.Note { return note(members[i].Memory) }) {
			a, b := members[c.Newer].Memory, members[c.Older].Memory
			known.pairs[c.Newer] = append(known.pairs[c.Newer], &pair{
				other: c.Older, content: similarity.Content(similarity.Prepare(a.Text()), similarity.Prepare(b.Text())),
				judged: true, verdict: verdict(c.Judgement),
			})
		}
	}
	if st.progress.err == nil {
		st.Memo.keep(key, known)
	}
	for newer, pairs := range known.pairs {
		for _, c := range pairs {
			u := update{older: members[c.other], newer: members[newer], content: c.content, judgement: judgementOf(c.verdict)}
			if u.older.Type != memory.Episodic && u.older.Newest().Before(u.newer.Newest()) && !decided(u.older.Memory, u.newer.Memory) {
				us = append(us, u)
			}
		}
	}
	return us
}
