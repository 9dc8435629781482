package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// allowance is the memory that a command may take before garbage is collected: most are over
// before, and would spend a tenth of their time on a heap that is small anyway. It is also what
// it may always take afterwards: a plan of 100,000 memories needs that much at one moment, and
// to collect more often at the others makes it no smaller.
const allowance = 76 << 20

// manyRuns is what a command may take that makes one run after the other: each leaves more
// garbage than a plan does, and to collect it took a quarter of their time.
const manyRuns = 128 << 20

// From there on garbage is collected when an eleventh of what is in use has been added, and no
// less than a few megabytes: most of what a large workspace takes has no pointers, and costs
// the collector next to nothing, but a little each time.
const (
	leastAdded = 5 << 20
	added      = 9 // percent
)

// putOffCollection puts garbage collection off until the process has taken so much memory. What
// the environment says of it (GOGC, GOMEMLIMIT) holds.
func (c *call) putOffCollection(until int64) {
	if c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" {
		putOffCollection(until)
	}
}

// collectOften keeps what a process that stays takes for its work near to what it needs.
func (c *call) collectOften() {
	if c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" {
		debug.SetGCPercent(-1)
		pacing{turn: collection.Add(1), gives: true}.limit(enough())
	}
}

// collection is the number of the last putting off: what an earlier one has planned is void.
var collection atomic.Int64

func putOffCollection(until int64) {
	debug.SetGCPercent(-1)
	pacing{turn: collection.Add(1), least: until}.limit(0)
}

// pacing is how garbage is collected until it is put off again.
type pacing struct {
	turn  int64 // see collection
	least int64 // what the process may always take
	gives bool  // it gives back what it needs no more; else it may take again what it has once needed
}

// limit has garbage collected when the process has taken the least or what it needs,
// whichever is more, and sets that anew once a collection has found something to be garbage.
// A percentage would do for the needed, but is late: it still counts from what was in use two
// collections ago.
func (p pacing) limit(needed int64) {
	needed = max(p.least, needed)
	debug.SetMemoryLimit(needed)
	if !p.gives {
		p.least = needed
	}
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		if collection.Load() == p.turn {
			p.limit(enough())
		}
	}, struct{}{})
}

// enough is the memory at which an eleventh has been added to what is in use.
func enough() int64 {
	const live, total, released, free, objects = "/gc/heap/live:bytes", "/memory/classes/total:bytes",
		"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/objects:bytes"
	read := []metrics.Sample{{Name: live}, {Name: total}, {Name: released}, {Name: free}, {Name: objects}}
	metrics.Read(read)
	size := map[string]int64{}
	for _, s := range read {
		if s.Value.Kind() == metrics.KindUint64 {
			size[s.Name] = int64(s.Value.Uint64())
		}
	}
	heap := size[live] + max(size[live]*added/100, leastAdded)
	heap += heap/32 + 1<<20 // the runtime begins so much before the limit
	return heap + size[total] - size[released] - size[free] - size[objects]
}
