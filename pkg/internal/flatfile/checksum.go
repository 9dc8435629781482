package flatfile

import (
	"encoding/binary"
	"hash/crc32"
)

// checksum is CRC-32C. Its table is made when it is first used.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// summed is how many bytes of a section are summed up at a time.
const summed = 1 << 20

// checksums are those of sections as they are patched: of a long one that of the checksums of its
// pieces, which loop makes: [inTurn], or [parallel.Tasks].
func checksums(sections [][]byte, patches Patches, loop func(n int, f func(i int))) []uint32 {
	type piece struct{ section, number int }
	var all []piece
	of := make([][]byte, len(sections)) // the checksums of each one's pieces
	for i, s := range sections {
		n := max((len(s)+summed-1)/summed, 1)
		of[i] = make([]byte, 4*n)
		for k := range n {
			all = append(all, piece{i, k})
		}
	}
	loop(len(all), func(i int) {
		p := all[i]
		piece := patches.piece(sections, p.section, p.number*summed)
		binary.LittleEndian.PutUint32(of[p.section][4*p.number:], checksum(piece))
	})
	sums := make([]uint32, len(sections))
	for i, pieces := range of {
		if sums[i] = binary.LittleEndian.Uint32(pieces); len(pieces) > 4 {
			sums[i] = checksum(pieces)
		}
	}
	return sums
}

// inTurn is a loop on the caller's goroutine, which alone [Guard] guards.
func inTurn(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}
