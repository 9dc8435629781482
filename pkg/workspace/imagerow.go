package workspace

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unsafe"
)

// A row of a memory, in little-endian order. What is said by a number of 32 bits is a
// string of the table, unless it says otherwise.
const (
	recordRow = 184

	rowID        = 0  // where it stands in text, and its length
	rowDerived   = 8  // the same
	rowType      = 16 //
	rowSubtype   = 20
	rowAuthor    = 24
	rowScopeKind = 28
	rowScopeID   = 32
	rowPriority  = 36
	rowTTL       = 40
	rowLocked    = 44
	rowArray     = 48 // pointer of the array
	rowIndex     = 52 // position in it: a number
	rowTags      = 56 // where they stand in lists: a number, and how many
	rowLinks     = 64 // where they stand in lists, for each kind how many, then these
	rowFlags     = 68
	rowCreated   = 72 // seconds, nanoseconds, offset of the zone
	rowUpdated   = 88
	rowAccessed  = 104
	rowAccess    = 120
	rowSure      = 128 // confidence
	rowImportant = 136
	rowDigest    = 144
)

const (
	flagConsent = 1 << iota
	flagProtected
	flagSure
	flagImportant
	flagCreated
	flagUpdated
	flagAccessed
	flagLinks
	flagWhole
	flagDerived
)

// encoded are the rows of a cache. Strings alias text, lists are read in place.
type encoded struct {
	records []byte
	lists   []byte
	text    string
	strings []string
}

func (e *encoded) len() int { return len(e.records) / recordRow }

// arena makes room for many small things at once.
type arena struct {
	strings []string
	numbers []float64
	pointer string // of the last array
	keys    []string
}

const arenaSize = 1024

func (a *arena) list(n int) []string {
	if n > len(a.strings) {
		a.strings = make([]string, max(n, arenaSize))
	}
	out := a.strings[:n:n]
	a.strings = a.strings[n:]
	return out
}

func (a *arena) number(v float64) *float64 {
	if len(a.numbers) == 0 {
		a.numbers = make([]float64, arenaSize)
	}
	p := &a.numbers[0]
	*p = v
	a.numbers = a.numbers[1:]
	return p
}

// array is the keys of a pointer.
func (a *arena) array(pointer string) []string {
	if a.keys == nil || a.pointer != pointer {
		a.pointer = pointer
		a.keys, _, _ = parsePointer(pointer + "/0")
	}
	return a.keys
}

// at implements [rows].
func (e *encoded) at(row int, file string, m *Memory, room *arena) {
	r := e.records[row*recordRow:][:recordRow]
	flags := u32(r, rowFlags)
	has := func(flag uint32) bool { return flags&flag != 0 }
	m.File, m.ID, m.Links = file, e.text[u32(r, rowID):][:u32(r, rowID+4)], &noLinks
	m.Type, m.Subtype, m.CreatedBy = e.strings[u32(r, rowType)], e.strings[u32(r, rowSubtype)], e.strings[u32(r, rowAuthor)]
	m.Scope = Scope{e.strings[u32(r, rowScopeKind)], e.strings[u32(r, rowScopeID)]}
	m.Priority, m.TTL, m.Locked = e.strings[u32(r, rowPriority)], e.strings[u32(r, rowTTL)], e.strings[u32(r, rowLocked)]
	m.AccessCount, m.Consent, m.Protected = i64(r, rowAccess), has(flagConsent), has(flagProtected)
	if !has(flagWhole) {
		m.Array, m.Index = room.array(e.strings[u32(r, rowArray)]), int(u32(r, rowIndex))
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
		m.Confidence = room.number(math.Float64frombits(uint64(i64(r, rowSure))))
	}
	if has(flagImportant) {
		m.Importance = room.number(math.Float64frombits(uint64(i64(r, rowImportant))))
	}
	if n := int(u32(r, rowTags+4)); n > 0 {
		m.Tags = e.list(int(u32(r, rowTags)), n, room)
	}
	if has(flagLinks) {
		links, at := &Links{}, int(u32(r, rowLinks))
		for _, list := range links.all() {
			n := int(u32(e.lists, 4*at))
			if n > 0 {
				*list = e.list(at+1, n, room)
			}
			at += 1 + n
		}
		m.Links = links
	}
	copy(m.sum[:], r[rowDigest:])
}

