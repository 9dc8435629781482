package workspace

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unsafe"
)

// A row of a memory, in little-endian order. What is said by a number of 32 bits is a
// string of the table, unless it says otherwise.
const (
	recordRow = 148

	rowID        = 0  // where it stands in text, and its length
	rowDerived   = 8  // the same
	rowCommon    = 16 // its place among the commons
	rowArray     = 20 // pointer of the array
	rowIndex     = 24 // position in it: a number
	rowTags      = 28 // where they stand among the tags: a number, and how many
	rowLinks     = 36 // where they stand among the links, for each kind how many, then these
	rowFlags     = 40
	rowSure      = 44 // confidence: its place among the numbers
	rowImportant = 48
	rowCreated   = 52 // seconds, nanoseconds, offset of the zone
	rowUpdated   = 68
	rowAccessed  = 84
	rowAccess    = 100
	rowDigest    = 108
	rowFindings  = 140 // its row in the findings
	rowFile      = 144 // the row of its file
)

const (
	flagSure = 1 << iota
	flagImportant
	flagCreated
	flagUpdated
	flagAccessed
	flagLinks
	flagWhole
	flagDerived
)

// A row of what memories have in common.
const (
	commonRow = 36

	rowType      = 0
	rowSubtype   = 4
	rowAuthor    = 8
	rowScopeKind = 12
	rowScopeID   = 16
	rowPriority  = 20
	rowTTL       = 24
	rowLocked    = 28
	rowMarks     = 32
)

const (
	markConsent = 1 << iota
	markProtected
)

// encoded are the rows of a cache, read in place. Strings alias text.
type encoded struct {
	files   []byte
	records []byte
	tags    []byte // numbers of strings
	links   []byte
	text    string
	strings stringTable
	commons []Common
	numbers []float64
}

func (e *encoded) row(row int) []byte { return e.records[row*recordRow:][:recordRow] }

// id implements [rows].
func (e *encoded) id(row int) string {
	r := e.row(row)
	return e.text[u32(r, rowID):][:u32(r, rowID+4)]
}

// file implements [rows].
func (e *encoded) file(row int) string {
	return pathIn(e.text, e.files[int(u32(e.row(row), rowFile))*fileRow:])
}

// check implements [rows]: it goes where memory does.
func (e *encoded) check(row, file int) {
	r := e.row(row)
	if int(u32(r, rowFile)) != file {
		panic(errForged)
	}
	_ = e.text[u32(r, rowID):][:u32(r, rowID+4)]
	_ = e.commons[u32(r, rowCommon)]
	flags := u32(r, rowFlags)
	if flags&flagWhole == 0 {
		_ = e.strings.at(u32(r, rowArray))
	}
	if flags&flagDerived != 0 {
		_ = e.text[u32(r, rowDerived):][:u32(r, rowDerived+4)]
	}
	if flags&flagSure != 0 {
		_ = e.numbers[u32(r, rowSure)]
	}
	if flags&flagImportant != 0 {
		_ = e.numbers[u32(r, rowImportant)]
	}
	tags := e.tags[4*int(u32(r, rowTags)):][:4*int(u32(r, rowTags+4))]
	for ; len(tags) > 0; tags = tags[4:] {
		_ = e.strings.at(u32(tags, 0))
	}
	if flags&flagLinks != 0 {
		e.linked(r)
	}
}

// linked reads the links of a row.
func (e *encoded) linked(r []byte) *Links {
	links, at := &Links{}, int(u32(r, rowLinks))
	for _, list := range links.all() {
		n := int(u32(e.links, 4*at))
		for i := range n {
			*list = append(*list, e.strings.at(u32(e.links, 4*(at+1+i))))
		}
		at += 1 + n
	}
	return links
}

func (e *encoded) len() int { return len(e.records) / recordRow }

// stringTable is what several rows say, by numbers: where each string stands in text, and
// its length.
type stringTable struct {
	rows []byte
	text string
}

func (t stringTable) at(i uint32) string {
	row := t.rows[8*int(i):][:8]
	return t.text[u32(row, 0):][:u32(row, 4)]
}

