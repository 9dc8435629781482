package workspace

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// tables are what several rows say alike, by numbers. They are safe for concurrent use: all
// who read files for one image have them in common.
type tables struct {
	mu      sync.Mutex
	strings []string // the first one is empty
	size    int      // of the strings, in bytes
	numbers []float64
	commons []byte // rows of commonRow bytes

	places  map[string]uint32 // of strings
	counted map[uint64]uint32 // of numbers, by their bits
	shared  []sharedRow       // of commons: with open addressing, a power of two
}

// sharedRow is where a row of commons stands, one more, and half of its hash: to make the table
// larger takes no look at the rows.
type sharedRow struct{ hash, place uint32 }

var wordSeed = maphash.MakeSeed()

func newTables() *tables {
	return &tables{strings: []string{""}, places: map[string]uint32{}, counted: map[uint64]uint32{}, shared: make([]sharedRow, 1024)}
}

// word is a string of the table, with its number.
func (t *tables) word(s string) word {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.places[s]
	if !ok {
		n = uint32(len(t.strings))
		t.strings = append(t.strings, strings.Clone(s))
		t.size += len(s)
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
	at := t.sharedAt(row, uint32(hash))
	if at.place > 0 {
		return at.place - 1
	}
	if cap(t.commons)-len(t.commons) < commonRow {
		t.commons = slices.Grow(t.commons, max(len(t.commons), 64*commonRow))
	}
	t.commons = append(t.commons, row[:]...)
	n := len(t.commons) / commonRow
	*at = sharedRow{uint32(hash), uint32(n)}
	if n > len(t.shared)/2 {
		was := t.shared
		t.shared = parallel.Zeroed[sharedRow](4 * len(was))
		for _, r := range was {
			if r.place > 0 {
				*t.sharedAt(nil, r.hash) = r
			}
		}
	}
	return uint32(n - 1)
}

// sharedAt is where a row with a hash stands in the table, or may be put; nil is like no other.
func (t *tables) sharedAt(row *[commonRow]byte, hash uint32) *sharedRow {
	for at := hash; ; at++ {
		r := &t.shared[at&uint32(len(t.shared)-1)]
		if r.place == 0 || r.hash == hash && row != nil && [commonRow]byte(t.commons[int(r.place-1)*commonRow:]) == *row {
			return r
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
