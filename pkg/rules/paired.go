package rules

import (
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// paired lists the memories of a part that have a partner by their tags, and perhaps some
// more. With the others it is done.
func (s *search) paired(part []int32) (with []int32) {
	if len(part) < 2 || s.tags < 0 {
		return part
	}
	defer func() { s.pace.step(len(part) - len(with)) }()
	tags := func(i int) []uint64 { return s.hashes[s.starts[part[i]]:s.ends[part[i]]] }
	if len(part) > maxPaired {
		return picked(part, similarity.Linked(len(part), tags, s.tags))
	}
	var sets [maxPaired]uint64
	var has [maxPaired]bool
	for i := range part {
		own := tags(i)
		sets[i] = bitsOf(own)
		for j := range i {
			if sets[i]&sets[j] != 0 && !(has[i] && has[j]) && similarity.TagHashOverlap(own, tags(j)) > s.tags {
				has[i], has[j] = true, true
			}
		}
	}
	return picked(part, has[:len(part)])
}

// maxPaired is how many memories a part has at most in which each one's tags are compared
// with those of all others.
const maxPaired = 64

// picked lists those of part that are marked.
func picked(part []int32, marked []bool) (out []int32) {
	for i, k := range part {
		if marked[i] {
			out = append(out, k)
		}
	}
	return out
}

// bitsOf has a bit for each of some hashes, so that nearly all sets with none in common
// have no bit in common. The empty set has all bits, for it overlaps another one.
func bitsOf(hashes []uint64) (set uint64) {
	for _, h := range hashes {
		set |= 1 << (h * 0x9e3779b97f4a7c15 >> 58)
	}
	if len(hashes) == 0 {
		set = 1<<64 - 1
	}
	return set
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
	s.eachLive(func(k int32, m *workspace.Memory) {
		if room := s.hashes[s.starts[k] : s.starts[k]+s.ends[k]]; len(room) > 0 {
			s.ends[k] = int32(len(similarity.AppendTagHashes(room[:0], m.Tags)))
		}
		s.ends[k] += s.starts[k]
	})
}
