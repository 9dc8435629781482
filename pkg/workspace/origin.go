package workspace

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// origin is where rows are taken from that have tables of their own, with what their numbers
// are in the new ones: one more, 0 where nobody has asked yet.
type origin struct {
	records                            *encoded // nil: there are none
	newStrings, newCommons, newNumbers []uint32
}

// origin is the image as one that rows are taken from.
func (im *image) origin() *origin {
	if im == nil {
		return &origin{}
	}
	e := im.records
	return &origin{e, make([]uint32, len(e.strings.rows)/stringRow), make([]uint32, len(e.commons)/commonRow), make([]uint32, len(e.numbers))}
}

// size is how many bytes its strings have.
func (o *origin) size() (bytes int) {
	if o.records == nil {
		return 0
	}
	for i := range o.newStrings {
		bytes += len(o.records.strings.at(uint32(i)))
	}
	return bytes
}

func (e *encoder) stringOf(o *origin, n uint32) uint32 {
	if n == 0 {
		return 0
	}
	if o.newStrings[n] == 0 {
		o.newStrings[n] = e.word(o.records.strings.at(n)).number + 1
	}
	return o.newStrings[n] - 1
}

func (e *encoder) commonOf(o *origin, n uint32) uint32 {
	if o.newCommons[n] == 0 {
		row := [commonRow]byte(o.records.commons[n*commonRow:])
		for i := 0; i < rowMarks; i += 4 {
			binary.LittleEndian.PutUint32(row[i:], e.stringOf(o, u32(row[:], i)))
		}
		o.newCommons[n] = e.commonRow(&row, maphash.Bytes(wordSeed, row[:])) + 1
	}
	return o.newCommons[n] - 1
}

func (e *encoder) numberOf(o *origin, n uint32) uint32 {
	if o.newNumbers[n] == 0 {
		o.newNumbers[n] = e.tables.number(o.records.numbers[n]) + 1
	}
	return o.newNumbers[n] - 1
}

// reserve makes room for rows that are going to be copied.
func (e *encoder) reserve(o *origin, rows []familiarRow) {
	text, tags := 0, 0
	for _, found := range rows {
		r := o.records.row(found.row)
		text += int(u32(r, rowID)) + int(u32(r, rowDerived))
		tags += 4 * int(u32(r, rowTags+4))
	}
	e.records = slices.Grow(e.records, recordRow*len(rows))
	e.extras = slices.Grow(e.extras, placeExtras*len(rows))
	e.text, e.tags = slices.Grow(e.text, text), slices.Grow(e.tags, tags)
}

// copy adds the row of a memory, and returns it.
func (e *encoder) copy(o *origin, row int) []byte {
	s := &o.records.sheet
	was := s.row(row)
	e.records = append(e.records, was...)
	r := e.records[len(e.records)-recordRow:]
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(r[at:], v) }
	flags := u32(was, rowFlags)
	at := u64(was, rowText)
	binary.LittleEndian.PutUint64(r[rowText:], uint64(len(e.text)))
	e.text = append(e.text, s.text[at:at+uint64(u32(was, rowID))+uint64(u32(was, rowDerived))]...)
	put(rowTags, uint32(len(e.tags)/4))
	put(rowExtras, uint32(len(e.extras)/4))
	put(rowCommon, e.commonOf(o, u32(was, rowCommon)))
	for tags := s.tags[4*int(u32(was, rowTags)):][:4*int(u32(was, rowTags+4))]; len(tags) > 0; tags = tags[4:] {
		e.tags = binary.LittleEndian.AppendUint32(e.tags, e.stringOf(o, u32(tags, 0)))
	}
	extras := s.ownExtras(was)
	if flags&flagWhole == 0 {
		e.extras = binary.LittleEndian.AppendUint32(e.extras, e.stringOf(o, u32(extras, extraArray)))
		e.extras = append(e.extras, extras[extraIndex:placeExtras]...)
		extras = extras[placeExtras:]
	}
	for links := extras; len(links) > 0; {
		n := u32(links, 0)
		e.extras = binary.LittleEndian.AppendUint32(e.extras, n)
		for links = links[4:]; n > 0; n, links = n-1, links[4:] {
			e.extras = binary.LittleEndian.AppendUint32(e.extras, e.stringOf(o, u32(links, 0)))
		}
	}
	if flags&flagSure != 0 {
		put(rowSure, e.numberOf(o, u32(was, rowSure)))
	}
	if flags&flagImportant != 0 {
		put(rowImportant, e.numberOf(o, u32(was, rowImportant)))
	}
	return r
}

// ownExtras are those of a row.
func (s *sheet) ownExtras(row []byte) []byte {
	flags, n := u32(row, rowFlags), 0
	if flags&(flagWhole|flagLinks) == flagWhole {
		return nil
	}
	all := s.extrasOf(row)
	if flags&flagWhole == 0 {
		n = placeExtras
	}
	if flags&flagLinks != 0 {
		for range (&Links{}).all() {
			n += 4 + 4*int(u32(all, n))
		}
	}
	return all[:n]
}