func (l *Links) all() [4]*[]string {
	return [...]*[]string{&l.Supersedes, &l.SupersededBy, &l.PromotedTo, &l.PromotedFrom}
}

func (e *encoded) list(at, n int, room *arena) []string {
	list, numbers := room.list(n), e.lists[4*at:][:4*n]
	for i := range list {
		list[i] = e.strings[u32(numbers, 4*i)]
	}
	return list
}

func rowTime(r []byte, at int) time.Time {
	return time.Unix(i64(r, at), int64(u32(r, at+8))).In(zone(int(int32(u32(r, at+12)))))
}

// encoder makes an image.
type encoder struct {
	files   []byte
	records []byte
	lists   []byte
	text    []byte
	strings []string
	numbers map[string]uint32
}

func newEncoder() *encoder {
	e := &encoder{numbers: map[string]uint32{}}
	e.number("") // is 0
	return e
}

// number is that of a string of the table.
func (e *encoder) number(s string) uint32 {
	n, ok := e.numbers[s]
	if !ok {
		n = uint32(len(e.strings))
		s = strings.Clone(s) // which may be a part of something large
		e.numbers[s] = n
		e.strings = append(e.strings, s)
	}
	return n
}

// place puts s into the text, and gives where it stands and its length.
func (e *encoder) place(s string) (at, length uint32) {
	at = uint32(len(e.text))
	e.text = append(e.text, s...)
	return at, uint32(len(s))
}

func (e *encoder) list(items []string) {
	for _, s := range items {
		e.lists = binary.LittleEndian.AppendUint32(e.lists, e.number(s))
	}
}

// record adds the row of a memory.
func (e *encoder) record(m *Memory) {
	var buf [recordRow]byte
	r := buf[:]
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
	for _, field := range [...]struct {
		at   int
		text string
	}{
		{rowType, m.Type}, {rowSubtype, m.Subtype}, {rowAuthor, m.CreatedBy}, {rowScopeKind, m.Scope.Kind}, {rowScopeID, m.Scope.ID},
		{rowPriority, m.Priority}, {rowTTL, m.TTL}, {rowLocked, m.Locked},
	} {
		put(field.at, e.number(field.text))
	}
	if !flag(flagWhole, m.Whole()) {
		put(rowArray, e.number(pointer(m.Array)))
		put(rowIndex, uint32(m.Index))
	}
	put(rowTags, uint32(len(e.lists)/4))
	put(rowTags+4, uint32(len(m.Tags)))
	e.list(m.Tags)
	if flag(flagLinks, m.Links != &noLinks) {
		put(rowLinks, uint32(len(e.lists)/4))
		for _, list := range m.Links.all() {
			e.lists = binary.LittleEndian.AppendUint32(e.lists, uint32(len(*list)))
			e.list(*list)
		}
	}
	flag(flagConsent, m.Consent)
	flag(flagProtected, m.Protected)
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
		put64(rowSure, int64(math.Float64bits(*m.Confidence)))
	}
	if flag(flagImportant, m.Importance != nil) {
		put64(rowImportant, int64(math.Float64bits(*m.Importance)))
	}
	put(rowFlags, flags)
	copy(r[rowDigest:], m.sum[:])
	e.records = append(e.records, r...)
}

// readMemories are rows that were read by this process.
type readMemories []*Memory

func (ms readMemories) len() int { return len(ms) }

// at implements [rows].
func (ms readMemories) at(row int, _ string, m *Memory, _ *arena) { *m = *ms[row] }
