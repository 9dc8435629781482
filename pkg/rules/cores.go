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

// parts sorts the numbers 0 to n-1 into those of the same key, in order, and calls f for
// each part of at least two; on all cores and in any order. The numbers of one part are
// those of no other.
func parts(n int, key func(i int) string, f func(part []int)) {
	at := map[string]int{}
	var all [][]int
	for i := range n {
		k := key(i)
		p, ok := at[k]
		if !ok {
			p = len(all)
			at[k] = p
			all = append(all, nil)
		}
		all[p] = append(all[p], i)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return
				}
				if len(all[i]) > 1 {
					f(all[i])
				}
			}
		})
	}
	group.Wait()
}
