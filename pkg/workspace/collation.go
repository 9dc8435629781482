package workspace

import (
	"encoding/binary"
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

// newCollation has room for what is in some sheets, and in tables.
func newCollation(t *tables, sheets iter.Seq[*sheet], origins ...*origin) *collation {
	c, n := &collation{encoder: newEncoder(t), dirs: map[string]*dirSpan{}}, [5]int{}
	for s := range sheets {
		for i, b := range s.parts() {
			n[i] += len(*b)
		}
	}
	n[4] += t.size
	for _, o := range origins {
		n[4] += o.size()
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

// file adds the row of a file in a directory. Those of a directory follow each other.
func (c *collation) file(dir string, o *origin, file int) {
	was := o.records.fileAt(file)
	at := c.place(o.records.path(was))
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
func (c *collation) record(o *origin, row int, found int32) {
	binary.LittleEndian.PutUint32(c.copy(o, row)[rowFindings:], uint32(found))
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
