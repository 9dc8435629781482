package workspace

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// CacheFile keeps what the files held when a plan was last made, so that the next one
// reads only those that have changed since. It is derived: it may be deleted at any time.
const CacheFile = OpsDir + "/cache/memories"

// cacheVersion goes up whenever what is in the cache is laid out or found otherwise.
const cacheVersion = 4

// Deriver makes of a memory's bytes what a reader of the cache shall find again.
type Deriver struct {
	Version string // changes whenever Of would make something else
	Of      func(*Memory) []byte
}

// Sections of the cache.
const (
	cacheCounts  = iota // number of live memories, of strings
	cacheDirs           // for each directory where its path stands in text, its length, its first file, behind its last
	cacheFiles          // see fileRow
	cacheRecords        // see recordRow
	cacheCommons        // see commonRow
	cacheTags           // of all records, as numbers of strings
	cacheLinks
	cacheNumbers
	cacheStrings // where each stands in text, and its length
	cacheText
	cacheFindings
	cacheSections
)

const dirRow = 16

// cacheKey ties a cache to its workspace and to what was derived.
func (s *FileStore) cacheKey() (flatfile.Key, bool) {
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) || s.NoCache || s.network != "" { // whose clock dates the files there, nobody knows
		return flatfile.Key{}, false
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %q", info.ID.Device, info.ID.Number, s.Derive.Version)), true
}

// scan walks the workspace and reads its files, but for those that hold what is known
// of them.
func (s *FileStore) scan(entries []durable.Entry) (*scanner, error) {
	if known := s.known.Load(); known != nil || s.NoCache {
		return s.scanKnowing(entries, known)
	}
	key, ok := s.cacheKey()
	if !ok {
		return s.scanKnowing(entries, nil)
	}
	var l *scanner
	err := flatfile.Read(s.root, CacheFile, cacheVersion, key, func(sections [][]byte) error {
		im, findings, err := openImage(sections)
		if err != nil {
			return err
		}
		im.findings = slices.Clone(findings)
		l, err = s.scanKnowing(entries, im)
		im.records = nil // goes with the file
		return err
	})
	switch {
	case err == nil:
		l.cached = true
		return l, nil
	case l != nil && !errors.Is(err, flatfile.ErrDamaged):
		return nil, err // the reading was stopped
	}
	return s.scanKnowing(entries, nil) // as if there were none
}

func (s *FileStore) scanKnowing(entries []durable.Entry, known *image) (*scanner, error) {
	l := newScanner(s.root, s.room)
	l.learn, l.settled, l.derive = true, time.Now().Add(-s.Racy), s.Derive.Of // by the clock that dates the files
	if l.known = known; known != nil {
		l.slab, l.findings = make([]Memory, known.records.len()), known.findings
	}
	return l, l.read(func() { l.entries("", entries, 0) }, s.parallel, s.Progress)
}

// order returns all memories in the order of a snapshot: by file, and those of one
// file as they stand in it.
func (sc *scanner) order() (live, archived []*Memory) {
	src := &source{root: sc.root, room: sc.room}
	split := 0
	if sc.known != nil {
		split = sc.known.live
	}
	live, archived = merged(sc.slab[:split], sc.live), merged(sc.slab[split:], sc.archived)
	slots := 0
	for _, group := range [][]*Memory{live, archived} {
		for i, m := range group {
			if m.at = int32(i); m.body == nil && m.src == nil {
				m.src, m.slot = src, int32(slots)
				slots++
			}
		}
	}
	src.bodies = make([]bodySlot, slots)
	sc.ordered = [2][]*Memory{live, archived}
	return live, archived
}

// merged puts memories that were read among those of the slab that are there still.
func merged(slab []Memory, read []*Memory) []*Memory {
	byFile := func(a, b *Memory) int { return strings.Compare(a.File, b.File) }
	if !slices.IsSortedFunc(read, byFile) {
		slices.SortStableFunc(read, byFile)
	}
	out := make([]*Memory, 0, len(slab)+len(read))
	for i := range slab {
		m := &slab[i]
		if m.Links == nil { // its file is gone or was read again
			continue
		}
		for len(read) > 0 && read[0].File < m.File {
			out, read = append(out, read[0]), read[1:]
		}
		out = append(out, m)
	}
	return append(out, read...)
}

