package workspace

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// order puts all memories in the order of a snapshot: by file, and those of one file as
// they stand in it.
func (sc *scanner) order() {
	src := &source{root: sc.root, room: sc.room}
	switch {
	case sc.known == nil:
		sc.fresh = collate(sc.tables, sc.parts, sc.folders)
	case slices.ContainsFunc(sc.parts, func(p *part) bool { return p.fresh > 0 }):
		sc.fresh = collate(sc.tables, sc.parts, nil) // of the directories the known ones have a part
	}
	var known, read [3]int // where the rows of live memories begin, of archived ones, and where these end
	if sc.known != nil {
		known = [...]int{0, sc.known.live, len(sc.kept)}
	}
	if sc.fresh != nil {
		read = [...]int{0, sc.fresh.live, sc.fresh.records.len()}
	}
	sc.changed = sc.known != nil && sc.fresh != nil || slices.Contains(sc.kept, false)
	sc.placed = sync.OnceValue(sc.places)
	slot := 0
	for i := range sc.ordered {
		l := sc.merged(known[i], known[i+1], read[i], read[i+1])
		l.src, l.slot = src, slot
		slot += l.len()
		sc.ordered[i] = l
	}
	src.bodies, sc.tables = parallel.Zeroed[bodySlot](slot), nil
}

// merged puts rows of what was read among those rows of the known image that are there
// still.
func (sc *scanner) merged(from, to, read, last int) *roster {
	l := &roster{im: sc.known, from: from}
	if !sc.changed && to == from {
		l.im, l.from = sc.fresh, read
		return l.of(last - read)
	}
	if !sc.changed {
		return l.of(to - from)
	}
	kept := make([]int32, 0, to-from) // of the others nobody has checked what they say
	for row := from; row < to; row++ {
		if sc.kept[row] {
			kept = append(kept, int32(row))
		}
	}
	l.fresh, l.rows = sc.fresh, make([]int32, 0, len(kept)+last-read)
	take := func(n int) {
		l.rows = append(l.rows, kept[:n]...)
		kept = kept[n:]
	}
	for file := uint32(math.MaxUint32); read < last; read++ {
		if now := u32(sc.fresh.records.row(read), rowFile); now != file { // those of a file follow each other
			name := sc.fresh.records.file(read)
			take(sort.Search(len(kept), func(i int) bool { return sc.known.records.file(int(kept[i])) >= name }))
			file = now
		}
		l.rows = append(l.rows, ^int32(read))
	}
	take(len(kept))
	return l.of(len(l.rows))
}

// placed are the places of rows among the memories of a scan, live ones first.
type placed struct {
	known []int32 // -1 for what is gone
	fresh []int32
}

// places finds those of all rows, where not all are where they were.
func (sc *scanner) places() *placed {
	p := &placed{known: make([]int32, len(sc.kept))}
	if sc.fresh != nil {
		p.fresh = make([]int32, sc.fresh.records.len())
	}
	for row := range p.known {
		p.known[row] = -1
	}
	place := int32(0)
	for _, l := range sc.ordered {
		for i := range l.len() {
			if im, row := l.rowOf(i); im == sc.known {
				p.known[row] = place
			} else {
				p.fresh[row] = place
			}
			place++
		}
	}
	return p
}
