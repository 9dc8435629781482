package rules

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// TestAlike compares what the sets of bits leave with what the tags themselves say: no memory
// whose tags overlap is passed over.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, rapid.SampledFrom([]int{4, 12, 300}).Draw(t, "words")), strconv.Itoa), 0, 80)
		own := similarity.AppendTagHashes(nil, tags.Draw(t, "own"))
		over := rapid.SampledFrom([]float64{-1, 0, 0.3, 0.8, 0.95, 1}).Draw(t, "over")
		members := rapid.SliceOfN(tags, 1, 20).Draw(t, "members")
		sets, unknown := make([]uint64, len(members)+1), rapid.IntRange(0, len(members)).Draw(t, "unknown")
		hashes := make([][]uint64, len(members))
		places, all := make([]int32, len(members)+1), make([]int32, len(members))
		for i, m := range members {
			hashes[i] = similarity.AppendTagHashes(nil, m)
			if places[i], all[i] = int32(i), int32(i); i != unknown {
				sets[i] = bitsOf(hashes[i])
			}
		}
		k := int32(len(members))
		places[k] = k
		p := &planner{places: places, tagBits: func() []uint64 { return sets }}
		r := newReplay(&search{planner: p, tags: over}, func(int32) []int32 { return all }, nil, nil)
		r.begin(0)
		r.know()
		found := r.alike(k, own)
		for i := range members {
			if similarity.TagHashOverlap(own, hashes[i]) > over && !slices.Contains(found, int32(i)) {
				t.Errorf("%v and %v overlap by more than %v", own, hashes[i], over)
			}
		}
		if sets[k] != bitsOf(own) {
			t.Errorf("its own set is not known")
		}
	})
}
