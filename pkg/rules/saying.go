package rules

import (
	"encoding/binary"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// saying is what a procedural memory says, as a hash of that and of its subtype, and where.
type saying struct {
	hash uint64
	in   workspace.Scope
}

func sayingOf(m *workspace.Memory) saying {
	return saying{statementHash(m)*31 + nameHash(m.Subtype), m.Scope}
}

// heard are the sayings of memories that may rise, or stand where others would rise to:
// findings, so that these need not be looked at for them again.
type heard struct {
	mu  sync.Mutex
	of  []int32 // of each live memory one more than its place in all; 0 for none
	all []saying
}

// heardAt is one with the place of its memory.
type heardAt struct {
	place int32
	saying
}

// add keeps some; several goroutines may.
func (h *heard) add(some []heardAt) {
	if len(some) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range some {
		if h.of[s.place] == 0 {
			h.all = append(h.all, s.saying)
			h.of[s.place] = int32(len(h.all))
		}
	}
}

// saying is that of the live memory at a place.
func (p *planner) saying(place int, room *workspace.Room) saying {
	if p.heard != nil {
		if n := p.heard.of[place]; n > 0 {
			return p.heard.all[n-1]
		}
	}
	return sayingOf(p.Glance(place, room))
}

// hear reads what an earlier plan has heard of the memories that are still what they were.
func (p *planner) hear(f *findings) *heard {
	h := &heard{of: parallel.Zeroed[int32](p.Len())}
	r := reader{rest: f.parts[partSayings]}
	scopes := make([]workspace.Scope, r.count(8))
	for i := range scopes {
		scopes[i] = workspace.Scope{Kind: r.string(), ID: r.string()}
	}
	h.all = make([]saying, 0, len(r.rest)/16)
	for len(r.rest) > 0 {
		k, scope, hash := f.memory(&r), r.u32(), r.u64()
		if r.broken || int(scope) >= len(scopes) {
			break
		}
		if k >= 0 && h.of[p.places[k]] == 0 {
			h.all = append(h.all, saying{hash, scopes[scope]})
			h.of[p.places[k]] = int32(len(h.all))
		}
	}
	return h
}

// bytes writes how many scopes there are, and these; then of each memory its place, its
// scope, and the hash.
func (h *heard) bytes() []byte {
	if h == nil || len(h.all) == 0 {
		return nil
	}
	numbers := map[workspace.Scope]int32{}
	var scopes, out []byte
	for place, n := range h.of {
		if n == 0 {
			continue
		}
		s := &h.all[n-1]
		number, ok := numbers[s.in]
		if !ok {
			number = int32(len(numbers))
			numbers[s.in] = number
			scopes = appendString(appendString(scopes, s.in.Kind), s.in.ID)
		}
		out = binary.LittleEndian.AppendUint64(appendU32(appendU32(out, int32(place)), number), s.hash)
	}
	return append(append(appendU32(nil, int32(len(numbers))), scopes...), out...)
}
