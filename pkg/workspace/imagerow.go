package workspace

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/timestamp"
)

// A row of a memory, in little-endian order. What is said by a number of 32 bits is a
// string of the table, unless it says otherwise.
const (
	recordRow = 112

	rowText      = 0  // where its id stands in text, and behind it what was derived
	rowID        = 8  // length of the id
	rowDerived   = 12 // and of the latter
	rowCommon    = 16 // its place among the commons
	rowTags      = 20 // where they stand among the tags: a number, and how many
	rowExtras    = 28 // where its extras stand: a number
	rowFlags     = 32
	rowSure      = 36 // confidence: its place among the numbers
	rowImportant = 40
	rowCreated   = 44 // see [putTime]
	rowUpdated   = 56
	rowAccessed  = 68
	rowAccess    = 80
	rowChecksum  = 88
	rowFindings  = 104 // its row in the findings
	rowFile      = 108 // the row of its file
)

// The extras of a record, which most have none of: unless it is the whole of its file, the pointer of its array, its
// position in that, where it stands in the file and how many bytes; then, if it has any, its
// links: for each kind how many, then these.
const (
	extraArray = 4 * iota
	extraIndex
	extraFrom
	extraSize
	placeExtras
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
	array   atomic.Pointer[array] // the last one that was asked for
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

// hasID reports whether there is a row with an id. It may be one that nobody has checked, as its
// file has changed since.
func (e *encoded) hasID(row int, id string) bool {
	if row >= e.len() {
		return false
	}
	r, all := e.row(row), uint64(len(e.text))
	at, n := u64(r, rowText), u32(r, rowID)
	return int(n) == len(id) && at <= all && uint64(n) <= all-at && e.said(at, n) == id
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
		in := e.extrasOf(r)
		e.strings.check(in, extraArray)
		from, size := u32(in, extraFrom), u32(in, extraSize)
		if of := e.files[file*fileRow:]; !isUnsure(of) && int64(from)+int64(size) > i64(of, fileSize) {
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
		e.strings.check(tags, 0)
	}
	if flags&flagLinks != 0 {
		e.linked(r)
	}
}

// extrasOf are those of a row that has some, and what follows them.
func (s *sheet) extrasOf(row []byte) []byte { return s.extras[4*int(u32(row, rowExtras)):] }

// linked reads the links of a row.
func (e *encoded) linked(r []byte) *Links {
	links, rest := &Links{}, e.extrasOf(r)
	if u32(r, rowFlags)&flagWhole == 0 {
		rest = rest[placeExtras:]
	}
	for _, list := range links.all() {
		n := int(u32(rest, 0))
		for rest = rest[4:]; n > 0; n, rest = n-1, rest[4:] {
			*list = append(*list, e.strings.at(u32(rest, 0)))
		}
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

// check panics where the number in a row is that of no string: what each says was looked at
// when the table was opened.
func (t stringTable) check(row []byte, at int) { _ = t.rows[stringRow*int(u32(row, at)):][:stringRow] }

// array is the pointer of one, and its keys.
type array struct {
	pointer string
	keys    []string
}

// keys are those of an array's pointer. Many records are of the same, and share them.
func (e *encoded) keys(pointer string) []string {
	if last := e.array.Load(); last != nil && last.pointer == pointer {
		return last.keys
	}
	keys, _, _ := parsePointer(pointer + "/0")
	e.array.Store(&array{pointer, keys})
	return keys
}

// memory fills in that of a row, into one of which only the room for tags counts: all
// but what the image tells, and its place in a source. With room, what it shares with others is
// made there, if it was not made to stay.
func (e *encoded) memory(row int, m *Memory, room *Common) {
	r := e.row(row)
	flags := u32(r, rowFlags)
	has := func(flag uint32) bool { return flags&flag != 0 }
	m.File, m.ID, m.Links = e.file(row), e.id(row), &noLinks
	m.Common, m.AccessCount = e.common(u32(r, rowCommon), room), i64(r, rowAccess)
	if !has(flagWhole) {
		in := e.extrasOf(r)
		m.Array, m.Index = e.keys(e.strings.at(u32(in, extraArray))), int(u32(in, extraIndex))
		m.from, m.size = int32(u32(in, extraFrom)), int32(u32(in, extraSize))
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

// putTime writes a time of a memory in 12 bytes: seconds since 1970 and the offset of the
// zone in one number, of which the latter takes these bits, and nanoseconds. Of the years that
// [timestamp.Parse] reads the seconds take 39 bits.
func putTime(r []byte, at int, t time.Time) {
	_, offset := t.Zone()
	binary.LittleEndian.PutUint64(r[at:], uint64(t.Unix()<<zoneBits|int64(offset)&(1<<zoneBits-1)))
	binary.LittleEndian.PutUint32(r[at+8:], uint32(t.Nanosecond()))
}

const zoneBits = 24

func rowTime(r []byte, at int) time.Time {
	both := i64(r, at)
	offset := both << (64 - zoneBits) >> (64 - zoneBits)
	return time.Unix(both>>zoneBits, int64(u32(r, at+8))).In(timestamp.Zone(int(offset)))
}
