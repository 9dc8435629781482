package workspace

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// idTable finds the rows of an image by their ids: a hash table with open addressing that
// lies in the cache. The rows of one id are chained.
type idTable struct {
	seed  uint64 // differs from table to table, so that nobody can choose ids that collide
	slots []byte // of each id one more than a row; 0: free
	next  []byte // of each row one more than another one of its id; empty where no id stands in several rows
}

// newIDTable makes the table of n ids.
func newIDTable(n int, id func(row int) string) *idTable {
	t := &idTable{seed: rand.Uint64()}
	size := 16
	for size < 2*n {
		size *= 2
	}
	slots, next, mask := make([]atomic.Uint32, size), make([]atomic.Uint32, n), uint64(size-1)
	var several atomic.Bool
	parallel.For(n, func(row int) {
		name := id(row)
		for slot := t.hash(name) & mask; !slots[slot].CompareAndSwap(0, uint32(row+1)); slot = (slot + 1) & mask {
			first := int(slots[slot].Load() - 1)
			if id(first) != name {
				continue
			}
			several.Store(true)
			for {
				second := next[first].Load()
				if next[row].Store(second); next[first].CompareAndSwap(second, uint32(row+1)) {
					return
				}
			}
		}
	})
	t.slots = storedNumbers(slots)
	if several.Load() {
		t.next = storedNumbers(next)
	}
	return t
}

func storedNumbers(all []atomic.Uint32) []byte {
	out := make([]byte, 4*len(all))
	for i := range all {
		binary.LittleEndian.PutUint32(out[4*i:], all[i].Load())
	}
	return out
}

// section is the table in a cache, but for its seed.
func (t *idTable) section() []byte {
	if !t.several() {
		return t.slots
	}
	return slices.Concat(t.slots, t.next)
}

// several reports whether some id stands in several rows.
func (t *idTable) several() bool { return len(t.next) > 0 }

// readIDTable reads that of n rows, of which several may have one id.
func readIDTable(section []byte, n int, seed uint64, several bool) (*idTable, error) {
	t := &idTable{seed: seed, slots: section}
	if several {
		if len(section) < 4*n {
			return nil, flatfile.ErrDamaged
		}
		t.slots, t.next = section[:len(section)-4*n], section[len(section)-4*n:]
	}
	return t, nil
}

// find gives the rows of an id to yield, in no order, until that is false; is tells whether a
// row has it.
func (t *idTable) find(id string, is func(row int) bool, yield func(row int) bool) {
	size := uint64(len(t.slots) / 4)
	if size == 0 {
		return
	}
	slot := t.hash(id) % size
	for range size { // a forged one may have no end
		row := int(u32(t.slots, 4*int(slot))) - 1
		if row < 0 {
			return
		}
		if is(row) {
			t.chain(row, is, yield)
			return
		}
		slot = (slot + 1) % size
	}
}

// chain gives a row, and those of its id behind it.
func (t *idTable) chain(row int, is, yield func(row int) bool) {
	rows := len(t.next) / 4
	for range max(rows, 1) { // nor has a forged chain
		if !is(row) || !yield(row) || row >= rows {
			return
		}
		if row = int(u32(t.next, 4*row)) - 1; row < 0 {
			return
		}
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

// idFinder finds memories by their ids.
type idFinder interface {
	// find gives the places of an id among the live ones and, behind these, the archived ones, in
	// that order.
	find(id string) []int
	repeats(id string) bool // whether several have it
	repeated() bool         // whether several may have some id
}

// find implements [idFinder].
func (t *names) find(id string) (places []int) {
	for i := t.first(id); i >= 0; i = t.after(i) {
		places = append(places, i)
	}
	return places
}

func (t *names) repeats(id string) bool {
	first := t.first(id)
	return first >= 0 && t.after(first) >= 0
}

func (t *names) repeated() bool { return t.several }

// imageIDs are those of an image, all of whose memories are there.
type imageIDs struct{ *image }

// rowsOf gives the rows of an id, in no order.
func (im *image) rowsOf(id string) iter.Seq[int] {
	return func(yield func(row int) bool) {
		im.ids().find(id, func(row int) bool { return im.records.hasID(row, id) }, yield)
	}
}

// moreThanOne reports whether there are several.
func moreThanOne(all iter.Seq[int]) bool {
	n := 0
	for range all {
		if n++; n > 1 {
			return true
		}
	}
	return false
}

// find implements [idFinder].
func (im imageIDs) find(id string) []int { return slices.Sorted(im.rowsOf(id)) }

func (im imageIDs) repeats(id string) bool { return moreThanOne(im.rowsOf(id)) }

func (im imageIDs) repeated() bool { return im.ids().several() }

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
	case !sc.changed && sc.known == nil:
		return func() idFinder { return imageIDs{sc.fresh} }
	case !sc.changed:
		return func() idFinder { return imageIDs{sc.known} }
	case sc.fresh == nil || sc.fresh.records.len() <= 64+len(sc.kept)/4:
		return sync.OnceValue(func() idFinder { return sc.knownIDs() })
	}
	return namesByID(s.named[0], s.named[1])
}

func (sc *scanner) knownIDs() *knownIDs {
	k := &knownIDs{sc: sc, several: imageIDs{sc.known}.repeated()}
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
		k.several = k.several || k.repeats(id)
	}
	return k
}

func (k *knownIDs) repeated() bool { return k.several }

// find implements [idFinder].
func (k *knownIDs) find(id string) []int { return slices.Sorted(k.placesOf(id)) }

func (k *knownIDs) repeats(id string) bool { return moreThanOne(k.placesOf(id)) }

// placesOf gives the places of an id, in no order.
func (k *knownIDs) placesOf(id string) iter.Seq[int] {
	return func(yield func(place int) bool) {
		for row := range k.sc.known.rowsOf(id) {
			if k.sc.kept[row] && !yield(int(k.sc.placed().known[row])) {
				return
			}
		}
		for i := k.fresh.first(id); i >= 0; i = k.fresh.after(i) {
			if !yield(k.at[i]) {
				return
			}
		}
	}
}
