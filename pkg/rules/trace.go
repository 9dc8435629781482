package rules

import (
	"github.com/memoryd/memoryd/pkg/workspace"
)

// trace is what a search came to.
type trace struct {
	of     []int32 // of each covered memory the number of its part; partNone, partUnknown
	parts  int32   // numbers given
	events []event // those of a part together, in their order
	same   bool    // as it was known
}

const (
	partNone    = -1 // takes no part
	partUnknown = -2 // is new, or has changed
)

// parting tells which memories are compared with each other: those of one kind.
type parting struct {
	kind    func(m *workspace.Memory) block
	written func(m *workspace.Memory) block // as it is written, from which the kind follows
	none    func(m *workspace.Memory) bool  // takes no part
}

// part numbers the parts of the covered memories.
func (p *planner) part(by parting) *trace {
	t := &trace{of: make([]int32, len(p.live))}
	written, kinds := map[block]int32{}, map[block]int32{}
	for k, m := range p.live {
		if by.none(m) {
			t.of[k] = partNone
			continue
		}
		w := by.written(m)
		n, ok := written[w]
		if !ok {
			n = t.number(kinds, by.kind(m))
			written[w] = n
		}
		t.of[k] = n
	}
	return t
}

// number is that of a kind, a new one if need be.
func (t *trace) number(kinds map[block]int32, kind block) int32 {
	n, ok := kinds[kind]
	if !ok {
		n = t.parts
		kinds[kind] = n
		t.parts++
	}
	return n
}

// place gives the memories that are new or have changed their parts, and lists them by
// part.
func (p *planner) place(by parting, t *trace) map[int32][]int32 {
	changed := map[int32][]int32{}
	var kinds map[block]int32
	for k, n := range t.of {
		if n != partUnknown {
			continue
		}
		if by.none(p.live[k]) {
			t.of[k] = partNone
			continue
		}
		if kinds == nil {
			kinds = p.kinds(by, t)
		}
		n = t.number(kinds, by.kind(p.live[k]))
		t.of[k] = n
		changed[n] = append(changed[n], int32(k))
	}
	return changed
}

// kinds lists the kinds of the parts.
func (p *planner) kinds(by parting, t *trace) map[block]int32 {
	kinds := map[block]int32{}
	seen := newBits(int(t.parts))
	for k, n := range t.of {
		if n >= 0 && !seen.has(n) {
			seen.add(n)
			kinds[by.kind(p.live[k])] = n
		}
	}
	return kinds
}

// members lists the memories of each part, oldest first.
func (t *trace) members() [][]int32 {
	starts := make([]int32, t.parts+1)
	for _, n := range t.of {
		if n >= 0 {
			starts[n+1]++
		}
	}
	for n := range t.parts {
		starts[n+1] += starts[n]
	}
	all := make([]int32, starts[t.parts])
	out := make([][]int32, t.parts)
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
	asked := newBits(int(t.parts))
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
