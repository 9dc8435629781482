package rules

import (
	"cmp"
	"slices"
	"strings"

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
// second only.
func (p *planner) sorted(places []int32, born func(place int32) int64) []int32 {
	type key struct {
		second int64
		place  int32
	}
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = key{born(place), place}
	}
	older := p.older()
	slices.SortFunc(keys, func(x, y key) int {
		if x.second != y.second {
			return cmp.Compare(x.second, y.second)
		}
		return older(x.place, y.place)
	})
	order := make([]int32, len(keys))
	for i, k := range keys {
		order[i] = k.place
	}
	return order
}

// older gives who orders places by the age of the memories there, on one goroutine.
func (p *planner) older() func(a, b int32) int {
	var rooms [2]workspace.Room
	return func(a, b int32) int {
		return cmp.Or(older(p.Glance(int(a), &rooms[0]), p.Glance(int(b), &rooms[1])), cmp.Compare(a, b))
	}
}
