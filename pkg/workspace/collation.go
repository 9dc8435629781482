package workspace

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
)

// collation puts rows of several origins together: in another order, with tables that all
// have in common.
type collation struct {
	*encoder
	dirs map[string]*dirSpan
	dir  string   // of the last file
	last *dirSpan // of this directory
	live int      // rows of live memories
}

// dirSpan is the first of a directory's files, and behind the last.
type dirSpan struct{ first, last uint32 }

// origin is where rows are taken from that have tables of their own, with what their numbers
// are in the new ones: one more, 0 where nobody has asked yet.
type origin struct {
	*tables
	newStrings, newCommons, newNumbers []uint32
}

func originOf(t *tables) *origin {
	return &origin{t, make([]uint32, len(t.strings)), make([]uint32, len(t.commons)/commonRow), make([]uint32, len(t.numbers))}
}

// newCollation has room for what is in some sheets, and in tables.
func newCollation(t *tables, sheets iter.Seq[*sheet], also ...*tables) *collation {
	c, n := &collation{encoder: newEncoder(t), dirs: map[string]*dirSpan{}}, [5]int{}
	for s := range sheets {
		for i, b := range s.parts() {
			n[i] += len(*b)
		}
	}
	for _, t := range append(also, t) {
		n[4] += t.size
	}
	for i, b := range c.sheet.parts() {
		*b = make([]byte, 0, n[i])
	}
	return c
}

// parts are the rows, and the text last.
func (s *sheet) parts() [5]*[]byte {
	return [...]*[]byte{&s.files, &s.records, &s.tags, &s.extras, &s.text}
}

func (c *collation) stringOf(o *origin, n uint32) uint32 {
	if n == 0 {
		return 0
	}
	if o.newStrings[n] == 0 {
		o.newStrings[n] = c.word(o.strings[n]).number + 1
	}
	return o.newStrings[n] - 1
}

func (c *collation) commonOf(o *origin, n uint32) uint32 {
	if o.newCommons[n] == 0 {
		row := [commonRow]byte(o.commons[n*commonRow:])
		for i := 0; i < rowMarks; i += 4 {
			binary.LittleEndian.PutUint32(row[i:], c.stringOf(o, u32(row[:], i)))
		}
		o.newCommons[n] = c.commonRow(&row, maphash.Bytes(wordSeed, row[:])) + 1
	}
	return o.newCommons[n] - 1
}

func (c *collation) numberOf(o *origin, n uint32) uint32 {
	if o.newNumbers[n] == 0 {
		o.newNumbers[n] = c.number(o.numbers[n]) + 1
	}
	return o.newNumbers[n] - 1
}

// file adds the row of a file in a directory. Those of a directory follow each other.
func (c *collation) file(dir string, s *sheet, o *origin, file int) {
	was := s.fileAt(file)
	at := c.place(s.path(was))
	row := c.fileRow(dir, was)
	binary.LittleEndian.PutUint64(row[filePath:], at)
	binary.LittleEndian.PutUint32(row[fileArrays:], c.stringOf(o, u32(was, fileArrays)))
	binary.LittleEndian.PutUint32(row[fileTeam:], c.stringOf(o, u32(was, fileTeam)))
}

// fileRow adds the row of a file in a directory.
func (c *collation) fileRow(dir string, was []byte) []byte {
	c.directory(dir, len(c.files)/fileRow, 1)
	c.files = append(c.files, was...)
	return c.files[len(c.files)-fileRow:]
}

// directory tells of the next files that they are in a directory.
func (c *collation) directory(dir string, first, n int) {
	if c.last == nil || c.dir != dir {
		c.dir, c.last = dir, &dirSpan{first: uint32(first)}
		c.dirs[dir] = c.last
	}
	c.last.last = uint32(first + n)
}

// record adds the row of a memory; found is its row in the findings.
func (c *collation) record(s *sheet, o *origin, row int, found int32) {
	was := s.row(row)
	c.records = append(c.records, was...)
	r := c.records[len(c.records)-recordRow:]
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(r[at:], v) }
	flags := u32(was, rowFlags)
	at := u64(was, rowText)
	binary.LittleEndian.PutUint64(r[rowText:], uint64(len(c.text)))
	c.text = append(c.text, s.text[at:at+uint64(u32(was, rowID))+uint64(u32(was, rowDerived))]...)
	put(rowTags, uint32(len(c.tags)/4))
	put(rowExtras, uint32(len(c.extras)/4))
	put(rowFindings, uint32(found))
	put(rowCommon, c.commonOf(o, u32(was, rowCommon)))
	for tags := s.tags[4*int(u32(was, rowTags)):][:4*int(u32(was, rowTags+4))]; len(tags) > 0; tags = tags[4:] {
		c.tags = binary.LittleEndian.AppendUint32(c.tags, c.stringOf(o, u32(tags, 0)))
	}
	extras := s.ownExtras(was)
	if flags&flagWhole == 0 {
		c.extras = binary.LittleEndian.AppendUint32(c.extras, c.stringOf(o, u32(extras, extraArray)))
		c.extras = append(c.extras, extras[extraIndex:placeExtras]...)
		extras = extras[placeExtras:]
	}
	for links := extras; len(links) > 0; {
		n := u32(links, 0)
		c.extras = binary.LittleEndian.AppendUint32(c.extras, n)
		for links = links[4:]; n > 0; n, links = n-1, links[4:] {
			c.extras = binary.LittleEndian.AppendUint32(c.extras, c.stringOf(o, u32(links, 0)))
		}
	}
	if flags&flagSure != 0 {
		put(rowSure, c.numberOf(o, u32(was, rowSure)))
	}
	if flags&flagImportant != 0 {
		put(rowImportant, c.numberOf(o, u32(was, rowImportant)))
	}
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

// image is that of the rows, which are of all files in some directories; c is spent.
func (c *collation) image(folders []folder) *image {
	sections := c.sections()
	sections[cacheFolders], sections[cachePaths] = folderRows(folders, func(dir string) (first, last uint32) {
		if files := c.dirs[dir]; files != nil {
			first, last = files.first, files.last
		}
		return first, last
	})
	sections[cacheCounts] = countsOf(counts{live: c.live})
	im, err := openImage(sections[:])
	if err != nil {
		panic(err) // we have made it ourselves
	}
	return im
}

// tellFiles tells the records their files.
func (c *collation) tellFiles() {
	for file := range len(c.files) / fileRow {
		row := c.files[file*fileRow:]
		first, n := int(u32(row, fileFirst)), int(u32(row, fileCount))
		for i := first; i < first+n; i++ {
			binary.LittleEndian.PutUint32(c.records[i*recordRow+rowFile:], uint32(file))
		}
	}
}
