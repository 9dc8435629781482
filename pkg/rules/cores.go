package rules

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// each calls f for 0 to n-1, on all cores and in any order. What f writes for one
// number no other call may touch.
func each(n int, f func(i int)) {
	batches(n, func(from, to int) {
		for i := from; i < to; i++ {
			f(i)
		}
	})
}

// batches calls f for parts of 0 to n-1, like each. They begin at multiples of 64.
func batches(n int, f func(from, to int)) {
	cores := runtime.GOMAXPROCS(0)
	few := max(n/(16*cores)/64, 1) * 64 // handed out at a time
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(cores, (n+few-1)/few) {
		group.Go(func() {
			for {
				end := int(next.Add(int64(few)))
				if end-few < n {
					f(end-few, min(end, n))
				}
				if end >= n {
					return
				}
			}
		})
	}
	group.Wait()
}

// eachLive calls f for each covered memory like each, in the order in which they lie in
// memory, which takes a fraction of the time. It is only to look at: see
// [workspace.Snapshot.Glance].
func (p *planner) eachLive(f func(k int32, m *workspace.Memory)) {
	by := p.byPlace()
	batches(len(by), func(from, to int) {
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

// one calls f for 0 to n-1 like each, for calls of which some take long.
func one(n int, f func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	group.Wait()
}

// beside begins to make something on another core, and returns who waits for it.
func beside[T any](make func() T) func() T {
	made := sync.OnceValue(make)
	go made()
	return made
}

// cleared makes what is looked at here and there before it is filled. Memory that is read
// first, the system gives twice, and interrupts all cores the second time: so it is written
// to at once, though it is empty.
func cleared[T any](n int) []T {
	s := make([]T, n)
	clear(s)
	return s
}
