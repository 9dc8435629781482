package workspace

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sort"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// image is what is known of the files from an earlier reading: where each stood, how it
// was described, and which memories it held. A file holds them still when it is the same
// file with the same size and the same times of its last write and change; the latter
// no program can set. What is written is never decided by it, but by the digests of what
// stands in the file at that moment.
//
// It lies in memory as it does in the cache: see [cacheFile].
type image struct {
	dirs    map[string][2]uint32 // of each directory, its files: the first, and behind the last
	files   []byte               // rows of fileRow bytes, by directory, then by name
	records rows
	live    int // rows of live memories; those of archived ones follow
	text    string
	strings stringTable
	ids     *idTable // nil: nobody has made it

	of       *scanner // of this process, that has read it; nil for the cache
	findings []byte   // what a plan kept
	own      bool     // that of these rows; else of an earlier image, whose rows the memories tell
}

// rows are the memories of an image.
type rows interface {
	// memory fills in that of a row, into one of which only the room for tags counts: all
	// but what the image tells, and its place in a source.
	memory(row int, m *Memory, last *arrays)
	id(row int) string
	file(row int) string
	// told is the digest of the record of a row, and its row in the findings.
	told(row int) (sum [sha256.Size]byte, found int32)
	// check panics where a row of that file is none.
	check(row, file int)
	len() int
}

// memory fills in that of a row, as [rows] does.
func (im *image) memory(row int, m *Memory, last *arrays) {
	im.records.memory(row, m, last)
	if m.Archived = row >= im.live; im.own && !m.Archived {
		m.row = int32(row + 1)
	}
}

// found is the row in the findings of the memory of a row: one more, 0 for none.
func (im *image) found(row int) int32 {
	switch {
	case im.own && row < im.live:
		return int32(row + 1)
	case im.own:
		return 0
	}
	_, found := im.records.told(row)
	return found
}

// recognise tells the memories of a file that has changed their rows in the findings,
// where they are what they were: in a collection most are. They are looked for in the
// order in which they stood; what has changed places counts as new.
func (im *image) recognise(file []byte, ms []*Memory) {
	first, n := int(u32(file, fileFirst)), int(u32(file, fileCount))
	if n == 0 || len(ms) == 0 || first >= im.live { // there are no findings of archived ones
		return
	}
	type place struct{ at, next int32 }
	where := make(map[[sha256.Size]byte]int32, n) // the first that is left, by digest
	places := make([]place, n)
	for i := n - 1; i >= 0; i-- {
		sum, _ := im.records.told(first + i)
		found := im.found(first + i)
		next, more := where[sum]
		if !more {
			next = -1
		}
		places[i] = place{found, next}
		where[sum] = int32(i)
	}
	left := int32(0)
	for _, m := range ms {
		i, ok := where[m.sum]
		for ok && i >= 0 && i < left {
			i = places[i].next
		}
		if ok && i >= 0 {
			m.row, left = places[i].at, i+1
			where[m.sum] = places[i].next
		}
	}
}

// racy is how young a change may be that the clock of the file system doesn't tell
// from a later one (the rule of git for its index, with the granularity of FAT).
const racy = 2 * time.Second

// A row of a file, in little-endian order: where its path stands in text, and its
// length; device, number, size, time of the last write, of the last change; the first
// record and how many; what else it holds; then as numbers of strings the
// arrays, and the team that an agent's profile names.
const (
	fileRow = 72

	filePath   = 0
	fileID     = 8
	fileSize   = 24
	fileWrite  = 32
	fileChange = 40
	fileFirst  = 48
	fileCount  = 52
	fileKind   = 56
	fileArrays = 60
	fileTeam   = 64
)

// What a file holds besides memories.
const (
	lacksIDs     = 1 << iota // what would be a memory if it had an id
	isIndex                  // nothing: it is an index
	foreignIndex             // of something else than memories
)

func (im *image) file(i int) []byte { return im.files[i*fileRow:][:fileRow] }

var errForged = errors.New("what no writer of ours has left")

func u32(row []byte, at int) uint32 { return binary.LittleEndian.Uint32(row[at:]) }
func i64(row []byte, at int) int64  { return int64(binary.LittleEndian.Uint64(row[at:])) }

// path is the name of a file in the workspace.
func (im *image) path(row []byte) string { return pathIn(im.text, row) }

func pathIn(text string, row []byte) string {
	return text[u32(row, filePath):][:u32(row, filePath+4)]
}

// unchanged reports whether a file is as it was when its row was made.
func unchanged(row []byte, info durable.Info) bool {
	return info.Kind == durable.Regular && i64(row, fileSize) == info.Size &&
		binary.LittleEndian.Uint64(row[fileID:]) == info.ID.Device && binary.LittleEndian.Uint64(row[fileID+8:]) == info.ID.Number &&
		info.ModTime.UnixNano() == i64(row, fileWrite) && info.ChangeTime.UnixNano() == i64(row, fileChange)
}

// tellable reports whether a file can be told from its next version by its times: it
// was last changed before, and these times can be kept.
func tellable(info durable.Info, before time.Time) bool {
	fits := func(t time.Time) bool { return !t.IsZero() && time.Unix(0, t.UnixNano()).Equal(t) && t.Before(before) }
	return info.Kind == durable.Regular && fits(info.ChangeTime) && fits(info.ModTime)
}

// cursor finds the files of a directory in an image, when they are asked for in the
// order of their names, of which first is the first.
type cursor struct {
	im         *image
	prefix     int // length of the directory's name in a path
	next, last int
}

func (im *image) cursor(dir, first string) cursor {
	if im == nil {
		return cursor{}
	}
	span := im.dirs[dir]
	c := cursor{im: im, next: int(span[0]), last: int(span[1])}
	if dir != "" {
		c.prefix = len(dir) + 1
	}
	c.next += sort.Search(c.last-c.next, func(i int) bool { return c.name(c.next+i) >= first })
	return c
}

func (c *cursor) name(file int) string { return c.im.path(c.im.file(file))[c.prefix:] }

// find returns the row of the file with a name; -1 for none.
func (c *cursor) find(name string) int {
	for c.next < c.last {
		switch known := c.name(c.next); {
		case known < name:
			c.next++
		case known > name:
			return -1
		default:
			c.next++
			return c.next - 1
		}
	}
	return -1
}
