package rules

import (
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// statements knows what is said in the scopes into which memories are promoted.
type statements struct {
	*state
	live, promoted said
	archived       said // nil before it is asked for
}

// said finds memories by what they say and where: by a hash, and then by comparing.
type said map[saidKey][]*memory.Memory

type saidKey struct {
	hash        uint64 // of the statement
	subtype     string
	scope, name string // lower case
}

func keyOf(m *memory.Memory, in memory.Scope) saidKey {
	return saidKey{StatementHash(m), m.Subtype, in.Kind, text.FoldName(in.ID)}
}

func (s said) add(m *memory.Memory, in memory.Scope) {
	key := keyOf(m, in)
	s[key] = append(s[key], m)
}

// same lists the memories that say in a scope what m says, in the order of adding.
func (s said) same(m *memory.Memory, in memory.Scope) (same []*memory.Memory) {
	found := s[keyOf(m, in)]
	if len(found) == 0 {
		return nil
	}
	says := statement(m)
	for _, other := range found {
		if statement(other) == says {
			same = append(same, other)
		}
	}
	return same
}

// statements collects what is said in teams and globally, covered by the request or not.
func newStatements(st *state) *statements {
	s := &statements{state: st, live: said{}, promoted: said{}}
	for _, m := range st.Memories() {
		if m.Type == memory.Procedural && (m.Scope.Kind == "team" || m.Scope == memory.Global) {
			s.live.add(m, m.Scope)
		}
	}
	return s
}

// standing names a memory that says in a scope what m says, or will when the run is
// through; "" for none.
func (s *statements) standing(m *memory.Memory, in memory.Scope) string {
	for _, other := range s.live.same(m, in) {
		return other.ID
	}
	for _, other := range s.promoted.same(m, in) {
		return copyID(s.Snapshot, other, in)
	}
	return ""
}

// justArchived finds a memory that said in a scope what m says, and that a run at this very
// time has archived: another one may take its place at a later time, if at all.
func (s *statements) justArchived(m *memory.Memory, scope memory.Scope) string {
	if s.LatestRun.Before(s.At.Truncate(time.Second)) {
		return ""
	}
	if s.archived == nil {
		s.archived = said{}
		for _, old := range s.Archived() {
			if old.Type == memory.Procedural {
				s.archived.add(old, memory.Global)
			}
		}
	}
	for _, old := range s.archived.same(m, memory.Global) {
		from, ok := memory.OriginOf(old, s.Indexes)
		if !ok || !from.ArchivedAt.Equal(s.At.Truncate(time.Second)) {
			continue
		}
		stood, err := memory.ParseRecords(from.Ref.File, old.Raw()) // there the path may tell the scope
		if err == nil && len(stood) == 1 && stood[0].Scope.Kind == scope.Kind && text.SameName(stood[0].Scope.ID, scope.ID) {
			return old.ID
		}
	}
	return ""
}
