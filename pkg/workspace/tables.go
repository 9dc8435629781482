package workspace

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
)

// tables are what several rows say alike, by numbers. They are safe for concurrent use: all
// who read files for one image have them in common.
type tables struct {
	mu      sync.Mutex
	strings []string // the first one is empty
	numbers []float64
	commons []byte // rows of commonRow bytes

	places  map[string]uint32 // of strings
	counted map[uint64]uint32 // of numbers, by their bits
	shared  []int32           // of commons, one more, by their hashes: with open addressing
}

var wordSeed = maphash.MakeSeed()

func newTables() *tables {
	return &tables{strings: []string{""}, places: map[string]uint32{}, counted: map[uint64]uint32{}, shared: make([]int32, 1024)}
}

// word is a string of the table, with its number.
func (t *tables) word(s string) word {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.places[s]
	if !ok {
		n = uint32(len(t.strings))
		t.strings = append(t.strings, strings.Clone(s))
		t.places[t.strings[n]] = n
	}
	return word{t.strings[n], n}
}

// number is the place of a number of the table.
func (t *tables) number(v float64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	bits := math.Float64bits(v)
	n, ok := t.counted[bits]
	if !ok {
		n = uint32(len(t.numbers))
		t.counted[bits] = n
		t.numbers = append(t.numbers, v)
	}
	return n
}

// commonRow is the place of a row with a hash.
func (t *tables) commonRow(row *[commonRow]byte, hash uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := t.placeOf(row, hash)
	if *place > 0 {
		return uint32(*place - 1)
	}
	if cap(t.commons)-len(t.commons) < commonRow {
		t.commons = slices.Grow(t.commons, max(len(t.commons), 64*commonRow))
	}
	t.commons = append(t.commons, row[:]...)
	n := len(t.commons) / commonRow
	*place = int32(n)
	if n > len(t.shared)/2 {
		t.shared = make([]int32, 4*len(t.shared))
		for i := range n {
			row := (*[commonRow]byte)(t.commons[i*commonRow:])
			*t.placeOf(row, maphash.Bytes(wordSeed, row[:])) = int32(i + 1)
		}
	}
	return uint32(n - 1)
}

// placeOf is where the place of a row stands in the table, or may be put.
func (t *tables) placeOf(row *[commonRow]byte, hash uint64) *int32 {
	for at := hash; ; at++ {
		place := &t.shared[at%uint64(len(t.shared))]
		if *place == 0 || [commonRow]byte(t.commons[int(*place-1)*commonRow:]) == *row {
			return place
		}
	}
}

// sections are rows and their tables as they lie in a cache, but for what belongs to no row:
// the text is taken over.
func (e *encoder) sections() (out [cacheSections][]byte) {
	t := e.tables
	table := make([]byte, 0, stringRow*len(t.strings))
	for _, s := range t.strings {
		table = binary.LittleEndian.AppendUint64(table, e.place(s))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(s)))
	}
	numbers := make([]byte, 0, 8*len(t.numbers))
	for _, n := range t.numbers {
		numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(n))
	}
	out[cacheFiles], out[cacheRecords], out[cacheTags], out[cacheExtras], out[cacheText] = e.files, e.records, e.tags, e.extras, e.text
	out[cacheCommons], out[cacheNumbers], out[cacheStrings] = bytes.Clone(t.commons), numbers, table // half of what has grown is room
	return out
}
