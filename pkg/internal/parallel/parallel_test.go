package parallel

import (
	"sync/atomic"
	"testing"
)

// TestEachOnce: every number comes once, whatever their count.
func TestEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000, 100_000} {
		for name, loop := range map[string]func(n int, f func(i int)){"For": For, "Tasks": Tasks} {
			calls := make([]atomic.Int32, n)
			loop(n, func(i int) { calls[i].Add(1) })
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Fatalf("%s(%d): %d came %d times", name, n, i, got)
				}
			}
		}
	}
}

// TestRanges: the parts begin at multiples of 64, and none is empty.
func TestRanges(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 12_345} {
		Ranges(n, func(from, to int) {
			if from%64 != 0 || from >= to || to > n {
				t.Errorf("Ranges(%d): a part from %d to %d", n, from, to)
			}
		})
	}
}

// TestWork: no two calls have the number of one goroutine at the same time.
func TestWork(t *testing.T) {
	const goroutines = 4
	var busy [goroutines]atomic.Bool
	Work(goroutines, 1000, func(own, i int) {
		if !busy[own].CompareAndSwap(false, true) {
			t.Errorf("goroutine %d does two things", own)
		}
		busy[own].Store(false)
	})
}
