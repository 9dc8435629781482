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
	items  []said
}

type said struct {
	at   int32 // of the memory
	next int32 // with the same hash; 0 for none
	in   workspace.Scope
}

func (s saying) within(in workspace.Scope) uint64 {
	return (s.hash*31+nameHash(in.Kind))*31 + nameHash(strings.ToLower(in.ID))
}

// expect makes room for so many, the first time.
func (h *hashed) expect(n int) {
	if h.ends == nil {
		h.ends, h.items = make(map[uint64][2]int32, n), make([]said, 0, n)
	}
}

// add notes what the memory at a place says in a scope.
func (h *hashed) add(at int32, s saying, in workspace.Scope) {
	h.expect(0)
	hash, n := s.within(in), int32(len(h.items))
	ends, ok := h.ends[hash]
	if ok {
		h.items[ends[1]].next = n
	} else {
		ends[0] = n
	}
	ends[1] = n
	h.ends[hash] = ends
	h.items = append(h.items, said{at: at, in: in})
}

// same gives those that say in a scope what the memory at k says, the first one first.
func (h *hashed) same(p *planner, k int32, s saying, in workspace.Scope) iter.Seq[*workspace.Memory] {
	return func(yield func(*workspace.Memory) bool) {
		ends, ok := h.ends[s.within(in)]
		if !ok {
			return
		}
		m := p.at(k)
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
	if whole {
		s.live.expect(having(standing, p.all))
	}
	for i, t := range p.all {
		switch {
		case whole && t&standing == 0:
			continue
		case !whole && !stands(p.Glance(i, &room)):
			continue
		}
		w := p.saying(i, &room)
		s.live.add(int32(i), w, w.in)
	}
	return s
}

// standing names a memory that says in a scope what the one at k says, or will when the
// run is through.
func (s *sayings) standing(k int32, w saying, in workspace.Scope) string {
	for other := range s.live.same(s.planner, k, w, in) {
		return other.ID
	}
	for other := range s.rising.same(s.planner, k, w, in) {
		return s.risenID(other, in)
	}
	return ""
}

// justLeft finds a memory that said in a scope what the one at k says, and that a run at
// this very time has archived: whoever says the same takes its place by a later reading of
// the clock, if at all.
func (s *sayings) justLeft(k int32, w saying, scope workspace.Scope) string {
	if !s.RanSince(s.At) {
		return ""
	}
	if s.archived == nil {
		live := s.Len()
		s.archived = &hashed{memory: func(at int32) *workspace.Memory { return s.Memory(live + int(at)) }}
		var room workspace.Room
		for i := range s.Total() - live {
			if old := s.Glance(live+i, &room); old.Type == workspace.Procedural {
				s.archived.add(int32(i), sayingOf(old), workspace.Global)
			}
		}
	}
	for old := range s.archived.same(s.planner, k, w, workspace.Global) {
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
