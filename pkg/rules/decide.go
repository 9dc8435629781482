package rules

import (
	"fmt"
	"path"
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
	st := newState(s, r)
	a, b := s.Sides(pair)
	if a == nil || b == nil {
		return memory.Action{}, fmt.Errorf("%s: %s and %s don't both stand any more", pair.ID(), pair.A, pair.B)
	}
	if pair.Reason == ReasonCopy {
		return decideCopy(st, pair, a, b, verdict, keep)
	}
	if memory.IsMergeConflict(pair) {
		return decideConflict(st, b, pair, verdict, keep)
	}
	decision := review.Decision{Pair: pair, Verdict: verdict}
	var action memory.Action
	var err error
	switch {
	case verdict == review.KeepBoth:
		action.Action = oplog.Action{Type: oplog.Decide, Rule: memory.RuleManual, MemoryIDs: []string{a.ID, b.ID}, Reason: review.KeepBoth}
	case verdict == VerdictMerge:
		if compareFreshness(a, b) > 0 {
			a, b = b, a
		}
		older := member{subject: &subject{Memory: a}, tags: pair.TagOverlap, content: pair.ContentSimilarity}
		action, err = mergeAction(st, &group{survivor: &subject{Memory: b}, members: []member{older}})
		action.Rule, action.Reason = memory.RuleManual, "decided by a person"
	case verdict == VerdictSupersede:
		action, err = archiveFor(st, b, a)
		action.Detail = "a person accepted that " + b.ID + " supersedes it"
	case verdict == review.Partly:
		action, err = replacePart(a, b)
	case keep == a.ID:
		action, err = archiveFor(st, a, b)
		decision.Verdict = verdictKeep + keep
	case keep == b.ID:
		action, err = archiveFor(st, b, a)
		decision.Verdict = verdictKeep + keep
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
		if verdict == review.KeepBoth || verdict == review.Partly {
			e.By, e.Rejected = edgefile.User, true
			change.Now = e.JSON()
		}
		changes = append(changes, change)
	}
	return changes
}

// archiveFor archives a memory in favour of another, whose content stays as it is.
func archiveFor(st *state, stays, goes *memory.Memory) (memory.Action, error) {
	supersedes := stays.Supersedes
	if !slices.Contains(supersedes, goes.ID) {
		supersedes = slices.Concat(supersedes, []string{goes.ID})
	}
	kept, err := stays.Edit(jsonedit.Set(jsonedit.Strings(supersedes), "supersedes"))
	if err != nil {
		return memory.Action{}, err
	}
	gone, err := memory.Supersede(goes, stays.ID)
	if err != nil {
		return memory.Action{}, err
	}
	op := st.files.Archive(goes, gone)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: goes.ID, ResultID: stays.ID,
			From: goes.Ref.String(), To: op.To.File, Reason: "superseded", Detail: "a person kept " + stays.ID,
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: stays.ID, Ref: stays.Ref, Base: stays.Digest(), Raw: kept}, op},
	}, nil
}

// replacePart notes in a memory that a newer one replaces a part of it. It stays where it is, with its text and its times.
func replacePart(older, newer *memory.Memory) (memory.Action, error) {
	if all, _ := memory.ReplacedBy(older); len(all) > 0 {
		return memory.Action{}, fmt.Errorf("%s is replaced as a whole by %s: write \"supersede\"", older.ID, all[0])
	}
	raw, err := memory.SupersedePartly(older, newer.ID)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: older.ID, ResultID: newer.ID, From: older.Ref.String(), Reason: ReasonPartly,
			Detail: "a person decided that " + newer.ID + " replaces a part of it",
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: older.ID, Ref: older.Ref, Base: older.Digest(), Raw: raw}},
	}, err
}

// decideConflict builds the action by which a person settles what a merge left in a memory: what is there is kept, or what the other
// side had is taken, or that becomes a memory of its own. The record with its conflicts is kept in full.
func decideConflict(st *state, m *memory.Memory, pair review.Pair, verdict, keep string) (memory.Action, error) {
	settled, err := m.Edit(jsonedit.Delete(memory.ConflictsKey), changedAt(st.At))
	if err != nil {
		return memory.Action{}, err
	}
	digest, kept := m.Digest(), memory.KeptOriginal(m)
	a := memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID, From: m.Ref.String(), Reason: ReasonConflict,
			Detail: "a person kept the current values", Original: kept.File, Digests: map[string]string{m.ID: string(digest)},
		},
		Originals: []memory.Original{kept},
		Ops:       []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: digest, Raw: settled}},
	}
	other := m.OtherSide()
	switch {
	case verdict == review.KeepBoth && other != nil:
		return conflictApart(st, a, m, other)
	case verdict == review.KeepBoth, verdict == VerdictMerge, verdict == VerdictSupersede, keep == pair.B:
		return a, nil
	case keep != pair.A:
		return memory.Action{}, fmt.Errorf("%s is none of %s and %s", keep, pair.A, pair.B)
	case other == nil:
		op := st.files.Archive(m, settled)
		a.Type, a.To, a.Detail = oplog.Archive, op.To.File, "a person accepted that the other side had removed it"
		a.Ops = []memory.Op{op}
		return a, nil
	}
	a.Detail = "a person took what the other side had"
	a.Ops[0].Raw, err = other.Edit(changedAt(st.At))
	return a, err
}

