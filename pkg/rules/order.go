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
// second only.
func (p *planner) sorted(places []int32, born func(place int32) int64) []int32 {
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = key{born(place), place}
	}
	half := len(keys) / 2
	parallel.Tasks(2, func(i int) {
		slices.SortFunc([][]key{keys[:half], keys[half:]}[i], p.byKey())
	})
	first, second, before := keys[:half], keys[half:], p.byKey()
	order := make([]int32, len(keys))
	for i := range order {
		if len(second) == 0 || len(first) > 0 && before(first[0], second[0]) <= 0 {
			order[i], first = first[0].place, first[1:]
		} else {
			order[i], second = second[0].place, second[1:]
		}
	}
	return order
}

// key is the place of a memory, and the second of its birth.
type key struct {
	second int64
	place  int32
}

// byKey gives who orders keys, on one goroutine.
func (p *planner) byKey() func(x, y key) int {
	older := p.older()
	return func(x, y key) int {
		if x.second != y.second {
			return cmp.Compare(x.second, y.second)
		}
		return older(x.place, y.place)
	}
}

// older gives who orders places by the age of the memories there, on one goroutine.
func (p *planner) older() func(a, b int32) int {
	var rooms [2]workspace.Room
	return func(a, b int32) int {
		return cmp.Or(older(p.Glance(int(a), &rooms[0]), p.Glance(int(b), &rooms[1])), cmp.Compare(a, b))
	}
}
