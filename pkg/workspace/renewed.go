package workspace

import (
	"bytes"
	"encoding/binary"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// renewal is an index that has changed since it was last looked at: its row in the known image,
// and which of the files it is that a part has read. Of an index an image keeps only that it is
// one, so that its row is brought along without any other.
type renewal struct{ row, read int }

// A renewed row, in a section of its own, so that no row has to be changed where it lies: the
// number of a row of a file, and what stands there from [fileID] to [fileFirst].
const renewedRow = 4 + fileFirst - fileID

// renewedRows are those of the indexes that can be told from their next versions.
func (sc *scanner) renewedRows() (rows []byte) {
	for _, p := range sc.parts {
		for _, r := range p.renewed {
			if now := sc.fresh.file(p.firstFile + r.read); !isUnsure(now) {
				rows = binary.LittleEndian.AppendUint32(rows, uint32(r.row))
				rows = append(rows, now[fileID:fileFirst]...)
			}
		}
	}
	return rows
}

// renew puts the renewed rows into their places, in a copy: what is lent is only to be read.
func (e *encoded) renew(rows []byte) {
	if len(rows) > 0 {
		e.files = bytes.Clone(e.files)
	}
	for ; len(rows) > 0; rows = rows[renewedRow:] {
		row := e.files[int(u32(rows, 0))*fileRow:][:fileRow]
		if u32(row, fileKind)&isIndex == 0 {
			panic(flatfile.ErrDamaged) // [openImage] recovers it
		}
		copy(row[fileID:], rows[4:renewedRow])
	}
}
