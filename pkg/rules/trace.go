package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// trace is what a search came to.
type trace struct {
	of     []int32  // of each covered memory the number of its part; partNone, partUnknown
	kinds  []uint64 // of each part, by its number, a hash of its kind
	events []event  // those of a part together, in their order
	same   bool     // as it was known
}

const (
	partNone    = -1 // takes no part
	partUnknown = -2 // is new, or has changed
)

// parting tells which memories are compared with each other: those of one kind.
type parting struct {
	kind func(*workspace.Common) block
	none func(*workspace.Memory) bool // takes no part
}

// part numbers the parts of the covered memories.
func (p *planner) part(by parting) *trace {
	t := &trace{of: make([]int32, len(p.places))}
	hashes, commons := make([]uint64, len(p.places)), make([]*workspace.Common, len(p.places))
	p.eachLive(func(k int32, m *workspace.Memory) {
		if commons[k] = m.Common; by.none(m) {
			t.of[k] = partNone
		} else {
			hashes[k] = by.kind(m.Common).hash()
		}
	})
	numbers := make(map[uint64]int32, len(commons)/4) // by the hash of their kind, or by one of the next when several have it
	var first []*workspace.Common                     // of each part
	for k, common := range commons {
		for at := hashes[k]; t.of[k] != partNone; at++ {
			n, ok := numbers[at]
			if !ok {
				n = int32(len(first))
				numbers[at] = n
				first, t.kinds = append(first, common), append(t.kinds, hashes[k])
			}
			if t.of[k] = n; by.same(first[n], common) {
				break
			}
		}
	}
	return t
}

// same reports whether two memories are of one kind.
func (by parting) same(a, b *workspace.Common) bool {
	return a == b || alike(a, b) || by.kind(a) == by.kind(b)
}

// alike reports whether two memories have, letter for letter, all that kinds are made of.
func alike(a, b *workspace.Common) bool {
	return a.Type == b.Type && a.Subtype == b.Subtype && a.Scope == b.Scope && a.CreatedBy == b.CreatedBy
}

// number is that of a kind, a new one if need be.
func (t *trace) number(kinds map[block]int32, kind block) int32 {
	n, ok := kinds[kind]
	if !ok {
		n = int32(len(t.kinds))
		kinds[kind] = n
		t.kinds = append(t.kinds, kind.hash())
	}
	return n
}

// assign gives the memories that are new or have changed their parts, and lists them by
// part.
func (p *planner) assign(by parting, t *trace) map[int32][]int32 {
	changed := map[int32][]int32{}
	var unplaced []int32
	hashes := map[uint64]bool{}
	for k, n := range t.of {
		switch {
		case n != partUnknown:
		case by.none(p.at(int32(k))):
			t.of[k] = partNone
		default:
			unplaced = append(unplaced, int32(k))
			hashes[by.kind(p.at(int32(k)).Common).hash()] = true
		}
	}
	if len(unplaced) == 0 {
		return changed
	}
	asked := make([]bool, len(t.kinds)) // parts whose kind may be that of an unplaced one
	for n, h := range t.kinds {
		asked[n] = hashes[h]
	}
	kinds := map[block]int32{}
	for k, n := range t.of {
		if n >= 0 && asked[n] {
			kinds[by.kind(p.at(int32(k)).Common)] = n
			asked[n] = false // those of a part are of one kind
		}
	}
	for _, k := range unplaced {
		n := t.number(kinds, by.kind(p.at(k).Common))
		t.of[k] = n
		changed[n] = append(changed[n], k)
	}
	return changed
}

// hash is a 64-bit hash.
func (b block) hash() uint64 {
	h := uint64(0)
	for _, s := range [...]string{b.kind, b.subtype, b.scope, b.scopeID, b.author} {
		h = hashString(h, s)
	}
	return h
}

// hashString continues a hash, eight bytes at a time.
func hashString(h uint64, s string) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h = (h ^ uint64(len(s))) * odd
	for ; len(s) >= 8; s = s[8:] {
		b := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = (h ^ b) * odd
		h ^= h >> 29
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * odd
	}
	return h ^ h>>32
}

// inOrder lists the visits in their order over all parts.
func (t *trace) inOrder(p *planner) []event {
	events := slices.Clone(t.events)
	slices.SortFunc(events, func(a, b event) int { return p.before(a.of, b.of) })
	return events
}

// members lists the memories of each part, oldest first.
func (t *trace) members() [][]int32 {
	parts := len(t.kinds)
	starts := make([]int32, parts+1)
	for _, n := range t.of {
		if n >= 0 {
			starts[n+1]++
		}
	}
	for n := range parts {
		starts[n+1] += starts[n]
	}
	all := make([]int32, starts[parts])
	out := make([][]int32, parts)
	for n := range out {
		out[n] = all[starts[n]:starts[n]:starts[n+1]]
	}
	for k, n := range t.of {
		if n >= 0 {
			out[n] = append(out[n], int32(k))
		}
	}
	return out
}

// only lists those of some parts.
func (t *trace) only(parts map[int32][]event) map[int32][]int32 {
	out := map[int32][]int32{}
	asked := newBits(len(t.kinds))
	for n := range parts {
		asked.add(n)
	}
	for k, n := range t.of {
		if n >= 0 && asked.has(n) {
			out[n] = append(out[n], int32(k))
		}
	}
	return out
}
