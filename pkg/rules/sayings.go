package rules

import (
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// sayings knows what procedural memories say, and where: what a scope says already
// needs no second copy there. They are found by a hash of their texts, and compared
// when that is equal.
type sayings struct {
	*planner
	live     map[saying][]*workspace.Memory
	rising   map[saying][]*workspace.Memory // to be copied into the scope
	archived map[saying][]*workspace.Memory // wherever they stood
}

// saying is what a memory would say in a scope.
type saying struct {
	text                    uint64 // hash
	subtype, scope, scopeID string
}

func sayingOf(m *workspace.Memory, in workspace.Scope) saying {
	return saying{statementHash(m), m.Subtype, in.Kind, strings.ToLower(in.ID)}
}

// sayings collects what is said in the scopes into which memories rise.
func (p *planner) sayings() *sayings {
	s := &sayings{planner: p, live: map[saying][]*workspace.Memory{}, rising: map[saying][]*workspace.Memory{}}
	for _, m := range p.Memories {
		if m.Type == workspace.Procedural && (m.Scope.Kind == "team" || m.Scope == workspace.Global) {
			key := sayingOf(m, m.Scope)
			s.live[key] = append(s.live[key], m)
		}
	}
	return s
}

// standing names a memory that says in a scope what m says, or will when the run is
// through.
func (s *sayings) standing(m *workspace.Memory, in workspace.Scope) string {
	key := sayingOf(m, in)
	for _, other := range s.live[key] {
		if statement(other) == statement(m) {
			return other.ID
		}
	}
	for _, other := range s.rising[key] {
		if statement(other) == statement(m) {
			return s.risenID(other, in)
		}
	}
	return ""
}

func (s *sayings) rises(m *workspace.Memory, to workspace.Scope) {
	key := sayingOf(m, to)
	s.rising[key] = append(s.rising[key], m)
}

// justLeft finds a memory that said in a scope what m says, and that a run at this
// very time has archived: whoever says the same takes its place by a later reading of
// the clock, if at all.
func (s *sayings) justLeft(m *workspace.Memory, scope workspace.Scope) string {
	if s.archived == nil {
		s.archived = map[saying][]*workspace.Memory{}
		for _, old := range s.Archived {
			if old.Type == workspace.Procedural {
				key := sayingOf(old, workspace.Global)
				s.archived[key] = append(s.archived[key], old)
			}
		}
	}
	for _, old := range s.archived[sayingOf(m, workspace.Global)] {
		from, ok := s.Origin(old)
		if !ok || !from.ArchivedAt.Equal(s.At.Truncate(time.Second)) || statement(old) != statement(m) {
			continue
		}
		stood, err := workspace.ParseRecords(from.Ref.File, old.Raw()) // there the path may tell the scope
		if err == nil && len(stood) == 1 && stood[0].Scope.Kind == scope.Kind && strings.EqualFold(stood[0].Scope.ID, scope.ID) {
			return old.ID
		}
	}
	return ""
}
