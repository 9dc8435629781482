// Package parallel spreads loops over cores. The calls of a loop come in any order and at
// the same time: what one of them writes no other may touch. Each function returns when all
// calls have.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Cores is on how many of them a loop runs.
func Cores() int { return runtime.GOMAXPROCS(0) }

// For calls f for 0 to n-1. It is for calls that take little and about the same.
func For(n int, f func(i int)) {
	Ranges(n, func(from, to int) {
		for i := from; i < to; i++ {
			f(i)
		}
	})
}

// Ranges calls f for parts of 0 to n-1. They begin at multiples of 64.
func Ranges(n int, f func(from, to int)) {
	few := max(n/(16*Cores())/64, 1) * 64 // handed out at a time
	Tasks((n+few-1)/few, func(i int) { f(i*few, min((i+1)*few, n)) })
}

// Tasks calls f for 0 to n-1, one by one: for calls of which some take long.
func Tasks(n int, f func(i int)) { Work(Cores(), n, func(_, i int) { f(i) }) }

// Work calls f for 0 to n-1 on so many goroutines at most, and tells it the number of its own. One of
// them is the caller's: what is done at once needs no other.
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

// Zeroed makes what is looked at here and there before it is filled. Memory that is read
// first, the system gives twice, and interrupts all cores the second time: so it is written
// to at once, though it is empty.
func Zeroed[T any](n int) []T {
	s := make([]T, n)
	clear(s)
	return s
}
