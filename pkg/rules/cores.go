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
	const few = 64 // handed out at a time
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+few-1)/few) {
		group.Go(func() {
			for {
				end := int(next.Add(few))
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

// asTheyLie lists the covered memories in the order in which they lie in memory.
func (p *planner) asTheyLie() []int32 {
	if p.lying == nil {
		at := make([]int32, p.Len()) // one more than the number of the memory there
		for k, place := range p.places {
			at[place] = int32(k + 1)
		}
		p.lying = make([]int32, 0, len(p.places))
		for _, k := range at {
			if k > 0 {
				p.lying = append(p.lying, k-1)
			}
		}
	}
	return p.lying
}

// eachLive calls f for each covered memory like each, in the order in which they lie in
// memory, which takes a fraction of the time. It is only to look at: see
// [workspace.Snapshot.Glance].
func (p *planner) eachLive(f func(k int32, m *workspace.Memory)) {
	lying := p.asTheyLie()
	batches(len(lying), func(from, to int) {
		var room workspace.Room
		for _, k := range lying[from:to] {
			f(k, p.glance(k, &room))
		}
	})
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
