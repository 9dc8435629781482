package rules

import (
	"fmt"
	"path"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// decideCopy builds the action by which a person settles a conflict copy. Whatever is decided, the memory stays in its file under
// its id, and the file of the copy goes. The record that doesn't hold is archived under an id of its own; with
// [review.KeepBoth] the copy becomes a memory beside the other.
func (p *planner) decideCopy(pair review.Pair, verdict, keep string) (memory.Action, error) {
	older, newer := p.Live(pair.A), p.Live(pair.B)
	file, copied := older, newer
	if older.Ref.String() == pair.A {
		file, copied = newer, older
	}
	id := memory.NewID(p.Snapshot, "conflict copy", file.ID, copied.Ref.String(), string(copied.Digest()))
	if verdict == review.KeepBoth {
		return p.copyApart(file, copied, id)
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
		if r, err = p.mergeResult(&group{survivor: &subject{Memory: stays}, members: []member{{subject: &subject{Memory: gone}}}}); err != nil {
			return a, err
		}
		a.Detail = "a person merged it into what " + stays.Ref.String() + " says"
	} else {
		if r.survivor, err = stays.Edit(jsonedit.Set(jsonedit.Strings(append(stays.Supersedes[:len(stays.Supersedes):len(stays.Supersedes)], id)), "supersedes")); err != nil {
			return a, err
		}
		older, err := gone.Edit(jsonedit.Set(link(gone, "superseded_by", gone.SupersededBy, file.ID), "superseded_by"))
		if err != nil {
			return a, err
		}
		r.older = [][]byte{older}
	}
	op := memory.Op{
		Kind: memory.Move, ID: copied.ID, Ref: copied.Ref, Base: copied.Digest(), Raw: standalone(goes, r.older[0]),
		To: memory.Ref{File: p.files.Name(memory.ArchiveDir, id)},
	}
	a.To = op.To.File
	a.Ops = []memory.Op{{Kind: memory.Put, ID: file.ID, Ref: file.Ref, Base: file.Digest(), Raw: r.survivor}, op}
	return a, nil
}

// copyApart makes a conflict copy a memory of its own.
func (p *planner) copyApart(file, copied *memory.Memory, id string) (memory.Action, error) {
	own, err := renamed(copied, id)
	if err != nil {
		return memory.Action{}, err
	}
	// The file is written too, so that its line in the index stands whichever of the two is read last.
	kept, err := file.Edit(changedAt(p.At))
	if err != nil {
		return memory.Action{}, err
	}
	to := p.files.Name(path.Dir(copied.File), id)
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
