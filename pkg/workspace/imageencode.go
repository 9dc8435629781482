package workspace

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// sheet are rows of files and of the memories in them: see [fileRow], [recordRow]. What is
// said in them by numbers stands in tables beside them.
type sheet struct {
	files   []byte
	records []byte
	tags    []byte // numbers of strings
	extras  []byte
	text    []byte
	renewed map[int][]byte // rows of files that stand otherwise by now: see [sheet.fileAt]
}

// encoder makes rows, with numbers of tables that others may share. It keeps nothing of the
// memories that it is given. It is for one goroutine.
type encoder struct {
	sheet
	*tables
	words   []word // that were asked for, by their hashes: with open addressing
	many    int    // how many these are
	commons []commonPlace
	arrays  struct { // of the last record in a collection
		path   []string
		number uint32
	}
	numbers [64]numberPlace // that were asked for last
}

type numberPlace struct {
	bits   uint64
	number uint32 // one more
}

type word struct {
	text   string
	number uint32
}

type commonPlace struct {
	row    [commonRow]byte
	number uint32 // one more
}

// How many are remembered at most, and the length of those strings that are worth it.
const (
	mostWords   = 1 << 16
	lastCommons = 1024
	maxWord     = 64
)

func newEncoder(t *tables) *encoder { return &encoder{tables: t} }

// string is the number of a string of the table. That of the empty one is 0.
func (e *encoder) string(s string) uint32 {
	if s == "" {
		return 0
	}
	if len(s) > maxWord {
		return e.word(s).number
	}
	if 2*e.many >= len(e.words) && len(e.words) < mostWords {
		e.remember(2 * len(e.words))
	}
	mask := uint64(len(e.words) - 1)
	for at := maphash.String(wordSeed, s); ; at++ {
		w := &e.words[at&mask]
		switch {
		case w.text == s:
			return w.number
		case w.text == "" && 2*e.many < len(e.words):
			*w = e.word(s)
			e.many++
			return w.number
		case w.text == "": // there are too many to remember them all
			return e.word(s).number
		}
	}
}

// remember makes room for so many words.
func (e *encoder) remember(n int) {
	was := e.words
	e.words = make([]word, max(n, 1024))
	clear(e.words) // at once: a page that is read before it is written costs two faults
	mask := uint64(len(e.words) - 1)
	for _, w := range was {
		if w.text == "" {
			continue
		}
		at := maphash.String(wordSeed, w.text)
		for e.words[at&mask].text != "" {
			at++
		}
		e.words[at&mask] = w
	}
}

// common is the place of what a memory shares with others.
func (e *encoder) common(c *Common) uint32 {
	var row [commonRow]byte
	for i, text := range c.texts() {
		binary.LittleEndian.PutUint32(row[4*i:], e.string(*text))
	}
	marks := uint32(0)
	if c.Consent {
		marks |= markConsent
	}
	if c.Protected {
		marks |= markProtected
	}
	binary.LittleEndian.PutUint32(row[rowMarks:], marks)
	if e.commons == nil {
		e.commons = parallel.Zeroed[commonPlace](lastCommons)
	}
	hash := maphash.Bytes(wordSeed, row[:])
	last := &e.commons[hash%lastCommons]
	if last.number == 0 || last.row != row {
		*last = commonPlace{row, e.commonRow(&row, hash) + 1}
	}
	return last.number - 1
}

// array is the number of the pointer of an array.
func (e *encoder) array(path []string) uint32 {
	if last := &e.arrays; last.number == 0 || !slices.Equal(last.path, path) {
		last.path, last.number = nil, e.string(pointer(path))
		for _, key := range path {
			last.path = append(last.path, strings.Clone(key)) // which is a part of the file's bytes
		}
	}
	return e.arrays.number
}

// number is the place of a number of the table.
func (e *encoder) number(v float64) uint32 {
	bits := math.Float64bits(v)
	last := &e.numbers[bits>>46%uint64(len(e.numbers))]
	if last.number == 0 || last.bits != bits {
		*last = numberPlace{bits, e.tables.number(v) + 1}
	}
	return last.number - 1
}

// texts are its strings, in the order of a row.
func (c *Common) texts() [8]*string {
	return [...]*string{&c.Type, &c.Subtype, &c.CreatedBy, &c.Scope.Kind, &c.Scope.ID, &c.Priority, &c.TTL, &c.Locked}
}

