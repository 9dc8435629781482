package rules

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls f for 0 to n-1, on all cores and in any order. What f writes for one
// number no other call may touch.
func each(n int, f func(i int)) {
	const few = 64 // handed out at a time
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+few-1)/few) {
		group.Go(func() {
			for {
				end := int(next.Add(few))
				for i := end - few; i < min(end, n); i++ {
					f(i)
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
// memory: to look at them in another takes several times as long.
func (p *planner) eachLive(f func(k int32)) {
	if p.lying == nil {
		p.lying = make([]int32, len(p.places))
		for k, place := range p.places {
			p.lying[place] = int32(k)
		}
	}
	each(len(p.lying), func(i int) { f(p.lying[i]) })
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
