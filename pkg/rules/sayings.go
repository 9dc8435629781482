package rules

import (
	"iter"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// sayings knows what procedural memories say, and where: what a scope says already
// needs no second copy there. They are found by a hash of their texts, and compared
// when that is equal.
type sayings struct {
	*planner
	live     hashed // in the scopes into which memories rise
	rising   hashed // to be copied
	archived *hashed
}

// hashed finds memories by a hash of what they say, and where.
type hashed struct {
	memory func(at int32) *workspace.Memory
	ends   map[uint64][2]int32 // the first and the last item with a hash
	items  []saying
}

type saying struct {
	at   int32 // of the memory
	next int32 // with the same hash; 0 for none
	in   workspace.Scope
}

func (h *hashed) hash(m *workspace.Memory, in workspace.Scope) uint64 {
	hash := statementHash(m)
	for _, s := range [...]string{in.Kind, strings.ToLower(in.ID), m.Subtype} {
		hash = hash*31 + nameHash(s)
	}
	return hash
}

// add notes what the memory at a place says, which m tells of.
func (h *hashed) add(at int32, m *workspace.Memory, in workspace.Scope) {
	if h.ends == nil {
		h.ends = map[uint64][2]int32{}
	}
	hash, n := h.hash(m, in), int32(len(h.items))
	ends, ok := h.ends[hash]
	if ok {
		h.items[ends[1]].next = n
	} else {
		ends[0] = n
	}
	ends[1] = n
	h.ends[hash] = ends
	h.items = append(h.items, saying{at: at, in: in})
}

// same gives those that say in a scope what m says, the first one first.
func (h *hashed) same(m *workspace.Memory, in workspace.Scope) iter.Seq[*workspace.Memory] {
	return func(yield func(*workspace.Memory) bool) {
		ends, ok := h.ends[h.hash(m, in)]
		if !ok {
			return
		}
		says := statement(m)
		for i := ends[0]; ; i = h.items[i].next {
			s := &h.items[i]
			if s.in.Kind == in.Kind && strings.EqualFold(s.in.ID, in.ID) {
				if other := h.memory(s.at); other.Subtype == m.Subtype && statement(other) == says && !yield(other) {
					return
				}
			}
			if s.next == 0 {
				return
			}
		}
	}
}

// stands reports whether a memory may be said already where others would rise to.
func stands(m *workspace.Memory) bool {
	return m.Type == workspace.Procedural && (m.Scope.Kind == "team" || m.Scope == workspace.Global)
}

// sayings collects what is said in the scopes into which memories rise.
func (p *planner) sayings() *sayings {
	s := &sayings{planner: p, live: hashed{memory: func(at int32) *workspace.Memory { return p.Memory(int(at)) }}, rising: hashed{memory: p.at}}
	var room workspace.Room
	whole := len(p.places) == p.Len() // else nobody has asked of all memories whether they stand there
	for i, t := range p.all {
		if whole && t&standing == 0 {
			continue
		}
		if m := p.Glance(i, &room); stands(m) {
			s.live.add(int32(i), m, m.Scope)
		}
	}
	return s
}

// standing names a memory that says in a scope what m says, or will when the run is
// through.
func (s *sayings) standing(m *workspace.Memory, in workspace.Scope) string {
	for other := range s.live.same(m, in) {
		return other.ID
	}
	for other := range s.rising.same(m, in) {
		return s.risenID(other, in)
	}
	return ""
}

func (s *sayings) rises(k int32, m *workspace.Memory, to workspace.Scope) { s.rising.add(k, m, to) }

// justLeft finds a memory that said in a scope what m says, and that a run at this
// very time has archived: whoever says the same takes its place by a later reading of
// the clock, if at all.
func (s *sayings) justLeft(m *workspace.Memory, scope workspace.Scope) string {
	if s.archived == nil {
		s.archived = &hashed{memory: func(at int32) *workspace.Memory { return s.Archived()[at] }}
		for i, old := range s.Archived() {
			if old.Type == workspace.Procedural {
				s.archived.add(int32(i), old, workspace.Global)
			}
		}
	}
	for old := range s.archived.same(m, workspace.Global) {
		from, ok := s.Origin(old)
		if !ok || !from.ArchivedAt.Equal(s.At.Truncate(time.Second)) {
			continue
		}
		stood, err := workspace.ParseRecords(from.Ref.File, old.Raw()) // there the path may tell the scope
		if err == nil && len(stood) == 1 && stood[0].Scope.Kind == scope.Kind && strings.EqualFold(stood[0].Scope.ID, scope.ID) {
			return old.ID
		}
	}
	return ""
}
