package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// older orders memories by age, then by id.
func older(a, b *workspace.Memory) int {
	if c := a.Born().Compare(b.Born()); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// fresher orders memories by updated_at, then created_at, then id.
func fresher(a, b *workspace.Memory) int {
	if c := a.Newest().Compare(b.Newest()); c != 0 {
		return c
	}
	if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// sorted lists places, which are in their order, by age, as [slices.SortStableFunc] would.
// It compares the seconds of their births, as numbers, and looks at memories of the same
// second only, once at each: where days are all that anybody noted, these are many. With
// whole, all are known to be born at whole seconds, and their ids are all that is looked at.
func (p *planner) sorted(places []int32, born func(place int32) int64, whole bool) []int32 {
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = key{uint64(born(place)) ^ 1<<63, place} // which keeps the order of numbers below 0
	}
	keys = sortKeys(keys)
	order := make([]int32, len(keys))
	var ties [][]int32
	for from, i := 0, 0; i < len(keys); i++ {
		order[i] = keys[i].place
		if i+1 == len(keys) || keys[i+1].by != keys[i].by {
			if i > from {
				ties = append(ties, order[from:i+1])
			}
			from = i + 1
		}
	}
	parallel.Ranges(len(ties), func(from, to int) {
		for _, tie := range ties[from:to] {
			p.untie(tie, whole)
		}
	})
	return order
}

// numbersBy are the numbers below n by what they are to be ordered by, 0 or more, and those of which that is
// the same in their order. What they stand for is looked at once, one after the other.
func numbersBy(n int, by func(i int32) int32) []int32 {
	keys := make([]key, n)
	for i := range keys {
		keys[i] = key{uint64(by(int32(i))), int32(i)}
	}
	numbers := make([]int32, n)
	for i, k := range sortKeys(keys) {
		numbers[i] = k.place
	}
	return numbers
}

// key is a place, that of a memory say, and what it is ordered by: the second of its birth.
type key struct {
	by    uint64
	place int32
}

// sortKeys sorts keys, and leaves those that are ordered by the same in their order: a
// radix sort from the lowest digit on, of digits in which keys differ. The keys given are room.
func sortKeys(keys []key) []key {
	const digit = 11 // bits
	differ, room := uint64(0), make([]key, len(keys))
	for _, k := range keys {
		differ |= k.by ^ keys[0].by
	}
	for shift := 0; differ>>shift > 0; shift += digit {
		if differ>>shift&(1<<digit-1) == 0 {
			continue
		}
		var next [1 << digit]int32 // where the next key with a digit goes
		for _, k := range keys {
			next[k.by>>shift&(1<<digit-1)]++
		}
		at := int32(0)
		for d, n := range next {
			next[d], at = at, at+n
		}
		for _, k := range keys {
			d := k.by >> shift & (1<<digit - 1)
			room[next[d]] = k
			next[d]++
		}
		keys, room = room, keys
	}
	return keys
}

// untie puts places of memories that were born in the same second in their order.
func (p *planner) untie(places []int32, whole bool) {
	type tied struct {
		nanosecond int
		id         string
		place      int32
	}
	all := make([]tied, len(places))
	var room workspace.Room
	for i, place := range places {
		if all[i] = (tied{place: place}); whole {
			all[i].id = p.ID(int(place))
			continue
		}
		m := p.Glance(int(place), &room)
		all[i].nanosecond, all[i].id = m.Born().Nanosecond(), m.ID
	}
	slices.SortFunc(all, func(a, b tied) int {
		return cmp.Or(cmp.Compare(a.nanosecond, b.nanosecond), cmp.Compare(a.id, b.id), cmp.Compare(a.place, b.place))
	})
	for i := range all {
		places[i] = all[i].place
	}
}

// older gives who orders places by the age of the memories there, on one goroutine.
func (p *planner) older() func(a, b int32) int {
	var rooms [2]workspace.Room
	return func(a, b int32) int {
		return cmp.Or(older(p.Glance(int(a), &rooms[0]), p.Glance(int(b), &rooms[1])), cmp.Compare(a, b))
	}
}
