package workspace

import (
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
	dirs     map[string]*knownFolder
	since    map[string]*knownFolder // of directories that have changed since
	records  *encoded                // rows of files by directory, then by name
	live     int                     // rows of live memories; those of archived ones follow
	ids      func() *idTable
	sections [cacheSections][]byte

	of       *scanID // the scan of this process that it comes from; nil for the cache
	findings []byte  // what a plan kept
	own      bool    // that of these rows; else of an earlier image, whose rows the memories tell
}

// memory fills in that of a row, as [encoded.memory] does.
func (im *image) memory(row int, m *Memory, room *Common) {
	im.records.memory(row, m, room)
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
	return int32(u32(im.records.row(row), rowFindings))
}

// recognise tells the memories of a file that has changed, of which rows are, their rows in
// the findings, where they are what they were: in a collection most are. They are looked for
// in the order in which they stood; what has changed places counts as new.
func (im *image) recognise(file, rows []byte) {
	first, n := int(u32(file, fileFirst)), int(u32(file, fileCount))
	if n == 0 || len(rows) == 0 || first >= im.live { // there are no findings of archived ones
		return
	}
	type place struct{ at, next int32 }
	where := make(map[Checksum]int32, n) // the first that is left
	places := make([]place, n)
	for i := n - 1; i >= 0; i-- {
		sum := Checksum(im.records.row(first + i)[rowChecksum:])
		next, more := where[sum]
		if !more {
			next = -1
		}
		places[i] = place{im.found(first + i), next}
		where[sum] = int32(i)
	}
	left := int32(0)
	for ; len(rows) > 0; rows = rows[recordRow:] {
		sum := Checksum(rows[rowChecksum:])
		i, ok := where[sum]
		for ok && i >= 0 && i < left {
			i = places[i].next
		}
		if ok && i >= 0 {
			was := u32(im.records.row(first+int(i)), rowFlags)
			if (was^u32(rows, rowFlags))&flagLocked == 0 { // else it is not what it was: what stands around it tells
				binary.LittleEndian.PutUint32(rows[rowFindings:], uint32(places[i].at))
			}
			left = i + 1
			where[sum] = places[i].next
		}
	}
}

// racy is how young a change may be that the clock of the file system doesn't tell
// from a later one (the rule of git for its index, with the granularity of FAT).
const racy = 2 * time.Second

// A row of a file, in little-endian order: where its path stands in text; device, number,
// size (-1: nobody can tell whether it is what it was), time of the last write, of the last
// change; the first record and how many; what else it holds; then as numbers of strings the
// arrays, and the team that an agent's profile names; the length of the path.
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
	fileName   = 68
)

// What a file holds besides memories.
const (
	lacksIDs     = 1 << iota // what would be a memory if it had an id
	isIndex                  // nothing: it is an index
	foreignIndex             // of something else than memories
)

func (im *image) file(i int) []byte { return im.records.fileAt(i) }

var errForged = errors.New("what no writer of ours has left")

func u32(row []byte, at int) uint32 { return binary.LittleEndian.Uint32(row[at:]) }
func u64(row []byte, at int) uint64 { return binary.LittleEndian.Uint64(row[at:]) }
func i64(row []byte, at int) int64  { return int64(u64(row, at)) }

// path is the name of a file in the workspace.
func (im *image) path(file []byte) string { return im.records.path(file) }

// unchanged reports whether a file is as it was when its row was made.
func unchanged(row []byte, info durable.Info) bool {
	return info.Kind == durable.Regular && i64(row, fileSize) == info.Size &&
		u64(row, fileID) == info.ID.Device && u64(row, fileID+8) == info.ID.Number &&
		info.ModTime.UnixNano() == i64(row, fileWrite) && info.ChangeTime.UnixNano() == i64(row, fileChange)
}

// unsure is the identity of a file that nobody can tell from its next version.
var unsure = identity{size: -1}

func isUnsure(row []byte) bool { return i64(row, fileSize) < 0 }

// tellable reports whether a file, or what else it is to be, can be told from its next version by
// its times: it was last changed before, and these times can be kept.
func tellable(info durable.Info, kind durable.Kind, before time.Time) bool {
	fits := func(t time.Time) bool { return !t.IsZero() && time.Unix(0, t.UnixNano()).Equal(t) && t.Before(before) }
	return info.Kind == kind && fits(info.ChangeTime) && fits(info.ModTime)
}

// cursor finds the files of a directory in an image, when they are asked for in the
// order of their names, of which first is the first.
type cursor struct {
	im         *image
	prefix     int // length of the directory's name in a path
	next, last int
}

func (im *image) cursor(dir, first string) cursor {
	c := cursor{im: im, prefix: len(inDir(dir, ""))}
	c.next, c.last = im.span(dir)
	c.next += sort.Search(c.last-c.next, func(i int) bool { return c.name(c.next+i) >= first })
	return c
}

// names appends those of files of a directory, by their rows.
func (im *image) names(to []string, dir string, first, last int) []string {
	c := cursor{im: im, prefix: len(inDir(dir, ""))}
	for file := first; file < last; file++ {
		to = append(to, c.name(file))
	}
	return to
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
