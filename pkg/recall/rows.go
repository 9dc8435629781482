package recall

import (
	"runtime"
	"slices"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A kept index is three sections: whether ids are repeated; a row for each memory, in the
// order of the snapshot; the bytes of the index.
const (
	keptRepeats = iota
	keptRows
	keptIndex
	keptSections
)

// A row, in little-endian order: the first half of the digest of the memory's bytes; a
// hash of where it stands, of which its scope and whether it is archived follow; its
// document. All that a document tells follows from these, but for the reads, which are
// noted elsewhere first.
const (
	rowPlace = 16
	rowDoc   = 24
	rowSize  = 28
)

// sections are those of the index as it stands.
func (l *Library) sections() ([][]byte, error) {
	index, now, err := l.ix.appendBinary(nil)
	if err != nil {
		return nil, err
	}
	docs := make([]uint32, l.snap.Total()) // by place, one more
	repeats := []byte{0, 0, 0, 0}
	for d, at := range l.at {
		if now[d] != none {
			docs[at-1] = now[d] + 1
			if l.ix.ids.at(uint32(d)) != l.snap.ID(int(at-1)) {
				repeats[0] = 1
			}
		}
	}
	rows := make([]byte, 0, rowSize*len(l.at))
	var room workspace.Room
	for place, d := range docs {
		if d > 0 {
			m := l.snap.Glance(place, &room)
			sum := m.Checksum()
			rows = append(rows, sum[:rowPlace]...)
			rows = le.AppendUint64(rows, placeOf(m))
			rows = le.AppendUint32(rows, d-1)
		}
	}
	return [][]byte{repeats, rows, index}, nil
}

// placeOf is a hash of where a memory stands.
func placeOf(m *workspace.Memory) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := uint64(len(m.File))
	mix := func(v uint64) { h = (h ^ v) * prime; h ^= h >> 29 }
	text := func(s string) {
		for ; len(s) >= 8; s = s[8:] {
			mix(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		}
		last := uint64(len(s)) << 56
		for i := range len(s) {
			last |= uint64(s[i]) << (8 * i)
		}
		mix(last)
	}
	text(m.File)
	if !m.Whole() {
		text(m.Pointer())
	}
	return h
}

// follow brings the index in the sections along to the snapshot. An error other than
// [ErrTooMuch] says that they can't be used.
func (l *Library) follow(sections [][]byte, most int) (err error) {
	if len(sections) != keptSections || len(sections[keptRepeats]) != 4 {
		return flatfile.ErrDamaged
	}
	if l.ix, err = open(sections[keptIndex]); err != nil {
		return err
	}
	rows := sections[keptRows]
	if len(rows) != rowSize*l.ix.Len() {
		return flatfile.ErrDamaged
	}
	for at := rowDoc; at < len(rows); at += rowSize {
		if le.Uint32(rows[at:]) >= uint32(l.ix.Len()) {
			return flatfile.ErrDamaged
		}
	}
	l.at = make([]int32, l.ix.Len())
	now := l.standing()
	gone, fresh, ok := l.align(rows, now)
	if !ok {
		return flatfile.ErrDamaged
	}
	if most > 0 && len(fresh) > most {
		return ErrTooMuch
	}
	l.renamed = sections[keptRepeats][0] != 0
	l.fresh = l.settle(gone, fresh)
	for d, at := range l.at {
		if at > 0 && !l.ix.isDead(uint32(d)) {
			l.ix.reads.let(uint32(d), readsOf(now.reads[at-1]))
		}
	}
	return nil
}

// standing is what tells memories from those that are in the index, by their places.
type standing struct {
	places []uint64
	sums   [][rowPlace]byte
	reads  []int64
}

// standing looks at all memories, on all cores.
func (l *Library) standing() standing {
	n := l.snap.Total()
	now := standing{make([]uint64, n), make([][rowPlace]byte, n), make([]int64, n)}
	var group sync.WaitGroup
	cores := runtime.GOMAXPROCS(0)
	for core := range cores {
		group.Go(func() {
			var room workspace.Room
			for i := core * n / cores; i < (core+1)*n/cores; i++ {
				m := l.snap.Glance(i, &room)
				sum := m.Checksum()
				now.places[i], now.sums[i], now.reads[i] = placeOf(m), [rowPlace]byte(sum[:rowPlace]), m.AccessCount
			}
		})
	}
	group.Wait()
	return now
}

// align finds which memories are documents of the index already, as it was written, and
// returns the documents that are gone and the places of memories that are new; ok is false
// for rows that aren't of this index. Both stand in the order of files.
func (l *Library) align(rows []byte, now standing) (gone []uint32, fresh []int32, ok bool) {
	n := len(rows) / rowSize
	row := func(i int) []byte { return rows[i*rowSize:][:rowSize] }
	place := func(i int) uint64 { return le.Uint64(row(i)[rowPlace:]) }
	all := len(now.places)
	skip := skipper{n: n, m: all, place: place, places: now.places}
	i, j := 0, 0
	for i < n || j < all {
		toRow, to := skip.from(i, j)
		for ; i < toRow; i++ {
			gone = append(gone, le.Uint32(row(i)[rowDoc:]))
		}
		for ; j < to; j++ {
			fresh = append(fresh, int32(j))
		}
		if i == n || j == all {
			continue
		}
		if r := row(i); [rowPlace]byte(r) == now.sums[j] {
			l.at[le.Uint32(r[rowDoc:])] = int32(j + 1)
		} else {
			gone, fresh = append(gone, le.Uint32(r[rowDoc:])), append(fresh, int32(j))
		}
		i, j = i+1, j+1
	}
	// Each document has a row, and one only.
	left := slices.Clone(l.at)
	for _, d := range gone {
		if left[d] != 0 {
			return nil, nil, false
		}
		left[d] = -1
	}
	return gone, fresh, !slices.Contains(left, 0)
}

// skipper finds where two lists of places meet again.
type skipper struct {
	n, m   int
	place  func(i int) uint64 // of a row
	places []uint64
	at     map[uint64]int // row of a place; made when they don't meet soon
}

// near is how far is looked for a place before all are put into a table.
const near = 32

// from returns the next row and memory that stand at the same place, not before i and j;
// the ends of the lists for none.
func (s *skipper) from(i, j int) (row, memory int) {
	for ; i < s.n && j < s.m && s.place(i) != s.places[j]; j++ {
		for d := 1; d <= near; d++ {
			if i+d < s.n && s.place(i+d) == s.places[j] {
				return i + d, j
			}
			if j+d < s.m && s.place(i) == s.places[j+d] {
				return i, j + d
			}
		}
		if s.at == nil {
			s.at = make(map[uint64]int, s.n)
			for k := range s.n {
				s.at[s.place(k)] = k
			}
		}
		if k, ok := s.at[s.places[j]]; ok && k > i {
			return k, j
		}
	}
	if i == s.n || j == s.m {
		return s.n, s.m
	}
	return i, j
}
