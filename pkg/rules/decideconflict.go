package rules

import (
	"fmt"
	"path"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// decideConflict builds the action by which a person settles what a merge left in a memory: what stands there is kept, or what the other
// side had is taken, or that becomes a memory of its own. The record with its conflicts is kept in full.
func (p *planner) decideConflict(m *memory.Memory, pair review.Pair, verdict, keep string) (memory.Action, error) {
	settled, err := m.Edit(jsonedit.Delete(memory.ConflictsKey), changedAt(p.At))
	if err != nil {
		return memory.Action{}, err
	}
	digest := m.Digest()
	original := path.Join(memory.OriginalDir, memory.FileName(m.ID), string(digest[:16])+".json")
	a := memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: m.ID, From: m.Ref.String(), Reason: ReasonConflict,
			Detail: "a person kept what stands", Original: original, Digests: map[string]string{m.ID: string(digest)},
		},
		Originals: []memory.Original{{File: original, Raw: m.Raw()}},
		Ops:       []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: digest, Raw: settled}},
	}
	other := m.OtherSide()
	switch {
	case verdict == review.KeepBoth && other != nil:
		return p.conflictApart(a, m, other)
	case verdict == review.KeepBoth, verdict == VerdictMerge, verdict == VerdictSupersede, keep == pair.B:
		return a, nil
	case keep != pair.A:
		return memory.Action{}, fmt.Errorf("%s is none of %s and %s", keep, pair.A, pair.B)
	case other == nil:
		op := p.files.Archive(m, settled)
		a.Type, a.To, a.Detail = oplog.Archive, op.To.File, "a person accepted that the other side had removed it"
		a.Ops = []memory.Op{op}
		return a, nil
	}
	a.Detail = "a person took what the other side had"
	a.Ops[0].Raw, err = other.Edit(changedAt(p.At))
	return a, err
}

// conflictApart makes what the other side had a memory of its own.
func (p *planner) conflictApart(a memory.Action, m, other *memory.Memory) (memory.Action, error) {
	id := memory.NewID(p.Snapshot, "merge conflict", m.ID, string(m.Digest()))
	own, err := renamed(other, id)
	if err != nil {
		return a, err
	}
	to := memory.Ref{File: p.files.Name(path.Dir(m.File), id)}
	a.MemoryID, a.ResultID, a.To, a.Detail = id, m.ID, to.File, "a person made what the other side had of "+m.ID+" a memory of its own"
	a.Ops = append(a.Ops, memory.Op{Kind: memory.Create, ID: id, Raw: standalone(m, own.Raw()), To: to})
	return a, nil
}
