package rules

import (
	"encoding/binary"
)

// cited reads what memories say of others by name. Only what was compared is read when
// nothing has changed.
func (f *findings) cited(p *planner) *citations {
	c := &citations{stated: map[[2]int32][]byte{}}
	n := len(p.places)
	if f != nil && len(f.parts[partCitations]) > 0 {
		r := reader{rest: f.parts[partCitations]}
		complete := r.byte() == 1
		for range r.count(12) {
			pair, finding := [2]int32{f.memory(&r), f.memory(&r)}, r.bytes()
			if pair[0] >= 0 && pair[1] >= 0 {
				c.stated[pair] = finding
				c.order = append(c.order, pair)
			}
		}
		if p.stayed && complete && !r.broken {
			c.same = f.parts[partCitations]
			return c
		}
		if c.cites, c.names = f.hashes(&r, n), f.hashes(&r, n); !r.broken {
			return c
		}
	}
	return &citations{stated: map[[2]int32][]byte{}, cites: make([][]uint64, n), names: make([][]uint64, n)}
}

// hashes reads some for each memory; how many, and one for nobody knows.
func (f *findings) hashes(r *reader, n int) [][]uint64 {
	out := make([][]uint64, n)
	for _, k := range f.at {
		known := r.u32()
		if known == 0 {
			continue
		}
		list := r.take(8 * int(known-1))
		if k < 0 || r.broken {
			continue
		}
		out[k] = make([]uint64, 0, known-1)
		for ; len(list) > 0; list = list[8:] {
			out[k] = append(out[k], binary.LittleEndian.Uint64(list))
		}
	}
	return out
}

// appendCitations writes a 1 if they are those of this plan, not of an earlier one;
// between whom it was looked who replaces whom, in that order, and what was found; then of each memory the hashes of the names that it cites, and of
// each those that it goes by.
func (p *planner) appendCitations() []byte {
	c := p.cites
	switch {
	case c == nil:
		return nil
	case c.same != nil:
		return c.same
	}
	complete := byte(0)
	if c.complete {
		complete = 1
	}
	out := appendU32([]byte{complete}, int32(len(c.order)))
	for _, pair := range c.order {
		out = appendString(appendU32(appendU32(out, p.places[pair[0]]), p.places[pair[1]]), c.stated[pair])
	}
	for _, lists := range [][][]uint64{c.cites, c.names} {
		for _, k := range p.byPlace() { // all are covered
			hashes := lists[k-1]
			if hashes == nil {
				out = appendU32(out, 0)
				continue
			}
			out = appendU32(out, int32(len(hashes)+1))
			for _, hash := range hashes {
				out = binary.LittleEndian.AppendUint64(out, hash)
			}
		}
	}
	return out
}
