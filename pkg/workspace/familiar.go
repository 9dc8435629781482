package workspace

import (
	"slices"
	"sort"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// familiar are the memories of a file that has changed whose bytes are what they were: in a
// collection most are. They are told by their checksums, in the order in which they stood, and
// aren't read again. The zero value is of a file of which nothing is known.
type familiar struct {
	known  *image
	file   int // its row
	doc    []byte
	next   int // the row that is expected
	behind int // that of the last one
	wider  int // how many more may be next
	found  []familiarRow
}

// familiarRow is that of the memory at an offset.
type familiarRow struct {
	at  int32
	row int
}

// spared is a file of which something was familiar: its row in the known image, which of those
// that a part has read it is, and how many of its bytes.
type spared struct {
	row, read int
	bytes     int64
}

// Behind elements that are new, the next familiar one is looked for among some more rows for each,
// and so many at most.
const (
	widening = 8
	widest   = 64
)

// of begins with a file as it was.
func (f *familiar) of(known *image, file int) {
	row := known.file(file)
	f.known, f.file = known, file
	f.next = int(u32(row, fileFirst))
	f.behind = f.next + int(u32(row, fileCount))
}

// end is the end of it, and gives how many bytes were familiar.
func (f *familiar) end() (bytes int64) {
	for _, found := range f.found {
		bytes += int64(u32(f.known.records.extrasOf(f.known.records.row(found.row)), extraSize))
	}
	*f = familiar{found: f.found[:0]}
	return bytes
}

// in is what is known of the elements of a document; nil for nothing.
func (f *familiar) in(doc []byte) jsonedit.Known {
	if f.next >= f.behind {
		return nil
	}
	f.doc = doc
	return f.size
}

// size implements [jsonedit.Known]. What is expected is the next memory of those that stood there,
// behind new ones one of those that follow, or, as where one place was edited, that which is as far from the
// end of the file as it was.
func (f *familiar) size(at, depth int) int {
	for row := f.next; row < min(f.next+1+f.wider, f.behind); row++ {
		if n := f.same(row, at, depth); n > 0 {
			return n
		}
	}
	was := int64(at) - int64(len(f.doc)) + i64(f.known.file(f.file), fileSize)
	later := f.next + sort.Search(f.behind-f.next, func(i int) bool { return f.from(f.next+i) >= was })
	if later < f.behind && f.from(later) == was {
		if n := f.same(later, at, depth); n > 0 {
			return n
		}
	}
	f.wider = min(f.wider+widening, widest)
	return 0
}

// from is where the memory of a row stood.
func (f *familiar) from(row int) int64 {
	r := f.known.records.row(row)
	if u32(r, rowFlags)&flagWhole != 0 {
		return 0
	}
	return int64(u32(f.known.records.extrasOf(r), extraFrom))
}

// same gives the size of the memory of a row if it stands at an offset now, as many arrays deep.
func (f *familiar) same(row, at, depth int) int {
	rows := f.known.records
	was := rows.row(row)
	if u32(was, rowFlags)&(flagWhole|flagLocked) != 0 {
		return 0
	}
	extras := rows.extrasOf(was)
	size := int64(u32(extras, extraSize))
	end := int64(at) + size
	if size == 0 || end > int64(len(f.doc)) || f.doc[end-1] != '}' || depth != 1+strings.Count(rows.strings.at(u32(extras, extraArray)), "/") ||
		checksumOf(f.doc[at:end]) != Checksum(was[rowChecksum:]) {
		return 0
	}
	rows.check(row, f.file)
	f.next, f.wider = row+1, 0
	f.found = append(f.found, familiarRow{int32(at), row})
	return int(size)
}

// row is that of the memory at an offset; -1 for none.
func (f *familiar) row(at int32) int {
	if i, ok := slices.BinarySearchFunc(f.found, at, func(found familiarRow, at int32) int { return int(found.at) - int(at) }); ok {
		return f.found[i].row
	}
	return -1
}
