package cli

import (
	"math"
	"runtime"
	"runtime/debug"
)

// firstCollection is how much memory a command takes before garbage is collected for the
// first time. Most are over before: they would spend a tenth of their time on a heap that
// is small anyway. From then on it is collected when a fifth has been added: most of what a
// large workspace takes has no pointers, and costs the collector next to nothing.
const (
	firstCollection = 48 << 20
	laterCollection = 20 // percent
)

// putOffCollection puts garbage collection off until then. What the environment says of it
// (GOGC, GOMEMLIMIT) holds.
func (c *call) putOffCollection() {
	if c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" {
		putOffCollection(0)
	}
}

// putOffCollection does so in a process that has taken some memory already.
func putOffCollection(taken int64) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(taken + firstCollection)
	runtime.AddCleanup(new([64]byte), func(struct{}) { // when the first one has found it to be garbage
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(laterCollection)
	}, struct{}{})
}
