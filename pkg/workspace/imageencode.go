package workspace

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unsafe"
)

// encoder makes an image.
type encoder struct {
	files   []byte
	records []byte
	commons []byte
	tags    []byte
	links   []byte
	numbers []byte
	text    []byte
	strings []string
	known   map[string]uint32 // strings
	lately  [1024]numbered    // of these, by where they lie: many are shared
	counted map[uint64]uint32 // numbers, by their bits
	shared  []*Common         // in the order of commons
	places  []int32           // of these, one more, by their hashes: a table with open addressing
}

type numbered struct {
	text   string
	number uint32
}

func newEncoder() *encoder {
	return &encoder{known: map[string]uint32{}, counted: map[uint64]uint32{}, strings: []string{""}, places: make([]int32, 256)}
}

// string is the number of a string of the table. That of the empty one is 0.
func (e *encoder) string(s string) uint32 {
	if s == "" {
		return 0
	}
	at := unsafe.StringData(s)
	last := &e.lately[uintptr(unsafe.Pointer(at))/8%uintptr(len(e.lately))]
	if unsafe.StringData(last.text) == at && len(last.text) == len(s) {
		return last.number
	}
	n, ok := e.known[s]
	if !ok {
		n = uint32(len(e.strings))
		s := strings.Clone(s) // which may be a part of something large
		e.known[s] = n
		e.strings = append(e.strings, s)
	}
	*last = numbered{s, n}
	return n
}

// number is the place of a number of the table.
func (e *encoder) number(v float64) uint32 {
	bits := math.Float64bits(v)
	n, ok := e.counted[bits]
	if !ok {
		n = uint32(len(e.numbers) / 8)
		e.counted[bits] = n
		e.numbers = binary.LittleEndian.AppendUint64(e.numbers, bits)
	}
	return n
}

// common is the place of what a memory shares with others.
func (e *encoder) common(c *Common) uint32 {
	place := e.placeOf(c)
	if *place > 0 {
		return uint32(*place - 1)
	}
	n := len(e.shared)
	e.shared = append(e.shared, c)
	*place = int32(n + 1)
	marks := uint32(0)
	if c.Consent {
		marks |= markConsent
	}
	if c.Protected {
		marks |= markProtected
	}
	for _, text := range [...]string{c.Type, c.Subtype, c.CreatedBy, c.Scope.Kind, c.Scope.ID, c.Priority, c.TTL, c.Locked} {
		e.commons = binary.LittleEndian.AppendUint32(e.commons, e.string(text))
	}
	e.commons = binary.LittleEndian.AppendUint32(e.commons, marks)
	if len(e.shared) > len(e.places)/2 {
		e.places = make([]int32, 2*len(e.places))
		for i, c := range e.shared {
			*e.placeOf(c) = int32(i + 1)
		}
	}
	return uint32(n)
}

// placeOf is where the place of what is shared stands in the table, or may be put.
func (e *encoder) placeOf(c *Common) *int32 {
	for at := c.hash(); ; at++ {
		place := &e.places[at%uint64(len(e.places))]
		if *place == 0 || e.shared[*place-1] == c || *e.shared[*place-1] == *c {
			return place
		}
	}
}

// place puts s into the text, and gives where it stands and its length.
func (e *encoder) place(s string) (at, length uint32) {
	at = uint32(len(e.text))
	e.text = append(e.text, s...)
	return at, uint32(len(s))
}

// table puts the strings of the table into the text, and gives where they stand.
func (e *encoder) table() []byte {
	rows := make([]byte, 0, 8*len(e.strings))
	for _, s := range e.strings {
		at, n := e.place(s)
		rows = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(rows, at), n)
	}
	return rows
}

func (e *encoder) list(to []byte, items []string) []byte {
	for _, s := range items {
		to = binary.LittleEndian.AppendUint32(to, e.string(s))
	}
	return to
}

// record adds the row of a memory that has another in the findings, 0 for none.
func (e *encoder) record(m *Memory, row int32) {
	var zero [recordRow]byte
	e.records = append(e.records, zero[:]...)
	r := e.records[len(e.records)-recordRow:]
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(r[at:], v) }
	put64 := func(at int, v int64) { binary.LittleEndian.PutUint64(r[at:], uint64(v)) }
	flags := uint32(0)
	flag := func(f uint32, on bool) bool {
		if on {
			flags |= f
		}
		return on
	}
	at, n := e.place(m.ID)
	put(rowID, at)
	put(rowID+4, n)
	if flag(flagDerived, m.derived != nil) {
		at, n = e.place(viewString(m.derived))
		put(rowDerived, at)
		put(rowDerived+4, n)
	}
	put(rowCommon, e.common(m.Common))
	if !flag(flagWhole, m.Whole()) {
		put(rowArray, e.string(pointer(m.Array)))
		put(rowIndex, uint32(m.Index))
	}
	put(rowTags, uint32(len(e.tags)/4))
	put(rowTags+4, uint32(len(m.Tags)))
	e.tags = e.list(e.tags, m.Tags)
	if flag(flagLinks, m.Links != &noLinks) {
		put(rowLinks, uint32(len(e.links)/4))
		for _, list := range m.Links.all() {
			e.links = e.list(binary.LittleEndian.AppendUint32(e.links, uint32(len(*list))), *list)
		}
	}
	for _, t := range []struct {
		flag uint32
		at   int
		time time.Time
	}{{flagCreated, rowCreated, m.CreatedAt}, {flagUpdated, rowUpdated, m.UpdatedAt}, {flagAccessed, rowAccessed, m.LastAccessed}} {
		if !flag(t.flag, !t.time.IsZero()) {
			continue
		}
		_, offset := t.time.Zone()
		put64(t.at, t.time.Unix())
		put(t.at+8, uint32(t.time.Nanosecond()))
		put(t.at+12, uint32(int32(offset)))
	}
	put64(rowAccess, m.AccessCount)
	if flag(flagSure, m.Confidence != nil) {
		put(rowSure, e.number(*m.Confidence))
	}
	if flag(flagImportant, m.Importance != nil) {
		put(rowImportant, e.number(*m.Importance))
	}
	put(rowFlags, flags)
	copy(r[rowDigest:], m.sum[:])
	put(rowFindings, uint32(row))
}
