package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
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
	all := s.Find(id)
	found := slices.DeleteFunc(slices.Clone(all), func(m *memory.Memory) bool { return m.Archived != archived })
	switch {
	case len(found) > 0 || len(all) == 0:
		return memory.Only(id, found)
	case archived:
		return nil, fmt.Errorf("%s is not archived: it stands in %s", id, all[0].Ref)
	}
	return nil, fmt.Errorf("%s is archived already: %s", id, all[0].Ref)
}

// ReasonDemoted is why copies are archived that somebody takes back.
const ReasonDemoted = "demoted"

// Demote builds the actions that take back every copy that promotion has made of a memory: the copies that stand in a team or in global,
// and the copies of those, go to the archive. A memory that is such a copy goes with them. The original stays, and so do its links: no
// rule promotes it again. Merged lists the copies that were merged into another memory, which stays, with its id.
//
// Errors: the id is unknown; no copy stands.
func Demote(s *memory.Snapshot, id string) (actions []memory.Action, merged map[string]string, err error) {
	files := s.NewFiles()
	merged = map[string]string{}
	for _, m := range copies(s, id) {
		if m.Archived {
			for _, into := range m.SupersededBy {
				if s.Live(into) != nil {
					merged[m.ID] = into
				}
			}
			continue
		}
		op := files.Archive(m, nil)
		actions = append(actions, memory.Action{
			Action: oplog.Action{
				Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: m.ID, From: m.Ref.String(), To: op.To.File, Reason: ReasonDemoted,
				Detail: "taken back from " + m.Scope.String(),
			},
			Ops: []memory.Op{op},
		})
	}
	if len(actions) == 0 {
		return nil, merged, fmt.Errorf("%s: no copy of it stands in a team or in global: there is nothing to take back", id)
	}
	return actions, merged, nil
}

// copies lists the copies that promotion has made of a memory, archived or not, nearest first, and the copies of those; the memory is the first
// if it is such a copy itself. A copy in the scope that it was made in, as layers make them, is one only if what it was made of is.
func copies(s *memory.Snapshot, id string) (found []*memory.Memory) {
	of := map[string][]*memory.Memory{}
	for _, m := range slices.Concat(s.Memories(), s.Archived()) {
		if m.Scope.Kind == "team" || m.Scope == memory.Global {
			for _, from := range m.PromotedFrom {
				of[from] = append(of[from], m)
			}
		}
	}
	wider := func(m *memory.Memory, from string) bool {
		return !slices.ContainsFunc(s.Find(from), func(origin *memory.Memory) bool { return origin.Scope == m.Scope })
	}
	type visit struct {
		id     string
		copied bool // it is a copy that promotion has made
	}
	first := visit{id: id}
	for _, m := range s.Find(id) {
		if slices.ContainsFunc(m.PromotedFrom, func(from string) bool { return slices.Contains(of[from], m) && wider(m, from) }) {
			found, first.copied = append(found, m), true
		}
	}
	seen := map[visit]bool{first: true}
	for next := []visit{first}; len(next) > 0; next = next[1:] {
		for _, m := range of[next[0].id] {
			v := visit{m.ID, next[0].copied || wider(m, next[0].id)}
			if seen[v] || m.ID == id {
				continue
			}
			seen[v], next = true, append(next, v)
			if v.copied {
				found = append(found, m)
			}
		}
	}
	return found
}

// MergeCopy builds the action that merges a conflict copy into the memory it is a copy of, by package merge, given the versions of the
// memory that records of runs have, oldest first. What both sides changed is noted in the memory as a conflict. The copy goes to the
// archive under an id of its own. ok is false where no version is known that both sides can have begun from: then a person decides.
//
// The base is the oldest known version. If the sides parted later, what they had in common looks as if both had done it, which a merge
// takes once; a later version might make a change of one side look like its removal by the other. Reads, of which a merge adds what both
// have counted, are those that the side with fewer has at least.
func MergeCopy(s *memory.Snapshot, c memory.ConflictCopy, past []workspace.Version) (a memory.Action, ok bool, err error) {
	file, copied := c.Of, c.Memory
	if file.Archived || copied.Archived || !file.Whole() || !copied.Whole() || file.Locked != "" || copied.Locked != "" {
		return a, false, nil
	}
	base := baseOf(file, copied, past)
	if base == nil {
		return a, false, nil
	}
	if base, err = memory.SetField(base, strconv.AppendInt(nil, min(file.AccessCount-file.Unfolded, copied.AccessCount-copied.Unfolded), 10), "access_count"); err != nil {
		return a, false, err
	}
	result, err := merge.Documents(file.File, base, file.Raw(), copied.Raw())
	if err != nil {
		return a, false, nil //nolint:nilerr // what can't be merged is a person's to decide
	}
	id := memory.NewID(s, "conflict copy", file.ID, copied.Ref.String(), string(copied.Digest()))
	stays, err := jsonedit.Apply(result.Doc, jsonedit.Set(jsonedit.Strings(append(slices.Clone(file.Supersedes), id)), "supersedes"))
	if err != nil {
		return a, false, err
	}
	goes, err := copied.Edit(jsonedit.Set(jsonedit.Quote(id), "id"), jsonedit.Set(jsonedit.Quote(file.ID), "superseded_by"))
	if err != nil {
		return a, false, err
	}
	to := memory.Ref{File: s.NewFiles().Name(memory.ArchiveDir, id)}
	detail := fmt.Sprintf("%s is merged into %s, by what both began from", copied.File, file.ID)
	if result.Conflicts > 0 {
		detail += fmt.Sprintf("; conflicts that wait for a decision: %d", result.Conflicts)
	}
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, ResultID: file.ID, From: copied.Ref.String(), To: to.File,
			Reason: memory.ReasonCopy, Detail: detail,
		},
		Ops: []memory.Op{
			{Kind: memory.Put, ID: file.ID, Ref: file.Ref, Base: file.Digest(), Raw: stays},
			{Kind: memory.Move, ID: copied.ID, Ref: copied.Ref, Base: copied.Digest(), Raw: goes, To: to},
		},
	}, true, nil
}

// baseOf is what a memory and its copy began from; nil where that isn't known.
func baseOf(file, copied *memory.Memory, past []workspace.Version) (base []byte) {
	for _, v := range past {
		for _, known := range [][]byte{v.Before, v.After} {
			switch {
			case known == nil:
			case bytes.Equal(known, copied.Raw()): // the copy is an old version
				return known
			case base == nil:
				base = known
			}
		}
	}
	if base == nil || bytes.Equal(base, file.Raw()) {
		return nil
	}
	from := memory.ParseRecord(base, file.Ref)
	if !from.CreatedAt.Equal(copied.CreatedAt) || !from.Newest().Before(copied.Newest()) {
		return nil
	}
	return base
}

// ReasonEdited is why a memory is restored that one machine archived while another one edited it.
const ReasonEdited = "edited_meanwhile"

// EditedMeanwhile builds the actions that restore memories which a rule of one machine archived while another machine edited them. What
// was merged into another memory meanwhile waits for a decision next to that one, since it lacks the edit. What somebody archived by hand
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
	left := slices.DeleteFunc(slices.Clone(memory.Stated(m).SupersededBy), func(id string) bool { return id == into.ID })
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
