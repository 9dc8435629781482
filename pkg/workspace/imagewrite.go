package workspace

import (
	"encoding/binary"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// restEvery is how many memories are copied until the cache that they came from rests.
const restEvery = 1 << 14

// whole is the image of all that the scan has found.
func (sc *scanner) whole() *image {
	switch {
	case sc.fresh == nil && !sc.changed:
		return sc.known
	case sc.known == nil:
		return sc.fresh
	}
	known, fresh := sc.known.origin(), sc.fresh.origin()
	sheets := []*sheet{&sc.known.records.sheet}
	if sc.fresh != nil {
		sheets = append(sheets, &sc.fresh.records.sheet)
	}
	c := newCollation(newTables(), slices.Values(sheets), known, fresh)
	for _, p := range sc.parts {
		p.eachFile(func(kept bool, file int) {
			at := len(c.files)
			if kept {
				c.file(p.dir, known, file)
			} else {
				c.file(p.dir, fresh, p.firstFile+file)
			}
			row := c.files[at:]
			if u32(row, fileCount) > 0 {
				places := sc.placed().fresh
				if kept {
					places = sc.placed().known
				}
				binary.LittleEndian.PutUint32(row[fileFirst:], uint32(places[u32(row, fileFirst)]))
			}
		})
	}
	for _, l := range sc.ordered {
		for i := range l.len() {
			if i%restEvery == 0 {
				durable.RestLent() // what was copied from there
			}
			if im, row := l.rowOf(i); im == sc.known {
				c.record(known, row, im.found(row))
			} else {
				c.record(fresh, row, im.found(row))
			}
		}
	}
	durable.RestLent()
	c.live = sc.ordered[0].len()
	c.tellFiles()
	return c.image(sc.folders)
}

// standing is the known image as it is, but for the rows in the findings, which patches make the
// places of its memories in the snapshot, and for indexes. What was read since otherwise, and what has
// gone, stays to be found again.
func (sc *scanner) standing() (image, flatfile.Patches) {
	im, live, places := *sc.known, int32(sc.ordered[0].len()), sc.placed().known
	im.sections[cacheRenewed], im.own = sc.renewedRows(), false
	return im, flatfile.Patches{cacheRecords: func(piece []byte, from int) {
		for row := from / recordRow; row < len(places) && row*recordRow < from+len(piece); row++ {
			place := places[row]
			if place >= live { // there are no findings of archived ones
				place = -1
			}
			var found [4]byte
			binary.LittleEndian.PutUint32(found[:], uint32(place+1))
			if at := row*recordRow + rowFindings - from; at >= 0 && at+len(found) <= len(piece) {
				copy(piece[at:], found[:])
			} else {
				for i := range found { // a piece may end in the midst of them
					if at+i >= 0 && at+i < len(piece) {
						piece[at+i] = found[i]
					}
				}
			}
		}
	}}
}

// image is what a later load of this process may take from the scan.
func (sc *scanner) image() *image {
	whole := sc.whole()
	im := *whole
	im.of, im.findings = sc.id, sc.findings
	if whole == sc.known {
		im.since, _ = sc.newly()
	}
	return &im
}

// files gives the names of all files of the scan to yield.
func (sc *scanner) files(yield func(string) bool) {
	sc.filesIn(func(string) bool { return true }, yield)
}

// filesIn gives yield the names of those in some directories, by their names with a slash behind.
func (sc *scanner) filesIn(dirs func(dir string) bool, yield func(string) bool) {
	for _, p := range sc.parts {
		if !dirs(inDir(p.dir, "")) {
			continue
		}
		more := true
		p.eachFile(func(kept bool, file int) {
			im := sc.known
			if !kept {
				im, file = sc.fresh, p.firstFile+file
			}
			more = more && yield(im.path(im.file(file)))
		})
		if !more {
			return
		}
	}
}

// eachFile gives the files of a part in the order of their names: rows of the image that
// they were kept from, and of those that were read their places.
func (p *part) eachFile(f func(kept bool, file int)) {
	if p.order == nil {
		for file := range p.fresh {
			f(false, file)
		}
		return
	}
	for _, k := range p.order {
		if k >= 0 {
			f(true, int(k))
		} else {
			f(false, int(^k))
		}
	}
}

// counts is what the head of a cache tells.
type counts struct {
	live    int    // memories
	several bool   // some id stands in several rows
	own     bool   // see [image]
	seed    uint64 // of the table of ids
}

func countsOf(c counts) []byte {
	marks := uint32(0)
	if c.several {
		marks |= 1
	}
	if c.own {
		marks |= 2
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(c.live))
	out = binary.LittleEndian.AppendUint32(out, marks)
	return binary.LittleEndian.AppendUint64(out, c.seed)
}

func readCounts(section []byte) counts {
	marks := u32(section, 4)
	return counts{int(u32(section, 0)), marks&1 != 0, marks&2 != 0, u64(section, 8)}
}