// arrays remembers the keys of the last array's pointer: many records are of the same.
type arrays struct {
	pointer string
	keys    []string
}

func (a *arrays) of(pointer string) []string {
	if a.keys == nil || a.pointer != pointer {
		a.pointer = pointer
		a.keys, _, _ = parsePointer(pointer + "/0")
	}
	return a.keys
}

// memory implements [rows].
func (e *encoded) memory(row int, m *Memory, last *arrays) {
	r := e.row(row)
	flags := u32(r, rowFlags)
	has := func(flag uint32) bool { return flags&flag != 0 }
	m.File, m.ID, m.Links = e.file(row), e.id(row), &noLinks
	m.Common, m.AccessCount = &e.commons[u32(r, rowCommon)], i64(r, rowAccess)
	if !has(flagWhole) {
		m.Array, m.Index = last.of(e.strings.at(u32(r, rowArray))), int(u32(r, rowIndex))
	}
	if has(flagDerived) {
		text := e.text[u32(r, rowDerived):][:u32(r, rowDerived+4)]
		m.derived = unsafe.Slice(unsafe.StringData(text), len(text)) // never written to
	}
	if has(flagCreated) {
		m.CreatedAt = rowTime(r, rowCreated)
	}
	if has(flagUpdated) {
		m.UpdatedAt = rowTime(r, rowUpdated)
	}
	if has(flagAccessed) {
		m.LastAccessed = rowTime(r, rowAccessed)
	}
	if has(flagSure) {
		m.Confidence = &e.numbers[u32(r, rowSure)]
	}
	if has(flagImportant) {
		m.Importance = &e.numbers[u32(r, rowImportant)]
	}
	if n := int(u32(r, rowTags+4)); n > 0 {
		if m.Tags = m.Tags[:0]; cap(m.Tags) < n {
			m.Tags = make([]string, 0, n)
		}
		for tags := e.tags[4*int(u32(r, rowTags)):][:4*n]; len(tags) > 0; tags = tags[4:] {
			m.Tags = append(m.Tags, e.strings.at(u32(tags, 0)))
		}
	}
	if has(flagLinks) {
		m.Links = e.linked(r)
	}
	copy(m.sum[:], r[rowDigest:])
	m.row = int32(u32(r, rowFindings))
}

// told implements [rows].
func (e *encoded) told(row int) (sum [sha256.Size]byte, found int32) {
	r := e.row(row)
	copy(sum[:], r[rowDigest:])
	return sum, int32(u32(r, rowFindings))
}

func (e *encoded) common(r []byte) Common {
	text := func(at int) string { return e.strings.at(u32(r, at)) }
	marks := u32(r, rowMarks)
	return Common{
		Type: text(rowType), Subtype: text(rowSubtype), CreatedBy: text(rowAuthor), Scope: Scope{text(rowScopeKind), text(rowScopeID)},
		Priority: text(rowPriority), TTL: text(rowTTL), Locked: text(rowLocked),
		Consent: marks&markConsent != 0, Protected: marks&markProtected != 0,
	}
}

func (l *Links) all() [4]*[]string {
	return [...]*[]string{&l.Supersedes, &l.SupersededBy, &l.PromotedTo, &l.PromotedFrom}
}

func rowTime(r []byte, at int) time.Time {
	return time.Unix(i64(r, at), int64(u32(r, at+8))).In(zone(int(int32(u32(r, at+12)))))
}

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

// readMemories are rows that were read by this process.
type readMemories []*Memory

func (ms readMemories) len() int { return len(ms) }

// told implements [rows].
func (ms readMemories) told(row int) ([sha256.Size]byte, int32) { return ms[row].sum, ms[row].row }

// memory implements [rows].
func (ms readMemories) memory(row int, m *Memory, _ *arrays) { *m = *ms[row] }

func (ms readMemories) id(row int) string   { return ms[row].ID }
func (ms readMemories) file(row int) string { return ms[row].File }
func (ms readMemories) check(int, int)      {} // nobody else has written them
