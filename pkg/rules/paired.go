package rules

import (
	"github.com/memoryd/memoryd/pkg/similarity"
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
