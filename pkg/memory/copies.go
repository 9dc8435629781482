package memory

import (
	"cmp"
	"slices"
	"strings"
)

// Copies returns m and the memories that promotion has copied it to or from, as far as they may
// be seen, say the same, and nothing supersedes them: the widest scope first, and in that the highest layer. It is m alone
// where that has no copies. find gives the memory with an id, nil for none.
func Copies(m *Memory, find func(id string) *Memory, may func(*Memory) bool) []*Memory {
	if len(m.PromotedTo)+len(m.PromotedFrom) == 0 || len(m.SupersededBy) > 0 {
		return []*Memory{m}
	}
	family := []*Memory{m}
	for i := 0; i < len(family) && len(family) < 100; i++ { // links by hand may name anything
		for _, id := range slices.Concat(family[i].PromotedTo, family[i].PromotedFrom) {
			if other := find(id); other != nil && !slices.Contains(family, other) {
				family = append(family, other)
			}
		}
	}
	text := foldSpace(m.Text())
	family = slices.DeleteFunc(family, func(other *Memory) bool {
		return other != m && (!may(other) || other.Archived != m.Archived || len(other.SupersededBy) > 0 || foldSpace(other.Text()) != text)
	})
	slices.SortStableFunc(family, func(a, b *Memory) int {
		return cmp.Or(cmp.Compare(width(a), width(b)), cmp.Compare(height(b), height(a)), strings.Compare(a.ID, b.ID))
	})
	return family
}

// width orders the kinds of scopes, the widest first.
func width(m *Memory) int {
	kinds := []string{"global", "team", "project", "agent", "session"}
	if i := slices.Index(kinds, m.Scope.Kind); i >= 0 {
		return i
	}
	return len(kinds)
}

// height orders types by the layers through which memories rise; 0 for what is in none.
func height(m *Memory) int {
	return 1 + slices.Index([]string{Working, Semantic, Episodic, Procedural}, m.Type)
}

func foldSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
