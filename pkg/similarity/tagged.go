package similarity

import (
	"slices"
	"sync"
)

// tagged finds the classes of a group by their tags, for groups in which many words
// are shared and few tags.
type tagged struct {
	classes map[int32][]int32  // by tag set
	with    map[uint64][]int32 // by tag: the sets that hold it

	mu   sync.Mutex
	near map[int32]nearSets // what was asked for
}

// nearSets are the tag sets that overlap one set by enough, and how many classes they
// have in all.
type nearSets struct {
	sets    []int32
	classes int
}

func (j *Join) indexTags(g *group) {
	t := &g.tagged
	t.classes, t.with, t.near = map[int32][]int32{}, map[uint64][]int32{}, map[int32]nearSets{}
	for i := range g.classes {
		set := g.classes[i].tagSet
		if _, ok := t.classes[set]; !ok {
			for _, tag := range j.tagBags[set].elems {
				t.with[tag] = append(t.with[tag], set)
			}
		}
		t.classes[set] = append(t.classes[set], int32(i))
	}
}

// near lists the tag sets of a group that overlap a set by enough. ok is false when to
// find them, or to go over their classes, takes more than a number of steps: a tag
// that stands everywhere, or the same tags throughout.
func (j *Join) near(g *group, set int32, most int) (sets []int32, ok bool) {
	t, own := &g.tagged, j.tagBags[set].elems
	steps := 0
	for _, tag := range own {
		steps += len(t.with[tag])
	}
	if steps > most || len(own) == 0 || j.tags.over < 0 {
		return nil, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.near[set]
	if !known {
		for _, tag := range own {
			sets = append(sets, t.with[tag]...)
		}
		for _, other := range slices.Compact(slices.Sorted(slices.Values(sets))) {
			x := j.tagBags[other].elems
			if jaccard(overlap(own, x), len(own), len(x)) > j.tags.over {
				n.sets = append(n.sets, other)
				n.classes += len(t.classes[other])
			}
		}
		t.near[set] = n
	}
	return n.sets, n.classes <= most
}
