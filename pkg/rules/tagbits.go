package rules

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// The tags of a memory as a set of 64 bits are a finding: with them one that has changed is
// told from nearly all of its part that have other tags, and of these no more is looked at.

// bitsOf has a bit for each of some hashes, so that nearly all sets with none in common
// have no bit in common. The empty set has all bits, for it overlaps another one.
func bitsOf(hashes []uint64) (set uint64) {
	for _, h := range hashes {
		set |= 1 << (h * 0x9e3779b97f4a7c15 >> 58)
	}
	if len(hashes) == 0 {
		set = allBits
	}
	return set
}

const allBits = 1<<64 - 1

// tagBit is that of the live memory at a place, by this plan or an earlier one; 0 if none has asked.
func (p *planner) tagBit(place int32) uint64 {
	if set := p.tagBits()[place]; set != 0 || p.known == nil {
		return set
	}
	known := p.known.parts[partTagBits]
	if row := p.known.now[place]; row >= 0 && len(known) == 8*p.known.rows {
		return binary.LittleEndian.Uint64(known[8*row:])
	}
	return 0
}

func (p *planner) appendTagBits() []byte {
	out := make([]byte, 0, 8*p.Len())
	for place := range p.Len() {
		out = binary.LittleEndian.AppendUint64(out, p.tagBit(int32(place)))
	}
	return out
}

// know makes the members known, and the sets of their tags as far as these are.
func (r *replay) know() {
	r.all = r.members(r.number)
	r.tagsOf, r.sets = make([][]uint64, len(r.all)), make([]uint64, len(r.all))
	for i, k := range r.all {
		r.sets[i] = r.tagBit(r.places[k])
	}
}

// alike lists those of the members, by their places among all, whose tags may overlap by more
// than the search asks for with those of the memory at k, of which own are the hashes.
func (r *replay) alike(k int32, own []uint64) []int32 {
	set := bitsOf(own)
	r.tagBits()[r.places[k]] = set
	found := r.found[:0]
	if r.tags < 0 || len(own) == 0 {
		for i := range r.all {
			found = append(found, int32(i))
		}
		r.found = found
		return found
	}
	// At least so many of its own tags another one lacks as bits are missing there. Of each
	// number the most that may be there besides, with which the overlap is still large enough.
	var most [65]int8
	for lacks := range most {
		for most[lacks] = -1; most[lacks] < 64 && float64(len(own)-lacks)/float64(len(own)+int(most[lacks])+1) > r.tags; {
			most[lacks]++
		}
	}
	for i, other := range r.sets {
		if other == 0 || mathbits.OnesCount64(other&^set) <= int(most[mathbits.OnesCount64(set&^other)]) {
			found = append(found, int32(i))
		}
	}
	r.found = found
	return found
}

// tagHashes are those of the i-th member.
func (r *replay) tagHashes(i int32) []uint64 {
	if r.tagsOf[i] == nil {
		m := r.glance(r.all[i], &r.looked)
		r.tagsOf[i] = similarity.AppendTagHashes(r.own.carve(max(len(m.Tags), 1))[:0], m.Tags)
	}
	return r.tagsOf[i]
}

// readTags hashes the tags of the memories in parts of several.
func (s *search) readTags(parts [][]int32) {
	s.starts, s.ends = make([]int32, len(s.places)), make([]int32, len(s.places))
	parallel.For(len(parts), func(i int) {
		if part := parts[i]; len(part) > 1 {
			for _, k := range part {
				s.ends[k] = int32(s.TagCount(int(s.places[k])))
			}
		}
	})
	total := int32(0)
	for _, k := range s.byPlace() { // as those of a part lie side by side, or nearly
		if k--; k >= 0 {
			s.starts[k] = total
			total += s.ends[k]
		}
	}
	s.hashes = make([]uint64, total)
	sets := s.tagBits()
	s.eachLive(func(k int32, m *workspace.Memory) {
		if room := s.hashes[s.starts[k] : s.starts[k]+s.ends[k]]; len(room) > 0 {
			s.ends[k] = int32(len(similarity.AppendTagHashes(room[:0], m.Tags)))
			sets[s.places[k]] = bitsOf(room[:s.ends[k]])
		} else if len(m.Tags) == 0 {
			sets[s.places[k]] = allBits
		}
		s.ends[k] += s.starts[k]
	})
}