// place puts s into the text, and gives where it stands.
func (e *encoder) place(s string) uint64 {
	at := len(e.text)
	e.text = append(e.text, s...)
	return uint64(at)
}

func (e *encoder) list(to []byte, items []string) []byte {
	for _, s := range items {
		to = binary.LittleEndian.AppendUint32(to, e.string(s))
	}
	return to
}

// grow adds a row of zeros.
func grow(rows []byte, size int) (all, row []byte) {
	n := len(rows)
	all = slices.Grow(rows, size)[:n+size]
	clear(all[n:])
	return all, all[n:]
}

// record adds the row of a memory.
func (e *encoder) record(m *Memory) {
	var r []byte
	e.records, r = grow(e.records, recordRow)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(r[at:], v) }
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(r[at:], v) }
	flags := uint32(0)
	flag := func(f uint32, on bool) bool {
		if on {
			flags |= f
		}
		return on
	}
	flag(flagLocked, m.Locked != "")
	put64(rowText, e.place(m.ID))
	put(rowID, uint32(len(m.ID)))
	if flag(flagDerived, m.derived != nil) {
		e.place(viewString(m.derived))
		put(rowDerived, uint32(len(m.derived)))
	}
	put(rowCommon, e.common(m.Common))
	put(rowExtras, uint32(len(e.extras)/4))
	if !flag(flagWhole, m.Whole()) {
		e.extras = e.appendPlace(e.extras, m.Ref, m.from, m.size)
	}
	put(rowTags, uint32(len(e.tags)/4))
	put(rowTags+4, uint32(len(m.Tags)))
	e.tags = e.list(e.tags, m.Tags)
	if flag(flagLinks, m.Links != &noLinks) {
		for _, list := range m.Links.all() {
			e.extras = e.list(binary.LittleEndian.AppendUint32(e.extras, uint32(len(*list))), *list)
		}
	}
	for _, t := range [...]struct {
		flag uint32
		at   int
		time time.Time
	}{{flagCreated, rowCreated, m.CreatedAt}, {flagUpdated, rowUpdated, m.UpdatedAt}, {flagAccessed, rowAccessed, m.LastAccessed}} {
		if flag(t.flag, !t.time.IsZero()) {
			putTime(r, t.at, t.time)
		}
	}
	put64(rowAccess, uint64(m.AccessCount))
	if flag(flagSure, m.Confidence != nil) {
		put(rowSure, e.number(*m.Confidence))
	}
	if flag(flagImportant, m.Importance != nil) {
		put(rowImportant, e.number(*m.Importance))
	}
	put(rowFlags, flags)
	copy(r[rowChecksum:], m.checksum[:])
}

// appendPlace appends where a memory stands in a collection.
func (e *encoder) appendPlace(to []byte, ref Ref, from, size int32) []byte {
	for _, v := range [...]uint32{e.array(ref.Array), uint32(ref.Index), uint32(from), uint32(size)} {
		to = binary.LittleEndian.AppendUint32(to, v)
	}
	return to
}

// fileOf is a file as its row tells of it.
type fileOf struct {
	dir      string
	name     string // in it
	identity identity
	first    int // row of its first memory
	count    int
	otherwise
}

// otherwise is what a file holds besides memories.
type otherwise struct {
	kind   uint32 // see lacksIDs
	arrays string // joined by zero bytes
	team   string // that an agent's profile names
}

// file adds the row of a file.
func (e *encoder) file(f fileOf) {
	var row []byte
	e.files, row = grow(e.files, fileRow)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(row[at:], v) }
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(row[at:], v) }
	at := e.place(f.dir)
	if f.dir != "" {
		e.text = append(e.text, '/')
	}
	e.place(f.name)
	put64(filePath, at)
	put(fileName, uint32(uint64(len(e.text))-at))
	put64(fileID, f.identity.id.Device)
	put64(fileID+8, f.identity.id.Number)
	put64(fileSize, uint64(f.identity.size))
	put64(fileWrite, uint64(f.identity.written))
	put64(fileChange, uint64(f.identity.change))
	put(fileFirst, uint32(f.first))
	put(fileCount, uint32(f.count))
	put(fileKind, f.kind)
	put(fileArrays, e.string(f.arrays))
	put(fileTeam, e.string(f.team))
}