// openImage reads the sections of a cache.
func openImage(sections [][]byte) (im *image, findings []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil { // out of range: forged
			err = flatfile.ErrDamaged
		}
	}()
	if len(sections) != cacheSections {
		return nil, nil, flatfile.ErrDamaged
	}
	counts := sections[cacheCounts]
	rows := &encoded{records: sections[cacheRecords], links: sections[cacheLinks], text: string(sections[cacheText])}
	im = &image{files: slices.Clone(sections[cacheFiles]), records: rows, live: int(u32(counts, 0)), text: rows.text, dirs: map[string][2]uint32{}}
	table := sections[cacheStrings]
	im.strings = make([]string, len(table)/8)
	for i := range im.strings {
		im.strings[i] = im.text[u32(table, 8*i):][:u32(table, 8*i+4)]
	}
	rows.strings = im.strings
	commons := sections[cacheCommons]
	rows.commons = make([]Common, len(commons)/commonRow)
	for i := range rows.commons {
		rows.commons[i] = rows.common(commons[i*commonRow:][:commonRow])
	}
	tags := sections[cacheTags]
	rows.tags = make([]string, len(tags)/4)
	for i := range rows.tags {
		rows.tags[i] = im.strings[u32(tags, 4*i)]
	}
	numbers := sections[cacheNumbers]
	rows.numbers = make([]float64, len(numbers)/8)
	for i := range rows.numbers {
		rows.numbers[i] = math.Float64frombits(uint64(i64(numbers, 8*i)))
	}
	for dirs := sections[cacheDirs]; len(dirs) > 0; dirs = dirs[dirRow:] {
		path := im.text[u32(dirs, 0):][:u32(dirs, 4)]
		first, last := u32(dirs, 8), u32(dirs, 12)
		if first > last || int(last)*fileRow > len(im.files) {
			return nil, nil, flatfile.ErrDamaged
		}
		im.dirs[path] = [2]uint32{first, last}
	}
	if im.live > rows.len() || len(im.strings) == 0 {
		return nil, nil, flatfile.ErrDamaged
	}
	return im, sections[cacheFindings], nil
}

// SaveCache keeps what was read of the files for later loads, and findings for
// [Snapshot.Findings]; with nil for none, those that were kept before stay. Where little
// has changed since the cache was written, and the findings are not to be kept anew, the
// file stays as it is; with Reuse it is written after the first load at most. It may fail
// without harm: on a read-only disk, say.
func (s *FileStore) SaveCache(snap *Snapshot, findings []byte, anew bool) error {
	sc := snap.scan
	key, ok := s.cacheKey()
	if sc == nil || !ok || len(snap.all) > math.MaxInt32 || len(findings) > math.MaxInt32 {
		return nil
	}
	own := findings != nil
	if !own {
		findings = sc.findings
	} else if im := s.known.Load(); im != nil && im.of == sc {
		kept := *im
		kept.findings, kept.own = findings, true
		s.known.CompareAndSwap(im, &kept)
	}
	switch {
	case sc.known != nil && sc.known.of != nil:
		return nil // it came from this process, which has no need of the file, and the next reads few files again
	case sc.cached && !anew && !sc.stale():
		return nil
	}
	e := newEncoder()
	dirs := sc.encodeFiles(e)
	n := len(sc.ordered[0]) + len(sc.ordered[1])
	e.records, e.text = make([]byte, 0, n*recordRow), slices.Grow(e.text, 24*n)
	for _, group := range sc.ordered {
		for i, m := range group {
			row := m.row
			if own && m.Archived {
				row = 0
			} else if own {
				row = int32(i + 1)
			}
			e.record(m, row)
		}
	}
	var table []byte
	for _, s := range e.strings {
		at, n := e.place(s)
		table = binary.LittleEndian.AppendUint32(table, at)
		table = binary.LittleEndian.AppendUint32(table, n)
	}
	counts := binary.LittleEndian.AppendUint32(nil, uint32(len(sc.ordered[0])))
	if len(e.text) > flatfile.MaxSize/2 {
		return nil // offsets would not fit
	}
	if err := flatfile.Write(s.root, CacheFile, cacheVersion, key, counts, dirs, e.files, e.records, e.commons, e.tags, e.links, e.numbers, table, e.text, findings); err != nil {
		return err
	}
	return s.ignoreCache()
}

// ignoreCache keeps the cache out of version control.
func (s *FileStore) ignoreCache() error {
	f, err := s.root.Create(path.Join(path.Dir(CacheFile), ".gitignore"), []byte("*\n"), 0)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// stale reports whether so much has changed since the cache was read that writing it
// again costs less than reading the changed files again and again.
func (sc *scanner) stale() bool {
	kept, fresh := 0, 0
	for _, p := range sc.parts {
		kept += len(p.order) - len(p.fresh)
		fresh += len(p.fresh)
	}
	gone := len(sc.known.files)/fileRow - kept
	return fresh+gone > 64+kept/100
}

// Findings is what an earlier plan of this workspace kept with [FileStore.SaveCache],
// for its memories by [Snapshot.Row]; nil for none.
func (s *Snapshot) Findings() []byte { return s.findings }

// RemoveCache deletes the cache.
func (s *FileStore) RemoveCache() error {
	if err := s.root.Remove(CacheFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
