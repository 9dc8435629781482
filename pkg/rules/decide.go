package rules

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// Verdicts on a flagged pair, besides [review.KeepBoth] and keeping one.
const (
	VerdictMerge     = "merge"     // the two are one memory after all
	VerdictSupersede = "supersede" // the newer holds from now on, the older is archived
)

// Decide builds the action by which a person settles a flagged pair: keep is the
// id of the one that stays ("" with another verdict). No exclusion applies, since
// somebody asks for it by name; a record that can't be edited safely is an error.
func Decide(s *memory.Snapshot, r Request, pair review.Pair, verdict, keep string) (memory.Action, error) {
	p := newPlanner(s, r)
	a, b := s.Live(pair.A), s.Live(pair.B)
	if a == nil || b == nil {
		return memory.Action{}, fmt.Errorf("%s: %s and %s don't both stand any more", pair.ID(), pair.A, pair.B)
	}
	if pair.Reason == ReasonCopy {
		return p.decideCopy(pair, verdict, keep)
	}
	if b.Conflicted && pair.A == b.ConflictPair().A {
		return p.decideConflict(b, pair, verdict, keep)
	}
	decision := review.Decision{Pair: pair, Verdict: verdict}
	var action memory.Action
	var err error
	switch {
	case verdict == review.KeepBoth:
		action.Action = oplog.Action{Type: oplog.Decide, Rule: memory.RuleManual, MemoryIDs: []string{a.ID, b.ID}, Reason: review.KeepBoth}
	case verdict == VerdictMerge:
		if fresher(a, b) > 0 {
			a, b = b, a
		}
		older := member{subject: &subject{Memory: a}, tags: pair.TagOverlap, content: pair.ContentSimilarity}
		action, err = p.mergeAction(&group{survivor: &subject{Memory: b}, members: []member{older}})
		action.Rule, action.Reason = memory.RuleManual, "decided by a person"
	case verdict == VerdictSupersede:
		action, err = p.archiveFor(b, a)
		action.Detail = "a person accepted that " + b.ID + " supersedes it"
	case keep == a.ID:
		action, err = p.archiveFor(a, b)
		decision.Verdict = "keep " + keep
	case keep == b.ID:
		action, err = p.archiveFor(b, a)
		decision.Verdict = "keep " + keep
	default:
		return memory.Action{}, fmt.Errorf("%s is none of %s and %s", keep, a.ID, b.ID)
	}
	action.Decisions = []review.Decision{decision}
	action.Edges = settleEdges(s, pair, decision.Verdict)
	return action, err
}

// settleEdges is what becomes of judged edges that say the newer of a pair supersedes the older: with a record that says so they leave the
// file, and where both stay nobody is to propose them again.
func settleEdges(s *memory.Snapshot, pair review.Pair, verdict string) (changes []edgefile.Change) {
	if s.Edges == nil {
		return nil
	}
	for _, e := range s.Edges() {
		if e.Type != edgefile.Supersedes || e.Rejected || review.Key(e.From, e.To) != review.Key(pair.A, pair.B) {
			continue
		}
		change := edgefile.Change{File: e.File, Name: e.Name, Was: e.Raw}
		if verdict == review.KeepBoth {
			e.By, e.Rejected = edgefile.User, true
			change.Now = e.JSON()
		}
		changes = append(changes, change)
	}
	return changes
}

// archiveFor archives a memory in favour of another, whose content stays as it is.
func (p *planner) archiveFor(stays, goes *memory.Memory) (memory.Action, error) {
	supersedes := slices.Clone(stays.Supersedes)
	if !slices.Contains(supersedes, goes.ID) {
		supersedes = append(supersedes, goes.ID)
	}
	kept, err := stays.Edit(jsonedit.Set(jsonedit.Strings(supersedes), "supersedes"))
	if err != nil {
		return memory.Action{}, err
	}
	gone, err := goes.Edit(jsonedit.Set(link(goes, "superseded_by", goes.SupersededBy, stays.ID), "superseded_by"))
	if err != nil {
		return memory.Action{}, err
	}
	op := p.files.Archive(goes, gone)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: goes.ID, ResultID: stays.ID,
			From: goes.Ref.String(), To: op.To.File, Reason: "superseded", Detail: "a person kept " + stays.ID,
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: stays.ID, Ref: stays.Ref, Base: stays.Digest(), Raw: kept}, op},
	}, nil
}
