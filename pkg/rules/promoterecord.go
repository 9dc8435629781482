package rules

import (
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// copyTo copies m into a wider scope. The original stays and points to the
// copy.
func copyTo(st *state, m *memory.Memory, to memory.Scope, rule, detail string) (memory.Action, error) {
	id := copyID(st.Snapshot, m, to)
	copied, err := copyOf(st, m, id, to)
	if err != nil {
		return memory.Action{}, err
	}
	original, err := promotedTo(m, id)
	if err != nil {
		return memory.Action{}, err
	}
	return memory.Action{
		Action: oplog.Action{Type: oplog.Promote, Rule: rule, MemoryID: m.ID, ResultID: id, From: m.Scope.String(), To: to.String(), Detail: detail},
		Ops: []memory.Op{
			{Kind: memory.Create, ID: id, To: memory.Ref{File: st.files.Name(st.Dir(to), id)}, Raw: copied},
			{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: original},
		},
	}, nil
}

// copyOf is the record of a copy of m in a wider scope.
func copyOf(st *state, m *memory.Memory, id string, to memory.Scope) ([]byte, error) {
	if found := st.secretIn(m); found != "" {
		return nil, secretError(found)
	}
	edits := append([]jsonedit.Edit{jsonedit.Set(jsonedit.Quote(id), "id")}, scopeEdits(to)...)
	edits = append(edits, jsonedit.Delete("promoted_to"), jsonedit.Set(jsonedit.Quote(m.ID), "promoted_from"), changedAt(st.At))
	if !m.HasTag("promoted") {
		edits = append(edits, appendTags(m, []string{"promoted"})...)
	}
	copied, err := m.Edit(edits...)
	return standalone(m, copied), err
}

// scopeEdits write a scope into a record.
func scopeEdits(to memory.Scope) []jsonedit.Edit {
	id := []byte("null")
	if to.ID != "" {
		id = jsonedit.Quote(to.ID)
	}
	return []jsonedit.Edit{jsonedit.Set(jsonedit.Quote(to.Kind), "scope"), jsonedit.Set(id, "scope_id")}
}

// promotedTo is the record of a memory that points to one more copy of it.
func promotedTo(m *memory.Memory, id string) ([]byte, error) {
	return m.Edit(jsonedit.Set(memory.OneMore(m, "promoted_to", m.PromotedTo, id), "promoted_to"))
}

// copyID is the id of the copy of m in a wider scope.
func copyID(s *memory.Snapshot, m *memory.Memory, to memory.Scope) string {
	return memory.NewID(s, "promote", m.ID, string(m.Digest()), to.String())
}

// proposal asks people to accept a copy of m. It changes no memory.
func proposal(st *state, m *memory.Memory, to memory.Scope, rule, detail string) (memory.Action, error) {
	if found := st.secretIn(m); found != "" {
		return memory.Action{}, secretError(found)
	}
	id := copyID(st.Snapshot, m, to)
	return memory.Action{
		Action:    oplog.Action{Type: oplog.Propose, Rule: rule, MemoryID: m.ID, ResultID: id, From: m.Scope.String(), To: to.String(), Detail: detail},
		Decisions: []review.Decision{memory.NewProposal(m, id, to)},
	}, nil
}
