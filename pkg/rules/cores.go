package rules

import (
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// eachLive calls f for each covered memory like [parallel.For], in the order in which they lie in
// memory, which takes a fraction of the time. It is only to look at: see
// [workspace.Snapshot.Glance].
func (p *planner) eachLive(f func(k int32, m *workspace.Memory)) {
	by := p.byPlace()
	parallel.Ranges(len(by), func(from, to int) {
		var room workspace.Room
		for i, k := range by[from:to] {
			if k > 0 {
				f(k-1, p.Glance(from+i, &room))
			}
		}
	})
}

// byPlace gives of each live memory one more than its number among the covered ones, 0 for
// one that is not covered.
func (p *planner) byPlace() []int32 {
	if p.by == nil {
		p.by = make([]int32, p.Len())
		for k, place := range p.places {
			p.by[place] = int32(k + 1)
		}
	}
	return p.by
}

// beside begins to make something on another core, and returns who waits for it.
func beside[T any](make func() T) func() T {
	made := sync.OnceValue(make)
	go made()
	return made
}
