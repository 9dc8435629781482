package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// firstCollection is how much memory a command takes before garbage is collected for the
// first time. Most are over before: they would spend a tenth of their time on a heap that
// is small anyway. From then on it is collected when an eleventh has been added, and no less
// than a few megabytes: most of what a large workspace takes has no pointers, and costs the
// collector next to nothing, but a little each time.
const (
	firstCollection = 48 << 20
	leastAdded      = 5 << 20
	added           = 9 // percent
)

// putOffCollection puts garbage collection off until then. What the environment says of it
// (GOGC, GOMEMLIMIT) holds.
func (c *call) putOffCollection() {
	if c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" {
		putOffCollection(0)
	}
}

// collectOften keeps what a process that stays takes for its work near to what it needs.
func (c *call) collectOften() {
	if c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" {
		collectLater(collection.Add(1))
	}
}

// collection is the number of the last putting off: what an earlier one has planned is void.
var collection atomic.Int64

// putOffCollection does so in a process that has taken some memory already.
func putOffCollection(taken int64) {
	n := collection.Add(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(taken + firstCollection)
	afterCollection(n, func() {
		debug.SetMemoryLimit(math.MaxInt64)
		collectLater(n)
	})
}

// collectLater sets when garbage is collected next, after each collection anew.
func collectLater(n int64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := added
	if v := live[0].Value; v.Kind() == metrics.KindUint64 && v.Uint64() > 0 {
		percent = max(percent, int(min(100*leastAdded/v.Uint64(), 1000)))
	}
	debug.SetGCPercent(percent)
	afterCollection(n, func() { collectLater(n) })
}

// afterCollection calls f once the next collection has found something to be garbage, unless
// that has been put off again since.
func afterCollection(n int64, f func()) {
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		if collection.Load() == n {
			f()
		}
	}, struct{}{})
}
