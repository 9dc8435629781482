package workspace

import (
	"encoding/binary"
	"slices"
)

// encodeFiles puts what the scan has learned of the files into e, and returns their
// directories.
func (sc *scanner) encodeFiles(e *encoder) (dirs []byte) {
	e.files, e.text = make([]byte, 0, len(sc.files)*fileRow), slices.Grow(e.text, len(sc.files)*40)
	n := 0
	for i, p := range sc.parts {
		if i == 0 || sc.parts[i-1].dir != p.dir {
			at, length := e.place(p.dir)
			dirs = binary.LittleEndian.AppendUint32(dirs, at)
			dirs = binary.LittleEndian.AppendUint32(dirs, length)
			dirs = binary.LittleEndian.AppendUint32(dirs, uint32(n))
			dirs = binary.LittleEndian.AppendUint32(dirs, uint32(n))
		}
		for _, k := range p.order {
			if k >= 0 {
				sc.encodeKept(e, int(k))
			} else {
				sc.encodeFresh(e, &p.fresh[^k])
			}
			n++
		}
		binary.LittleEndian.PutUint32(dirs[len(dirs)-4:], uint32(n))
	}
	return dirs
}

// encodeKept copies the row of an unchanged file.
func (sc *scanner) encodeKept(e *encoder, file int) {
	old := sc.known.file(file)
	at, _ := e.place(sc.known.path(old))
	e.files = append(e.files, old...)
	row := e.files[len(e.files)-fileRow:]
	binary.LittleEndian.PutUint32(row[filePath:], at)
	if u32(row, fileCount) > 0 {
		first := u32(old, fileFirst)
		if sc.places != nil {
			first = uint32(sc.places[first])
		}
		binary.LittleEndian.PutUint32(row[fileFirst:], first)
	}
	binary.LittleEndian.PutUint32(row[fileArrays:], e.string(sc.known.strings.at(u32(old, fileArrays))))
	binary.LittleEndian.PutUint32(row[fileTeam:], e.string(sc.known.strings.at(u32(old, fileTeam))))
}

func (sc *scanner) encodeFresh(e *encoder, f *learnedFile) {
	var buf [fileRow]byte
	row := buf[:]
	at, n := e.place(f.path())
	binary.LittleEndian.PutUint32(row[filePath:], at)
	binary.LittleEndian.PutUint32(row[filePath+4:], n)
	binary.LittleEndian.PutUint64(row[fileID:], f.identity.id.Device)
	binary.LittleEndian.PutUint64(row[fileID+8:], f.identity.id.Number)
	binary.LittleEndian.PutUint64(row[fileSize:], uint64(f.identity.size))
	binary.LittleEndian.PutUint64(row[fileWrite:], uint64(f.identity.written))
	binary.LittleEndian.PutUint64(row[fileChange:], uint64(f.identity.change))
	binary.LittleEndian.PutUint32(row[fileCount:], uint32(f.count))
	if f.first != nil {
		first := int(f.first.at)
		if f.first.Archived {
			first += sc.ordered[0].len()
		}
		binary.LittleEndian.PutUint32(row[fileFirst:], uint32(first))
	}
	binary.LittleEndian.PutUint32(row[fileKind:], f.rest.kind)
	binary.LittleEndian.PutUint32(row[fileArrays:], e.string(f.rest.arrays))
	binary.LittleEndian.PutUint32(row[fileTeam:], e.string(f.rest.team))
	e.files = append(e.files, row...)
}

// image is what a later load of this process may take from the scan.
func (sc *scanner) image() *image {
	e := newEncoder()
	dirs := sc.encodeFiles(e)
	table := e.table()
	im := &image{
		files: e.files, records: readMemories(slices.Concat(sc.ordered[0].all(), sc.ordered[1].all())), live: sc.ordered[0].len(),
		text: viewString(e.text), strings: stringTable{table, viewString(e.text)}, dirs: map[string][2]uint32{}, of: sc, findings: sc.findings,
	}
	for ; len(dirs) > 0; dirs = dirs[dirRow:] {
		im.dirs[im.text[u32(dirs, 0):][:u32(dirs, 4)]] = [2]uint32{u32(dirs, 8), u32(dirs, 12)}
	}
	return im
}

// rowsOfFiles tells the records which files they are of.
func (e *encoder) rowsOfFiles() {
	for file := range len(e.files) / fileRow {
		row := e.files[file*fileRow:]
		first, n := int(u32(row, fileFirst)), int(u32(row, fileCount))
		for i := first; i < first+n; i++ {
			binary.LittleEndian.PutUint32(e.records[i*recordRow+rowFile:], uint32(file))
		}
	}
}
