package archive

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Archive builds the actions that archive live memories on somebody's request.
// No exclusion applies: who asks for it by name wants it. An unknown id, one that
// is archived already, or one that is not unique is an error.
func Archive(s *memory.Snapshot, reason string, ids ...string) ([]memory.Action, error) {
	files := s.NewFiles()
	return each(s, ids, false, func(m *memory.Memory) (memory.Action, error) {
		op := files.Archive(m, nil)
		return memory.Action{
			Action: oplog.Action{Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: reason},
			Ops:    []memory.Op{op},
		}, nil
	})
}

// Restore builds the actions that put archived memories back where they were.
func Restore(s *memory.Snapshot, ids ...string) ([]memory.Action, error) {
	files := s.NewFiles()
	actions, err := each(s, ids, true, func(m *memory.Memory) (memory.Action, error) {
		if found := s.Find(m.ID); len(found) > 1 {
			return memory.Action{}, fmt.Errorf("restore %s: %w: it also stands in %s", m.ID, workspace.ErrAmbiguous, found[0].Ref)
		}
		to, detail := home(s, m, files)
		return memory.Action{
			Action: oplog.Action{Type: oplog.Restore, Rule: memory.RuleManual, MemoryID: m.ID, From: m.File, To: to.String(), Detail: detail},
			Ops:    []memory.Op{{Kind: memory.Move, ID: m.ID, Ref: m.Ref, Base: m.Digest(), To: to}},
		}, nil
	})
	settlePositions(actions)
	return actions, err
}

// settlePositions turns positions in a collection, which are those that the
// elements had, into positions among the elements that are there now: each one
// comes back behind those of lower position that come back with it.
func settlePositions(actions []memory.Action) {
	to := func(a *memory.Action) *memory.Ref { return &a.Ops[0].To }
	slices.SortStableFunc(actions, func(a, b memory.Action) int { return cmp.Compare(to(&a).Index, to(&b).Index) })
	before := map[string]int{}
	for i := range actions {
		if r := to(&actions[i]); !r.Whole() {
			key := fmt.Sprintf("%s %q", r.File, r.Array)
			r.Index = max(r.Index-before[key], 0)
			before[key]++
		}
	}
}

// each builds an action for each id once.
func each(s *memory.Snapshot, ids []string, archived bool, build func(*memory.Memory) (memory.Action, error)) ([]memory.Action, error) {
	var actions []memory.Action
	asked := map[string]bool{}
	for _, id := range ids {
		if asked[id] {
			continue
		}
		asked[id] = true
		m, err := one(s, id, archived)
		if err != nil {
			return nil, err
		}
		a, err := build(m)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// home is where an archived memory goes: its old place when that can take it,
// else a file of its own in its scope, with the reason.
func home(s *memory.Snapshot, m *memory.Memory, files *memory.NewFiles) (to memory.Ref, detail string) {
	origin, ok := memory.OriginOf(m, s.Indexes)
	switch {
	case !ok:
		detail = "where it came from isn't known"
	case origin.Ref.Whole() && files.Taken(origin.Ref.File):
		detail = origin.Ref.File + " is taken"
	case !origin.Ref.Whole() && !s.Arrays[origin.Ref.File+"#"+memory.Pointer(origin.Ref.Array)]:
		detail = "the collection " + origin.Ref.File + " is gone"
	default:
		return origin.Ref, ""
	}
	return memory.Ref{File: files.Name(s.Dir(m.Scope), m.ID)}, detail
}

// one finds the memory with an id that is live or archived, as asked.
func one(s *memory.Snapshot, id string, archived bool) (*memory.Memory, error) {
	var found *memory.Memory
	for _, m := range s.Find(id) {
		if m.Archived != archived {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: %w: %s and %s", id, workspace.ErrAmbiguous, found.Ref, m.Ref)
		}
		found = m
	}
	switch {
	case found != nil:
		return found, nil
	case len(s.Find(id)) == 0:
		return nil, fmt.Errorf("%s: %w", id, workspace.ErrNotFound)
	case archived:
		return nil, fmt.Errorf("%s is not archived: it stands in %s", id, s.Find(id)[0].Ref)
	}
	return nil, fmt.Errorf("%s is archived already: %s", id, s.Find(id)[0].Ref)
}
