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

// sorted lists the positions of memories in an order that goes by seconds first, as
// [slices.SortStableFunc] would. It compares seconds, as numbers, and asks compare
// about those within one only.
func sorted(ms []*workspace.Memory, second func(*workspace.Memory) int64, compare func(a, b *workspace.Memory) int) []int32 {
	type key struct {
		second int64
		at     int32
	}
	keys := make([]key, len(ms))
	for i, m := range ms {
		keys[i] = key{second(m), int32(i)}
	}
	slices.SortFunc(keys, func(x, y key) int {
		if x.second != y.second {
			return cmp.Compare(x.second, y.second)
		}
		return cmp.Or(compare(ms[x.at], ms[y.at]), cmp.Compare(x.at, y.at))
	})
	order := make([]int32, len(ms))
	for i, k := range keys {
		order[i] = k.at
	}
	return order
}
