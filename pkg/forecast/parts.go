package forecast

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// parts splits the live memories so that none influences what becomes of one of
// another part; each in the order of the snapshot.
func (f *forecaster) parts() [][]*memory.Memory {
	u := make(union, len(f.Memories()))
	for i := range u {
		u[i] = i
	}
	f.sameID(u)
	f.sameWords(u)
	f.alike(u)
	f.recurring(u)
	var parts [][]*memory.Memory
	at := map[int]int{}
	for i, m := range f.Memories() {
		root := u.find(i)
		n, ok := at[root]
		if !ok {
			n = len(parts)
			at[root] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], m)
	}
	return parts
}

// sameID joins memories that share an id: a plan names both by it.
func (f *forecaster) sameID(u union) {
	first := map[string]int{}
	for i, m := range f.Memories() {
		join(u, i, first, m.ID)
	}
}

// sameWords joins procedures of which only one can be promoted to a scope, or that
// stand there already.
func (f *forecaster) sameWords(u union) {
	first := map[uint64]int{}
	for i, m := range f.Memories() {
		if m.Type == memory.Procedural {
			join(u, i, first, rules.StatementHash(m))
		}
	}
}

// alike joins what may come to be merged: beginning with those that something keeps from
// it for now, the memories that are similar, and those similar to them.
func (f *forecaster) alike(u union) {
	blocks := map[string][]int{}
	stirring := map[string]bool{}
	for i, m := range f.Memories() {
		key := strings.Join([]string{strings.ToLower(strings.TrimSpace(m.Type)), m.Scope.Kind, m.Scope.ID}, "\x00")
		blocks[key] = append(blocks[key], i)
		stirring[key] = stirring[key] || f.unripe(m)
	}
	set := f.Settings.Merge
	for key, block := range blocks {
		if !stirring[key] || len(block) == 1 {
			continue
		}
		records := make([]similarity.Record, len(block))
		var queue []int
		seen := make([]bool, len(block))
		for k, i := range block {
			m := f.Memories()[i]
			records[k] = similarity.Record{Tags: m.Tags, Text: similarity.Later(m)}
			if f.unripe(m) {
				queue, seen[k] = append(queue, k), true
			}
		}
		join := similarity.NewJoin(records, set.TagOverlap, set.ContentSimilarity)
		for len(queue) > 0 {
			k := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, pair := range join.Similar(k) {
				other := pair.A + pair.B - k
				u.unite(block[k], block[other])
				if !seen[other] {
					queue, seen[other] = append(queue, other), true
				}
			}
		}
	}
}

// recurring joins what rises together through the layers.
func (f *forecaster) recurring(u union) {
	lists := rules.Recurring(f.Snapshot, f.Request)
	if lists == nil {
		return
	}
	at := map[*memory.Memory]int{}
	for i, m := range f.Memories() {
		at[m] = i
	}
	for _, list := range lists {
		for _, m := range list[1:] {
			u.unite(at[list[0]], at[m])
		}
	}
}

// unripe reports whether the rules will look at m otherwise than they do now, if only
// time passes and questions are asked.
func (f *forecaster) unripe(m *memory.Memory) bool {
	return f.held[m.ID] || f.asked[m.ID] || m.Born().After(f.Settings.Exclude.MinAge.Before(f.At.UTC()))
}

// union is a forest in which the members of a set have the same root.
type union []int

func (u union) find(i int) int {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// unite makes one set of two; the smaller root stays.
func (u union) unite(a, b int) {
	a, b = u.find(a), u.find(b)
	u[max(a, b)] = min(a, b)
}

// join unites i with the first that had the key.
func join[K comparable](u union, i int, first map[K]int, key K) {
	if other, ok := first[key]; ok {
		u.unite(i, other)
		return
	}
	first[key] = i
}
