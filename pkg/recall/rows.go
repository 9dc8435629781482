package recall

import (
	"bytes"
	"slices"

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
	docs := make(map[*workspace.Memory]uint32, l.ix.Len())
	repeats := []byte{0, 0, 0, 0}
	for d, m := range l.of {
		if now[d] != none {
			docs[m] = now[d]
			if l.ix.ids.at(uint32(d)) != m.ID {
				repeats[0] = 1
			}
		}
	}
	rows := make([]byte, 0, rowSize*len(docs))
	for _, m := range l.all() {
		if d, ok := docs[m]; ok {
			sum := m.Sum()
			rows = append(rows, sum[:rowPlace]...)
			rows = le.AppendUint64(rows, placeOf(m))
			rows = le.AppendUint32(rows, d)
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
	rows, all := sections[keptRows], l.all()
	if len(rows) != rowSize*l.ix.Len() {
		return flatfile.ErrDamaged
	}
	for at := rowDoc; at < len(rows); at += rowSize {
		if le.Uint32(rows[at:]) >= uint32(l.ix.Len()) {
			return flatfile.ErrDamaged
		}
	}
	l.of = make([]*workspace.Memory, l.ix.Len())
	gone, fresh, ok := l.align(rows, all)
	if !ok {
		return flatfile.ErrDamaged
	}
	if most > 0 && len(fresh) > most {
		return ErrTooMuch
	}
	id := func(m *workspace.Memory) string { return m.ID }
	if sections[keptRepeats][0] != 0 || l.repeats(gone, fresh) {
		ids := documentIDs(all)
		for d, m := range l.of {
			if m != nil && ids[m] != l.ix.ids.at(uint32(d)) {
				gone, fresh = append(gone, uint32(d)), append(fresh, m)
				l.of[d] = nil
			}
		}
		id = func(m *workspace.Memory) string { return ids[m] }
	}
	names := make([]string, len(gone))
	for i, d := range gone {
		names[i] = l.ix.ids.at(d)
	}
	l.ix.Remove(names...)
	if len(fresh) > 0 {
		l.add(fresh, id)
	}
	l.fresh = len(gone) + len(fresh)
	for d, m := range l.of {
		if m != nil && !l.ix.isDead(uint32(d)) {
			l.ix.reads.let(uint32(d), readsOf(m.AccessCount))
		}
	}
	return nil
}

// repeats reports whether ids would be repeated.
func (l *Library) repeats(gone []uint32, fresh []*workspace.Memory) bool {
	met := make(map[string]bool, len(fresh))
	for _, m := range fresh {
		if d := l.ix.find(m.ID); met[m.ID] || d != none && l.of[d] != nil {
			return true
		}
		met[m.ID] = true
	}
	return false
}

// align finds which memories are documents of the index already, as it was written, and
// returns the documents that are gone and the memories that are new; ok is false for rows
// that aren't of this index. Both stand in the order of files.
func (l *Library) align(rows []byte, all []*workspace.Memory) (gone []uint32, fresh []*workspace.Memory, ok bool) {
	n := len(rows) / rowSize
	row := func(i int) []byte { return rows[i*rowSize:][:rowSize] }
	place := func(i int) uint64 { return le.Uint64(row(i)[rowPlace:]) }
	places := make([]uint64, len(all))
	for j, m := range all {
		places[j] = placeOf(m)
	}
	skip := skipper{n: n, m: len(all), place: place, places: places}
	i, j := 0, 0
	for i < n || j < len(all) {
		toRow, to := skip.from(i, j)
		for ; i < toRow; i++ {
			gone = append(gone, le.Uint32(row(i)[rowDoc:]))
		}
		fresh = append(fresh, all[j:to]...)
		if j = to; i == n || j == len(all) {
			continue
		}
		r, sum := row(i), all[j].Sum()
		if bytes.Equal(r[:rowPlace], sum[:rowPlace]) {
			l.of[le.Uint32(r[rowDoc:])] = all[j]
		} else {
			gone, fresh = append(gone, le.Uint32(r[rowDoc:])), append(fresh, all[j])
		}
		i, j = i+1, j+1
	}
	// Each document has a row, and one only.
	left, nobody := slices.Clone(l.of), &workspace.Memory{}
	for _, d := range gone {
		if left[d] != nil {
			return nil, nil, false
		}
		left[d] = nobody
	}
	return gone, fresh, !slices.Contains(left, nil)
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
