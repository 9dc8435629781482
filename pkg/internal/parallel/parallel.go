package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Cores is the number of goroutines that a loop uses.
func Cores() int { return runtime.GOMAXPROCS(0) }

// For calls f for 0 to n-1. It is for short calls that take about the same time.
func For(n int, f func(i int)) {
	Ranges(n, func(from, to int) {
		for i := from; i < to; i++ {
			f(i)
		}
	})
}

// Ranges calls f for ranges that cover 0 to n-1. Each begins at a multiple of 64.
func Ranges(n int, f func(from, to int)) {
	few := max(n/(16*Cores())/64, 1) * 64 // in one range
	Tasks((n+few-1)/few, func(i int) { f(i*few, min((i+1)*few, n)) })
}

// Tasks calls f for 0 to n-1. It is for calls of which some take long.
func Tasks(n int, f func(i int)) { Work(Cores(), n, func(_, i int) { f(i) }) }

// Work calls f for 0 to n-1 on at most so many goroutines, and passes the number of the
// goroutine. The first is the caller's own.
func Work(goroutines, n int, f func(goroutine, i int)) {
	var next atomic.Int64
	work := func(own int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(own, i)
		}
	}
	var group sync.WaitGroup
	for own := 1; own < min(goroutines, n); own++ {
		group.Go(func() { work(own) })
	}
	work(0)
	group.Wait()
}
