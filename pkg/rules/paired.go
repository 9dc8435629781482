package rules

import (
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// paired lists the memories of a small part that have a partner by their tags, and
// perhaps some more; of a large one all.
func (s *search) paired(part []int32) []int32 {
	if !s.pairs(part) {
		return part
	}
	var tags [maxPaired][]uint64
	var marks [maxPaired]uint64
	var has [maxPaired]bool
	for i, k := range part {
		tags[i] = s.hashes[s.starts[k]:s.ends[k]]
		marks[i] = marksOf(tags[i])
		for j := 0; j < i; j++ {
			if marks[i]&marks[j] != 0 && !(has[i] && has[j]) && similarity.TagHashOverlap(tags[i], tags[j]) > s.tags {
				has[i], has[j] = true, true
			}
		}
	}
	var out []int32
	for i, k := range part {
		if has[i] {
			out = append(out, k)
		}
	}
	return out
}

// marksOf has a bit for each of some hashes, so that nearly all sets with none in common
// have no bit in common. The empty set has all bits, for it overlaps another one.
func marksOf(hashes []uint64) (marks uint64) {
	for _, h := range hashes {
		marks |= 1 << (h * 0x9e3779b97f4a7c15 >> 58)
	}
	if len(hashes) == 0 {
		marks = 1<<64 - 1
	}
	return marks
}

// pairs reports whether the tags of a part are compared before it is searched.
func (s *search) pairs(part []int32) bool {
	return 1 < len(part) && len(part) <= maxPaired && s.tags >= 0
}

const maxPaired = 64

// readTags hashes the tags of the memories in parts whose tags will be compared.
func (s *search) readTags(parts [][]int32) {
	s.starts, s.ends = make([]int32, len(s.places)), make([]int32, len(s.places))
	for _, part := range parts {
		if s.pairs(part) {
			for _, k := range part {
				s.ends[k] = int32(s.TagCount(int(s.places[k])))
			}
		}
	}
	total := int32(0)
	for _, k := range s.asTheyLie() { // as those of a part lie side by side, or nearly
		s.starts[k] = total
		total += s.ends[k]
	}
	s.hashes = make([]uint64, total)
	s.eachLive(func(k int32, m *workspace.Memory) {
		if room := s.hashes[s.starts[k] : s.starts[k]+s.ends[k]]; len(room) > 0 {
			s.ends[k] = int32(len(similarity.AppendTagHashes(room[:0], m.Tags)))
		}
		s.ends[k] += s.starts[k]
	})
}
