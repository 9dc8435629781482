package rules

import (
	"cmp"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// subject is a memory that the request covers.
type subject struct {
	*memory.Memory
	n       int  // its position among the subjects, the oldest first
	late    bool // the last run deferred it
	claimed bool // an action of this plan is about it
}

// compareAge orders memories by age, then by id.
func compareAge(a, b *memory.Memory) int {
	if c := a.Born().Compare(b.Born()); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// compareFreshness orders memories by updated_at, then created_at, then id.
func compareFreshness(a, b *memory.Memory) int {
	if c := a.Newest().Compare(b.Newest()); c != 0 {
		return c
	}
	if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// freshestFirst orders subjects from the freshest to the oldest.
func freshestFirst(a, b *subject) int {
	return cmp.Or(compareFreshness(b.Memory, a.Memory), cmp.Compare(a.n, b.n))
}

// ByAge orders two memories as the review queue does: the older first.
func ByAge(a, b *memory.Memory) (older, newer *memory.Memory) {
	if compareFreshness(a, b) > 0 {
		return b, a
	}
	return a, b
}
