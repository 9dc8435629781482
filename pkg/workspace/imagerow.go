package workspace

import (
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/timestamp"
)

// A row of a memory, in little-endian order. What is said by a number of 32 bits is a
// string of the table, unless it says otherwise.
const (
	recordRow = 140

	rowText      = 0  // where its id stands in text, and behind it what was derived
	rowID        = 8  // length of the id
	rowDerived   = 12 // and of the latter
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
	rowChecksum  = 108
	rowFindings  = 124 // its row in the findings
	rowFile      = 128 // the row of its file
	rowFrom      = 132 // where it stands in a collection, and how many bytes: numbers
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
	flagLocked // whatever is said of why
)

// A row of what memories have in common.
const (
	commonRow = 36

	rowMarks = 32 // behind the strings: see [Common.texts]
)

const (
	markConsent = 1 << iota
	markProtected
)

// encoded are the rows of an image, read in place. Strings alias its text.
type encoded struct {
	sheet
	strings stringTable
	commons []byte                   // see [tables]
	shared  []atomic.Pointer[Common] // those that somebody has asked for
	numbers []float64
}

func (s *sheet) row(row int) []byte { return s.records[row*recordRow:][:recordRow] }

// said is what stands in the text.
func (s *sheet) said(at uint64, n uint32) string { return viewString(s.text[at:][:n]) }

// path is the name of the file of a row.
func (s *sheet) path(file []byte) string { return s.said(u64(file, filePath), u32(file, fileName)) }

func (e *encoded) id(row int) string {
	r := e.row(row)
	return e.said(u64(r, rowText), u32(r, rowID))
}

// file is the name of the file of a memory's row.
func (e *encoded) file(row int) string {
	return e.path(e.files[int(u32(e.row(row), rowFile))*fileRow:])
}

// check panics where a row of that file is none: it goes where memory does.
func (e *encoded) check(row, file int) {
	r := e.row(row)
	if int(u32(r, rowFile)) != file {
		panic(errForged)
	}
	_ = e.text[u64(r, rowText):][:uint64(u32(r, rowID))+uint64(u32(r, rowDerived))]
	_ = &e.shared[u32(r, rowCommon)]
	flags := u32(r, rowFlags)
	if flags&flagWhole == 0 {
		_ = e.strings.at(u32(r, rowArray))
		if from, size := u32(r, rowFrom), u32(r, rowFrom+4); int64(from)+int64(size) > i64(e.files[file*fileRow:], fileSize) {
			panic(errForged)
		}
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
	of   *sheet
}

const stringRow = 12

func (t stringTable) at(i uint32) string {
	row := t.rows[stringRow*int(i):][:stringRow]
	return t.of.said(u64(row, 0), u32(row, 8))
}

// arrays remembers the keys of the last array's pointer: many records are of the same.
type arrays struct {
	pointer string
	keys    []string
	common  *Common // room for what a memory shares with others, if that is not made to stay
}

func (a *arrays) of(pointer string) []string {
	if a.keys == nil || a.pointer != pointer {
		a.pointer = pointer
		a.keys, _, _ = parsePointer(pointer + "/0")
	}
	return a.keys
}

// memory fills in that of a row, into one of which only the room for tags counts: all
// but what the image tells, and its place in a source.
func (e *encoded) memory(row int, m *Memory, last *arrays) {
	r := e.row(row)
	flags := u32(r, rowFlags)
	has := func(flag uint32) bool { return flags&flag != 0 }
	m.File, m.ID, m.Links = e.file(row), e.id(row), &noLinks
	m.Common, m.AccessCount = e.common(u32(r, rowCommon), last.common), i64(r, rowAccess)
	if !has(flagWhole) {
		m.Array, m.Index = last.of(e.strings.at(u32(r, rowArray))), int(u32(r, rowIndex))
		m.from, m.size = int32(u32(r, rowFrom)), int32(u32(r, rowFrom+4))
	}
	if has(flagDerived) {
		n := int(u32(r, rowDerived))
		m.derived = e.text[u64(r, rowText)+uint64(u32(r, rowID)):][:n:n] // never written to
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
	copy(m.checksum[:], r[rowChecksum:])
	m.row = int32(u32(r, rowFindings))
}

// common is what memories share: in room, if there is some and it was not made yet.
func (e *encoded) common(n uint32, room *Common) *Common {
	if c := e.shared[n].Load(); c != nil {
		return c
	}
	c := room
	if room == nil {
		c = &Common{}
	}
	r := e.commons[int(n)*commonRow:][:commonRow]
	for i, text := range c.texts() {
		*text = e.strings.at(u32(r, 4*i))
	}
	marks := u32(r, rowMarks)
	c.Consent, c.Protected = marks&markConsent != 0, marks&markProtected != 0
	if room == nil && !e.shared[n].CompareAndSwap(nil, c) {
		return e.shared[n].Load()
	}
	return c
}

func (l *Links) all() [4]*[]string {
	return [...]*[]string{&l.Supersedes, &l.SupersededBy, &l.PromotedTo, &l.PromotedFrom}
}

func rowTime(r []byte, at int) time.Time {
	return time.Unix(i64(r, at), int64(u32(r, at+8))).In(timestamp.Zone(int(int32(u32(r, at+12)))))
}
