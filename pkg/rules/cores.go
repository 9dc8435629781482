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

// parts calls f for each part of at least two, on all cores and in any order. No number
// may stand in two parts.
func parts(all [][]int32, f func(part []int32)) {
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
