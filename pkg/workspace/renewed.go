package workspace

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// renewal is an index that has changed since it was last looked at: its row in the known image,
// and which of the files it is that a part has read. Of an index an image keeps only that it is
// one, so that its row is brought along without any other.
type renewal struct{ row, read int }

// A renewed row, in a section of its own, so that no row has to be changed where it lies: the
// number of a row of a file, and what stands there from [fileID] to [fileFirst].
const renewedRow = 4 + fileFirst - fileID

// fileAt is the row of a file: as it lies, or as it was renewed, which is known of an index only.
func (s *sheet) fileAt(i int) []byte {
	row := s.files[i*fileRow:][:fileRow]
	if len(s.renewed) > 0 && u32(row, fileKind)&isIndex != 0 {
		if now, ok := s.renewed[i]; ok {
			return now
		}
	}
	return row
}

// renew reads the renewed rows.
func (s *sheet) renew(rows []byte) {
	s.renewed = make(map[int][]byte, len(rows)/renewedRow)
	for ; len(rows) > 0; rows = rows[renewedRow:] {
		i := int(u32(rows, 0))
		row := slices.Clone(s.files[i*fileRow:][:fileRow])
		if u32(row, fileKind)&isIndex == 0 {
			panic(flatfile.ErrDamaged) // [openImage] recovers it
		}
		copy(row[fileID:], rows[4:renewedRow])
		s.renewed[i] = row
	}
}

// renewedRows are those of the known indexes that were renewed before, or have changed since and can
// be told from their next versions.
func (sc *scanner) renewedRows() (rows []byte) {
	all := map[int][]byte{}
	maps.Copy(all, sc.known.records.renewed)
	for _, p := range sc.parts {
		for _, r := range p.renewed {
			if now := sc.fresh.file(p.firstFile + r.read); !isUnsure(now) {
				all[r.row] = now
			}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(all)) {
		rows = binary.LittleEndian.AppendUint32(rows, uint32(i))
		rows = append(rows, all[i][fileID:fileFirst]...)
	}
	return rows
}
