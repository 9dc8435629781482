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

// copies lists the promoted copies of a memory, archived or not, nearest first; the memory is the first if it is one itself.
func copies(s *memory.Snapshot, id string) (found []*memory.Memory) {
	of := map[string][]*memory.Memory{}
	for _, m := range slices.Concat(s.Memories(), s.Archived()) {
		if len(m.PromotedFrom) > 0 && (m.Scope.Kind == "team" || m.Scope == memory.Global) {
			for _, from := range m.PromotedFrom {
				of[from] = append(of[from], m)
			}
		}
	}
	seen := map[string]bool{id: true}
	for _, m := range s.Find(id) {
		if slices.ContainsFunc(m.PromotedFrom, func(from string) bool { return slices.Contains(of[from], m) }) {
			found = append(found, m)
		}
	}
	for next := []string{id}; len(next) > 0; next = next[1:] {
		for _, m := range of[next[0]] {
			if !seen[m.ID] {
				seen[m.ID] = true
				found, next = append(found, m), append(next, m.ID)
			}
		}
	}
	return found
}
