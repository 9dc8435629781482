package rules

import (
	"encoding/binary"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

func (f *findings) merged(p *planner) *trace { return f.trace(p, partMerge) }

func (f *findings) updated(p *planner) *trace { return f.trace(p, partUpdates) }

// trace reads what a search came to; nil when it is not known.
func (f *findings) trace(p *planner, part int) *trace {
	if f == nil || len(f.parts[part]) == 0 {
		return nil
	}
	r := reader{rest: f.parts[part]}
	kinds := r.count(8)
	t := &trace{kinds: make([]uint64, kinds, kinds+kinds/64+64), of: make([]int32, len(p.places))} // a few come along
	for n := range t.kinds {
		t.kinds[n] = r.u64()
	}
	parts := int32(len(t.kinds))
	for k := range t.of {
		t.of[k] = partUnknown
	}
	of := r.take(4 * f.rows)
	for row := range len(of) / 4 {
		n := int32(binary.LittleEndian.Uint32(of[4*row:]))
		if n < partUnknown || n >= parts {
			return nil
		}
		if k := f.at[row]; k >= 0 {
			t.of[k] = n
		}
	}
	last := int32(-1)
	seen := newBits(len(t.kinds))
	visits := r.count(20)
	t.events = parallel.Zeroed[event](visits)[:0]
	var pairs carver[similarTo]
	var taken carver[int32]
	for range visits {
		e := event{part: int32(r.u32()), of: f.memory(&r), turn: int32(r.u32())}
		if e.part < 0 || e.part >= parts || e.part != last && seen.has(e.part) {
			return nil
		}
		seen.add(e.part)
		last = e.part
		inPart := func(k int32) int32 {
			if k >= 0 && t.of[k] != e.part {
				r.broken = true
			}
			return k
		}
		inPart(e.of)
		e.pairs = pairs.carve(r.count(24))
		for i := range e.pairs {
			e.pairs[i] = similarTo{with: inPart(f.memory(&r)), tags: r.float(), content: r.float()}
			if n := int(r.u32()); n != 0 {
				e.pairs[i].finding = r.take(n - 1)
			}
			if e.of >= 0 && e.pairs[i].with == e.of {
				r.broken = true
			}
		}
		e.out = taken.carve(r.count(4))
		for i := range e.out {
			e.out[i] = inPart(f.memory(&r))
		}
		t.events = append(t.events, e)
	}
	if r.broken {
		return nil
	}
	t.same = p.stayed
	return t
}

// place is where a memory stands; -1 for one that is no more.
func (p *planner) place(k int32) int32 {
	if k < 0 {
		return -1
	}
	return p.places[k]
}

// appendTrace writes how many parts there are, and a hash of the kind of each; of each
// memory its part; how many visits. Of each of these: part, memory, its place in the order of all, with how many it was visited, each with the
// overlap of the tags, the similarity of the content, and one more than the length of
// the finding, then that; how many the visit took out, and these.
func (p *planner) appendTrace(t *trace) []byte {
	if t == nil {
		return nil
	}
	number := make([]int32, len(t.kinds)) // without those in which nobody is left
	for i := range number {
		number[i] = -1
	}
	of := make([]int32, len(p.places))
	kinds, size := make([]byte, 0, 8*len(t.kinds)), 0
	for _, e := range t.events {
		size += 20 + 4*len(e.out)
		for _, pair := range e.pairs {
			size += 24 + len(pair.finding)
		}
	}
	parts := int32(0)
	for k, n := range t.of {
		if n >= 0 {
			if number[n] < 0 {
				number[n] = parts
				parts++
				kinds = binary.LittleEndian.AppendUint64(kinds, t.kinds[n])
			}
			n = number[n]
		}
		of[p.places[k]] = n
	}
	out := make([]byte, 0, 4*len(of)+size+len(kinds)+8)
	out = append(appendU32(out, parts), kinds...)
	for _, n := range of {
		out = appendU32(out, n)
	}
	t.events = slices.DeleteFunc(t.events, func(e event) bool { return number[e.part] < 0 })
	out = appendU32(out, int32(len(t.events)))
	for _, i := range numbersBy(len(t.events), func(i int32) int32 { return number[t.events[i].part] }) {
		e := &t.events[i]
		out = appendU32(appendU32(appendU32(out, number[e.part]), p.place(e.of)), e.turn)
		out = appendU32(out, int32(len(e.pairs)))
		for _, pair := range e.pairs {
			out = appendFloat(appendFloat(appendU32(out, p.place(pair.with)), pair.tags), pair.content)
			if pair.finding == nil {
				out = appendU32(out, 0)
				continue
			}
			out = append(appendU32(out, int32(len(pair.finding)+1)), pair.finding...)
		}
		out = appendU32(out, int32(len(e.out)))
		for _, k := range e.out {
			out = appendU32(out, p.place(k))
		}
	}
	return out
}