// conflictApart makes what the other side had a memory of its own.
func conflictApart(st *state, a memory.Action, m, other *memory.Memory) (memory.Action, error) {
	id := memory.NewID(st.Snapshot, "merge conflict", m.ID, string(m.Digest()))
	own, err := renamed(other, id)
	if err != nil {
		return a, err
	}
	to := memory.Ref{File: st.files.Name(path.Dir(m.File), id)}
	a.MemoryID, a.ResultID, a.To, a.Detail = id, m.ID, to.File, "a person made what the other side had of "+m.ID+" a memory of its own"
	a.Ops = append(a.Ops, memory.Op{Kind: memory.Create, ID: id, Raw: standalone(m, own.Raw()), To: to})
	return a, nil
}

// decideCopy builds the action by which a person settles a conflict copy. Whatever is decided, the memory stays in its file under
// its id, and the file of the copy goes. The record that doesn't hold is archived under an id of its own; with
// [review.KeepBoth] the copy becomes a memory next to the other.
func decideCopy(st *state, pair review.Pair, older, newer *memory.Memory, verdict, keep string) (memory.Action, error) {
	file, copied := older, newer
	if older.Ref.String() == pair.A {
		file, copied = newer, older
	}
	id := memory.NewID(st.Snapshot, "conflict copy", file.ID, copied.Ref.String(), string(copied.Digest()))
	if verdict == review.KeepBoth {
		return copyApart(st, file, copied, id)
	}
	stays, goes := newer, older
	switch {
	case verdict == VerdictMerge, verdict == VerdictSupersede:
	case keep == pair.A:
		stays, goes = older, newer
	case keep != pair.B:
		return memory.Action{}, fmt.Errorf("%s is none of %s and %s", keep, pair.A, pair.B)
	}
	gone, err := renamed(goes, id)
	if err != nil {
		return memory.Action{}, err
	}
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, ResultID: file.ID, From: copied.Ref.String(), Reason: ReasonCopy,
		Detail: "a person kept what " + stays.Ref.String() + " says",
	}}
	r := mergeResult{}
	if verdict == VerdictMerge {
		if r, err = mergeRecords(st, &group{survivor: &subject{Memory: stays}, members: []member{{subject: &subject{Memory: gone}}}}); err != nil {
			return a, err
		}
		a.Detail = "a person merged it into what " + stays.Ref.String() + " says"
	} else {
		if r.survivor, err = stays.Edit(jsonedit.Set(jsonedit.Strings(slices.Concat(stays.Supersedes, []string{id})), "supersedes")); err != nil {
			return a, err
		}
		older, err := memory.Supersede(gone, file.ID)
		if err != nil {
			return a, err
		}
		r.older = [][]byte{older}
	}
	op := memory.Op{
		Kind: memory.Move, ID: copied.ID, Ref: copied.Ref, Base: copied.Digest(), Raw: standalone(goes, r.older[0]),
		To: memory.Ref{File: st.files.Name(memory.ArchiveDir, id)},
	}
	a.To = op.To.File
	a.Ops = []memory.Op{{Kind: memory.Put, ID: file.ID, Ref: file.Ref, Base: file.Digest(), Raw: r.survivor}, op}
	return a, nil
}

// copyApart makes a conflict copy a memory of its own.
func copyApart(st *state, file, copied *memory.Memory, id string) (memory.Action, error) {
	own, err := renamed(copied, id)
	if err != nil {
		return memory.Action{}, err
	}
	// The file is written too, so that its line in the index stands whichever of the two is read last.
	kept, err := file.Edit(changedAt(st.At))
	if err != nil {
		return memory.Action{}, err
	}
	to := st.files.Name(path.Dir(copied.File), id)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: id, ResultID: file.ID, From: copied.Ref.String(), To: to, Reason: ReasonCopy,
			Detail: "a person made the copy of " + file.ID + " a memory of its own",
		},
		Ops: []memory.Op{
			{Kind: memory.Put, ID: file.ID, Ref: file.Ref, Base: file.Digest(), Raw: kept},
			{Kind: memory.Move, ID: copied.ID, Ref: copied.Ref, Base: copied.Digest(), Raw: standalone(copied, own.Raw()), To: memory.Ref{File: to}},
		},
	}, nil
}

// renamed is a record under another id.
func renamed(m *memory.Memory, id string) (*memory.Memory, error) {
	raw, err := m.Edit(jsonedit.Set(jsonedit.Quote(id), "id"))
	if err != nil {
		return nil, err
	}
	return memory.ParseRecord(raw, m.Ref), nil
}
