package rules

import (
	"bytes"
	"crypto/sha256"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// What the last run put off is told by ids, which may be as many as there are memories. So
// of each memory it is a finding whether it is among them: a hash of the ids, in their
// order, then a bit for each memory by its place.

// putOffBefore marks the memories that the last run deferred.
func (p *planner) putOffBefore() {
	p.late = newBits(len(p.places))
	if len(p.Deferred) == 0 {
		return
	}
	if p.keeps {
		p.deferredSum = sumOf(p.Deferred)
	}
	if p.known != nil {
		part := p.known.parts[partLate]
		if len(part) == sha256.Size+(p.known.rows+7)/8 && bytes.Equal(part[:sha256.Size], p.deferredSum) {
			p.putOffKnown(part[sha256.Size:])
			return
		}
		p.learnt.Add(int64(len(p.Deferred) / 32)) // as much as that is worth
	}
	late := newIDs(p.Deferred)
	parallel.Ranges(len(p.places), func(from, to int) { // each of which has words of its own in the set
		for k := int32(from); k < int32(to); k++ {
			if late.has(p.id(k)) {
				p.late.add(k)
			}
		}
	})
}

// putOffKnown takes over what was found, and looks for the ids of all other memories.
func (p *planner) putOffKnown(found []byte) {
	var others []int32
	var names []string
	for k, place := range p.places {
		row := p.known.now[place]
		switch {
		case row < 0:
			others, names = append(others, int32(k)), append(names, p.id(int32(k)))
		case found[row/8]>>(row%8)&1 != 0:
			p.late.add(int32(k))
		}
	}
	if len(others) == 0 {
		return
	}
	among, late := newIDs(names), newBits(len(names))
	for _, id := range p.Deferred {
		if i := among.slots[among.slot(id)]; i > 0 {
			late.add(i - 1)
		}
	}
	for i, k := range others {
		if late.has(among.slots[among.slot(names[i])] - 1) {
			p.late.add(k)
		}
	}
}

// appendLate writes which memories the last run deferred.
func (p *planner) appendLate() []byte {
	if len(p.Deferred) == 0 {
		return nil
	}
	out := append(bytes.Clone(p.deferredSum), make([]byte, (len(p.places)+7)/8)...)
	for k, place := range p.places {
		if p.late.has(int32(k)) {
			out[sha256.Size+place/8] |= 1 << (place % 8)
		}
	}
	return out
}

// sumOf is a hash of ids in their order.
func sumOf(ids []string) []byte {
	h := sha256.New()
	part := make([]byte, 0, 1<<12)
	for _, id := range ids {
		if part = appendString(part, id); len(part) > 1<<11 {
			h.Write(part)
			part = part[:0]
		}
	}
	h.Write(part)
	return h.Sum(nil)
}
