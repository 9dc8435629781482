package archive

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

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
