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
// second only, once at each: where days are all that anybody noted, these are many.
func (p *planner) sorted(places []int32, born func(place int32) int64) []int32 {
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = key{born(place), place}
	}
	half := len(keys) / 2
	parallel.Tasks(2, func(i int) { slices.SortFunc([][]key{keys[:half], keys[half:]}[i], key.compare) })
	merged := make([]key, 0, len(keys))
	for first, second := keys[:half], keys[half:]; len(first)+len(second) > 0; {
		from := &first
		if len(first) == 0 || len(second) > 0 && second[0].compare(first[0]) < 0 {
			from = &second
		}
		merged, *from = append(merged, (*from)[0]), (*from)[1:]
	}
	order := make([]int32, len(merged))
	var ties [][]int32
	for from, i := 0, 0; i < len(merged); i++ {
		order[i] = merged[i].place
		if i+1 == len(merged) || merged[i+1].second != merged[i].second {
			if i > from {
				ties = append(ties, order[from:i+1])
			}
			from = i + 1
		}
	}
	parallel.Ranges(len(ties), func(from, to int) {
		for _, tie := range ties[from:to] {
			p.untie(tie)
		}
	})
	return order
}

// key is the place of a memory, and the second of its birth.
type key struct {
	second int64
	place  int32
}

func (x key) compare(y key) int {
	return cmp.Or(cmp.Compare(x.second, y.second), cmp.Compare(x.place, y.place))
}

// untie puts places of memories that were born in the same second in their order.
func (p *planner) untie(places []int32) {
	type tied struct {
		nanosecond int
		id         string
		place      int32
	}
	all := make([]tied, len(places))
	var room workspace.Room
	for i, place := range places {
		m := p.Glance(int(place), &room)
		all[i] = tied{m.Born().Nanosecond(), m.ID, place}
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
