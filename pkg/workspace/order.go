package workspace

import (
	"math"
	"slices"
	"sort"

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
	if sc.known != nil && sc.fresh != nil || slices.Contains(sc.kept, false) {
		sc.places, sc.placesFresh = make([]int32, known[2]), make([]int32, read[2])
	}
	slot := 0
	for i := range sc.ordered {
		l := sc.merged(known[i], known[i+1], read[i], read[i+1], slot)
		l.src, l.slot = src, slot
		slot += l.len()
		sc.ordered[i] = l
	}
	src.bodies, sc.tables = parallel.Zeroed[bodySlot](slot), nil
}

// merged puts rows of what was read among those rows of the known image that are there
// still. at is the place of the first.
func (sc *scanner) merged(from, to, read, last, at int) *roster {
	l := &roster{im: sc.known, from: from}
	if sc.places == nil && to == from {
		l.im, l.from = sc.fresh, read
		return l.of(last - read)
	}
	if sc.places == nil {
		return l.of(to - from)
	}
	kept := make([]int32, 0, to-from)
	for row := from; row < to; row++ {
		if sc.kept[row] {
			kept = append(kept, int32(row))
		} else {
			sc.places[row] = -1
		}
	}
	l.fresh, l.rows = sc.fresh, make([]int32, 0, len(kept)+last-read)
	take := func(n int) {
		for _, row := range kept[:n] {
			sc.places[row] = int32(at + len(l.rows))
			l.rows = append(l.rows, row)
		}
		kept = kept[n:]
	}
	for file := uint32(math.MaxUint32); read < last; read++ {
		if now := u32(sc.fresh.records.row(read), rowFile); now != file { // those of a file follow each other
			name := sc.fresh.records.file(read)
			take(sort.Search(len(kept), func(i int) bool { return sc.known.records.file(int(kept[i])) >= name }))
			file = now
		}
		sc.placesFresh[read] = int32(at + len(l.rows))
		l.rows = append(l.rows, ^int32(read))
	}
	take(len(kept))
	return l.of(len(l.rows))
}
