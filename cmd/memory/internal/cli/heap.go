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

// manyRuns is that of a command that makes one run after the other: each leaves more garbage
// than a plan does, and to collect it took a quarter of their time.
const manyRuns = 128 << 20

// hurried is that of a command that a host waits for: it ends before garbage is worth collecting,
// unless it must make the index of words anew. To wait longer costs more than it saves: memory
// that was never used has to be fetched from the system.
const hurried = 160 << 20

// leastAllowed is what remains where much of it lies elsewhere.
const leastAllowed = 48 << 20

// From there on garbage is collected when so many percent of what is in use have been added, and
// no less than a few megabytes.
const (
	// spare is for a plan, which is made many times a day beside an agent at work, and for what
	// stays: most of what a large workspace takes then has no pointers, and costs the collector
	// next to nothing, but a little each time.
	spare = 9
	// ample is for what looks into all memories one by one: there the collector took a third of
	// the time.
	ample      = 60
	leastAdded = 5 << 20
	// applying is for what a run writes where that needs hundreds of megabytes, as over a
	// collection of 95: there each collection of garbage is dear, and a third of the time went
	// there.
	applying = 30
	hugeHeap = 128 << 20
)

// putOffCollection puts garbage collection off until the process has taken so much memory, and
// from there on until so many percent have been added. What the environment says of it (GOGC,
// GOMEMLIMIT) holds.
func (c *call) putOffCollection(until, added int64) {
	c.until, c.added, c.lent = until, added, 0
	c.countLent(0)
}

// paces reports whether the environment leaves it to us when garbage is collected.
func (c *call) paces() bool { return c.env("GOGC") == "" && c.env("GOMEMLIMIT") == "" }

// countLent has what more a store uses where it lies count for the memory that a command may take: it
// is no heap.
func (c *call) countLent(bytes int64) {
	c.lent += bytes
	if c.paces() {
		putOffCollection(withoutLent(c.until, c.lent), c.added)
	}
}

// restedShare is how much of what is lent isn't looked at again once it has rested, behind the search for
// duplicates: a fifth. A plan is nearly over then, and to collect in these moments, beside the actions
// that are made, took a tenth of its time.
const restedShare = 5

// countRested has what is lent count for so much less.
func (c *call) countRested() {
	if c.lent > 0 && c.paces() {
		putOffCollection(withoutLent(c.until, c.lent)+c.lent/restedShare, c.added)
	}
}

// withoutLent leaves as much as half of what is lent in any case: what a plan makes of a million
// memories takes nearly that, and to collect all the way there took an eighth of its time.
func withoutLent(allowed, lent int64) int64 { return max(allowed-lent, leastAllowed, lent/2) }

// collectOften keeps what a process that stays takes for its work near to what it needs.
func (c *call) collectOften() {
	if c.paces() {
		debug.SetGCPercent(-1)
		p := pacing{turn: collection.Add(1), added: spare, gives: true}
		p.limit(p.enough())
	}
}

// collectSeldom is for what a run writes: see applying.
func (c *call) collectSeldom() {
	if inUse()[live] > hugeHeap {
		c.putOffCollection(pacing{added: applying}.enough(), applying)
	}
}

// collection is the number of the last putting off: what an earlier one has planned is void.
var collection atomic.Int64

func putOffCollection(until, added int64) {
	debug.SetGCPercent(-1)
	pacing{turn: collection.Add(1), least: until, added: added}.limit(0)
}

// pacing is how garbage is collected until it is put off again.
type pacing struct {
	turn  int64 // see collection
	least int64 // what the process may always take
	added int64 // percent of what is in use
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
			p.limit(p.enough())
		}
	}, struct{}{})
}

// enough is the memory at which enough has been added to what is in use.
func (p pacing) enough() int64 {
	size := inUse()
	heap := size[live] + max(size[live]*p.added/100, leastAdded)
	heap += heap/32 + 1<<20 // the runtime begins so much before the limit
	return heap + size[total] - size[released] - size[free] - size[objects]
}

const live, total, released, free, objects = "/gc/heap/live:bytes", "/memory/classes/total:bytes",
	"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/objects:bytes"

// inUse is what the runtime says of the process's memory, in bytes.
func inUse() map[string]int64 {
	read := []metrics.Sample{{Name: live}, {Name: total}, {Name: released}, {Name: free}, {Name: objects}}
	metrics.Read(read)
	size := map[string]int64{}
	for _, s := range read {
		if s.Value.Kind() == metrics.KindUint64 {
			size[s.Name] = int64(s.Value.Uint64())
		}
	}
	return size
}
