package rules

import (
	"hash/maphash"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// skipIndex finds what is noted in a plan's list by its hash: a map of what is noted would be several
// times as large as the list, where thousands of pairs wait for a person.
type skipIndex struct {
	last   map[uint64]int32 // by hash, one more than the number of the last that has it
	before []int32          // for each, by its number, the same of the one before it
	place  []int32          // and where it stands in the list
}

var skipSeed = maphash.MakeSeed()

// expect makes room for so many, the first time.
func (x *skipIndex) expect(n int) {
	if x.last == nil {
		x.last, x.before, x.place = make(map[uint64]int32, n), make([]int32, 0, n), make([]int32, 0, n)
	}
}

// has reports whether something is noted in the list.
func (x *skipIndex) has(list []workspace.Skip, sk workspace.Skip) bool {
	return x.find(list, sk, maphash.Comparable(skipSeed, sk))
}

func (x *skipIndex) find(list []workspace.Skip, sk workspace.Skip, hash uint64) bool {
	for i := x.last[hash]; i > 0; i = x.before[i-1] {
		if list[x.place[i-1]] == sk {
			return true
		}
	}
	return false
}

// add takes in what is about to be added to the list, and reports whether it is new.
func (x *skipIndex) add(list []workspace.Skip, sk workspace.Skip) bool {
	hash := maphash.Comparable(skipSeed, sk)
	if x.find(list, sk, hash) {
		return false
	}
	x.expect(0)
	x.before, x.place = append(x.before, x.last[hash]), append(x.place, int32(len(list)))
	x.last[hash] = int32(len(x.place))
	return true
}
