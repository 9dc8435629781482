package archive

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// ReasonEdited is why a memory is restored that one machine archived while another one edited it.
const ReasonEdited = "edited_meanwhile"

// EditedMeanwhile builds the actions that restore memories which a rule of one machine archived while another machine edited them. What
// was merged into another memory meanwhile waits for a decision beside that one, since it lacks the edit. What somebody archived by hand
// stays in the archive, with the edit.
//
// The log tells what was archived, and as what ([oplog.Action.Archived]). It has to be that of all machines, in the order of time.
func EditedMeanwhile(s *memory.Snapshot, log *oplog.Log) (actions []memory.Action) {
	last := lastArchived(log)
	files := s.NewFiles()
	for _, m := range s.Archived() {
		by, known := last[m.ID]
		if !known || len(s.Find(m.ID)) > 1 || m.Locked != "" || by.Archived[m.ID] == string(m.EditDigest()) {
			continue
		}
		if into := s.Live(by.ResultID); by.Type == oplog.Merge && into != nil {
			if a, err := beside(s, m, into, files); err == nil {
				actions = append(actions, a)
			}
		} else if by.Rule != memory.RuleManual {
			actions = append(actions, back(s, m, files))
		}
	}
	settlePositions(actions)
	return actions
}

// archival is an action that archived memories, and its run.
type archival struct {
	*oplog.Action
	run string
}

// lastArchived finds what archived each memory last, where it tells as what and nobody has done anything to the archived memory since.
// What others did elsewhere meanwhile doesn't count, whatever their clocks say.
func lastArchived(log *oplog.Log) map[string]archival {
	last := map[string]archival{}
	for i := range log.Entries {
		e := &log.Entries[i]
		for k := range e.Actions {
			a := &e.Actions[k]
			switch {
			case a.Type == oplog.Undo:
				for _, id := range a.MemoryIDs {
					if last[id].run == e.UndoOf {
						delete(last, id)
					}
				}
			case memory.InArchive(a.From): // restored, or edited there
				delete(last, a.MemoryID)
			}
			for id := range a.Archived {
				last[id] = archival{a, e.RunID}
			}
		}
	}
	return last
}

// back restores a memory with what was edited.
func back(s *memory.Snapshot, m *memory.Memory, files *memory.NewFiles) memory.Action {
	to, detail := home(s, m, files)
	if detail == "" {
		detail = "it was archived here and edited there"
	}
	return memory.Action{
		Action: oplog.Action{Type: oplog.Restore, Rule: memory.RuleManual, MemoryID: m.ID, From: m.File, To: to.String(), Reason: ReasonEdited, Detail: detail},
		Ops:    []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: to}},
	}
}

// beside restores a memory beside the one that it was merged into, for a person to decide.
func beside(s *memory.Snapshot, m, into *memory.Memory, files *memory.NewFiles) (memory.Action, error) {
	left := slices.DeleteFunc(slices.Clone(m.SupersededBy), func(id string) bool { return id == into.ID })
	edit := jsonedit.Delete("superseded_by")
	if len(left) > 0 {
		edit = jsonedit.Set(jsonedit.Strings(left), "superseded_by")
	}
	raw, err := m.Edit(edit)
	if err != nil {
		return memory.Action{}, err
	}
	a := back(s, m, files)
	a.Detail = fmt.Sprintf("it was merged into %s here and edited there", into.ID)
	a.Ops[0].Raw = raw
	older, newer := memory.ParseRecord(raw, a.Ops[0].To), into
	if newer.Newest().Before(older.Newest()) {
		older, newer = newer, older
	}
	a.Pairs = []review.Pair{memory.NewPair(older, newer, ReasonEdited, memory.CopyDifferences(older, newer), 0, 0)}
	return a, nil
}
