package workspace

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// idTable finds the rows of an image by their ids: a hash table with open addressing that
// lies in the cache. Each row has a slot of its own, also where several have one id.
type idTable struct {
	seed    uint64 // differs from table to table, so that nobody can choose ids that collide
	several bool   // some id stands in several rows
	slots   []byte // one more than a row; 0: free
}

// newIDTable makes the table of n ids.
func newIDTable(n int, id func(row int) string) *idTable {
	t := &idTable{seed: rand.Uint64()}
	size := 16
	for size < 2*n {
		size *= 2
	}
	slots, mask := make([]atomic.Uint32, size), uint64(size-1)
	var several atomic.Bool
	parallel.For(n, func(row int) {
		name := id(row)
		for slot := t.hash(name) & mask; !slots[slot].CompareAndSwap(0, uint32(row+1)); slot = (slot + 1) & mask {
			if id(int(slots[slot].Load()-1)) == name {
				several.Store(true)
			}
		}
	})
	t.several, t.slots = several.Load(), make([]byte, 4*size)
	for i := range slots {
		binary.LittleEndian.PutUint32(t.slots[4*i:], slots[i].Load())
	}
	return t
}

// find gives the rows that may have an id to yield, in no order.
func (t *idTable) find(id string, yield func(row int)) {
	size := uint64(len(t.slots) / 4)
	if size == 0 {
		return
	}
	slot := t.hash(id) % size
	for range size { // a forged one may have no end
		taken := u32(t.slots, 4*int(slot))
		if taken == 0 {
			return
		}
		yield(int(taken - 1))
		slot = (slot + 1) % size
	}
}

// hash multiplies eight bytes at a time into 128 bits and folds them, as wyhash does.
func (t *idTable) hash(s string) uint64 {
	const odd = 0x9e3779b97f4a7c15
	mix := func(a, b uint64) uint64 {
		high, low := bits.Mul64(a, b)
		return high ^ low
	}
	h := t.seed ^ uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h^binary.LittleEndian.Uint64(viewBytes(s[:8])), odd)
	}
	for i := range len(s) {
		h = mix(h^uint64(s[i]), odd)
	}
	return mix(h, odd)
}

// idFinder finds memories by their ids: their places among the live ones and, behind these, the
// archived ones, in that order.
type idFinder interface {
	find(id string) []int
	repeated() bool // whether several memories may have one id
}

// find implements [idFinder].
func (t *names) find(id string) (places []int) {
	for i := t.first(id); i >= 0; i = t.after(i) {
		places = append(places, i)
	}
	return places
}

func (t *names) repeated() bool { return t.several }

// imageIDs are those of an image, all of whose memories are there.
type imageIDs struct{ *image }

// find implements [idFinder].
func (im imageIDs) find(id string) (places []int) {
	im.ids().find(id, func(row int) {
		if row < im.records.len() && im.records.id(row) == id {
			places = append(places, row)
		}
	})
	slices.Sort(places)
	return places
}

func (im imageIDs) repeated() bool { return im.ids().several }

// knownIDs are those of an image, and of what was read since.
type knownIDs struct {
	sc      *scanner
	fresh   *names // of what was read
	at      []int  // where that stands
	several bool
}

// idsOf finds the memories of the scan. The table of the cache serves as long as little
// was read.
func (sc *scanner) idsOf(s *Snapshot) func() idFinder {
	switch {
	case sc.places == nil && sc.known == nil:
		return func() idFinder { return imageIDs{sc.fresh} }
	case sc.places == nil:
		return func() idFinder { return imageIDs{sc.known} }
	case len(sc.placesFresh) <= 64+len(sc.kept)/4:
		return sync.OnceValue(func() idFinder { return sc.knownIDs() })
	}
	return namesByID(s.named[0], s.named[1])
}

func (sc *scanner) knownIDs() *knownIDs {
	k := &knownIDs{sc: sc, several: sc.known.ids().several}
	var read []string
	for i, l := range sc.ordered {
		for n, row := range l.rows {
			if row < 0 {
				k.at = append(k.at, i*sc.ordered[0].len()+n)
				read = append(read, l.id(n))
			}
		}
	}
	k.fresh = newNames(len(read), func(i int) string { return read[i] }, hashName, sameName)
	k.several = k.several || k.fresh.several
	for _, id := range read {
		k.several = k.several || len(k.find(id)) > 1
	}
	return k
}

func (k *knownIDs) repeated() bool { return k.several }

// find implements [idFinder].
func (k *knownIDs) find(id string) (places []int) {
	known := k.sc.known
	known.ids().find(id, func(row int) {
		if row < len(k.sc.kept) && k.sc.kept[row] && known.records.id(row) == id {
			places = append(places, int(k.sc.places[row]))
		}
	})
	for i := k.fresh.first(id); i >= 0; i = k.fresh.after(i) {
		places = append(places, k.at[i])
	}
	slices.Sort(places)
	return places
}
