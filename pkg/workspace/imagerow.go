package workspace

import (
	"crypto/sha256"
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
