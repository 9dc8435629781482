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
	"sort"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// CacheFile keeps what the files held when a plan was last made, so that the next one
// reads only those that have changed since. It is derived: it may be deleted at any time.
const CacheFile = OpsDir + "/cache/memories"

// cacheVersion goes up whenever what is in the cache is laid out or found otherwise.
const cacheVersion = 5

// Deriver makes of a memory's bytes what a reader of the cache shall find again.
type Deriver struct {
	Version string               // changes whenever Of would make something else
	Of      func(*Memory) []byte // keeps nothing of the bytes: they are the next memory's soon
}

// Sections of the cache.
const (
	cacheCounts  = iota // number of live memories, whether several have one id, the seed of the table of ids
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
	cacheIDs // see idTable
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
		return s.scanKnowing(entries, func() *image { return known })
	}
	key, ok := s.cacheKey()
	if !ok {
		return s.scanKnowing(entries, noImage)
	}
	l, err := s.scanKnowing(entries, func() *image { return s.cachedImage(key) })
	if errors.Is(err, flatfile.ErrDamaged) {
		return s.scanKnowing(entries, noImage)
	}
	l.cached = l.known != nil
	return l, err // which says that the reading was stopped
}

func noImage() *image { return nil }

// cachedImage reads the cache; nil where there is none that can be used.
func (s *FileStore) cachedImage(key flatfile.Key) *image {
	sections, err := flatfile.Load(s.root, CacheFile, cacheVersion, key)
	if err != nil {
		return nil
	}
	im, err := openImage(sections)
	if err != nil {
		return nil
	}
	return im
}

// scanKnowing asks for what is known while the first directories are listed.
func (s *FileStore) scanKnowing(entries []durable.Entry, known func() *image) (*scanner, error) {
	l := newScanner(s.root, s.room)
	l.learn, l.settled, l.derive = true, time.Now().Add(-s.Racy), s.Derive.Of // by the clock that dates the files
	l.know = sync.OnceFunc(func() {
		if l.known = known(); l.known != nil {
			l.kept, l.findings = make([]bool, l.known.records.len()), l.known.findings
		}
	})
	return l, l.read(func() { l.entries("", entries, 0) }, s.parallel, s.Progress)
}

// order puts all memories in the order of a snapshot: by file, and those of one file as
// they stand in it.
func (sc *scanner) order() {
	src := &source{root: sc.root, room: sc.room}
	split, same := 0, false
	if sc.known != nil {
		split = sc.known.live
		same = len(sc.live)+len(sc.archived) == 0 && !slices.Contains(sc.kept, false)
	}
	if !same {
		sc.places = make([]int32, len(sc.kept))
	}
	slot := 0
	for i, read := range [][]*Memory{sc.live, sc.archived} {
		from, to := 0, split
		if i == 1 {
			from, to = split, len(sc.kept)
		}
		l := sc.merged(from, to, read, slot)
		l.src, l.slot = src, slot
		for k := range l.made {
			if m := l.made[k].Load(); m != nil {
				if m.at = int32(k); m.body == nil && m.src == nil {
					m.src, m.slot = src, int32(slot+k)
				}
			}
		}
		slot += l.len()
		sc.ordered[i] = l
	}
	src.bodies = make([]bodySlot, slot)
}

// merged puts memories that were read among those rows of the image that are there still.
// at is the place of the first.
func (sc *scanner) merged(from, to int, read []*Memory, at int) *roster {
	if sc.places == nil {
		l := newRoster(to - from)
		l.im, l.from = sc.known, from
		return l
	}
	if !slices.IsSortedFunc(read, byFile) {
		slices.SortStableFunc(read, byFile)
	}
	kept := make([]int32, 0, to-from)
	for row := from; row < to; row++ {
		if sc.kept[row] {
			kept = append(kept, int32(row))
		} else {
			sc.places[row] = -1
		}
	}
	l := newRoster(len(kept) + len(read))
	l.im, l.rows = sc.known, make([]int32, 0, l.len())
	take := func(n int) {
		for _, row := range kept[:n] {
			sc.places[row] = int32(at + len(l.rows))
			l.rows = append(l.rows, row)
		}
		kept = kept[n:]
	}
	for _, m := range read {
		take(sort.Search(len(kept), func(i int) bool { return sc.known.records.file(int(kept[i])) >= m.File }))
		l.made[len(l.rows)].Store(m)
		l.rows = append(l.rows, -1)
	}
	take(len(kept))
	return l
}

// openImage reads the sections of a cache.
func openImage(sections [][]byte) (im *image, err error) {
	defer func() {
		if fault := recover(); fault != nil { // out of range: forged
			err = flatfile.ErrDamaged
		}
	}()
	if len(sections) != cacheSections {
		return nil, flatfile.ErrDamaged
	}
	counts := sections[cacheCounts]
	rows := &encoded{files: sections[cacheFiles], records: sections[cacheRecords], tags: sections[cacheTags], links: sections[cacheLinks], text: viewString(sections[cacheText])}
	im = &image{files: rows.files, records: rows, live: int(u32(counts, 0)), text: rows.text, dirs: map[string][2]uint32{}, findings: sections[cacheFindings]}
	im.ids = &idTable{seed: binary.LittleEndian.Uint64(counts[8:]), several: u32(counts, 4) != 0, slots: sections[cacheIDs]}
	im.strings = stringTable{sections[cacheStrings], im.text}
	rows.strings = im.strings
	commons := sections[cacheCommons]
	rows.commons = make([]Common, len(commons)/commonRow)
	for i := range rows.commons {
		rows.commons[i] = rows.common(commons[i*commonRow:][:commonRow])
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
			return nil, flatfile.ErrDamaged
		}
		im.dirs[path] = [2]uint32{first, last}
	}
	if im.live > rows.len() || len(im.strings.rows) == 0 {
		return nil, flatfile.ErrDamaged
	}
	return im, nil
}

// SaveCache keeps what was read of the files for later loads, and what find gives for
// [Snapshot.Findings]; with nil, those that were kept before stay. Where little has changed
// since the cache was written, and the findings are not to be kept anew, the file stays as
// it is, and nobody asks find; with Reuse it is written after the first load at most. It may
// fail without harm: on a read-only disk, say.
func (s *FileStore) SaveCache(snap *Snapshot, find func() []byte, anew bool) error {
	sc := snap.scan
	key, ok := s.cacheKey()
	if sc == nil || !ok || snap.live.len()+snap.archived.len() > math.MaxInt32 {
		return nil
	}
	own := find != nil
	if im := s.known.Load(); own && im != nil && im.of == sc {
		kept := *im
		kept.findings, kept.own = find(), true
		s.known.CompareAndSwap(im, &kept)
	}
	switch {
	case sc.known != nil && sc.known.of != nil:
		return nil // it came from this process, which has no need of the file, and the next reads few files again
	case sc.cached && !anew && !sc.stale():
		return nil
	}
	findings := sc.findings
	if own {
		findings = find()
	}
	e := newEncoder()
	n := sc.ordered[0].len() + sc.ordered[1].len()
	e.records, e.text = make([]byte, 0, n*recordRow), make([]byte, 0, 40*len(sc.files)+24*n)
	dirs := sc.encodeFiles(e)
	for _, group := range sc.ordered {
		for i, m := range group.all() {
			row := m.row
			if own && m.Archived {
				row = 0
			} else if own {
				row = int32(i + 1)
			}
			e.record(m, row)
		}
	}
	e.rowsOfFiles()
	ids := sc.idTable()
	table := e.table()
	counts := binary.LittleEndian.AppendUint32(nil, uint32(sc.ordered[0].len()))
	several := uint32(0)
	if ids.several {
		several = 1
	}
	counts = binary.LittleEndian.AppendUint32(counts, several)
	counts = binary.LittleEndian.AppendUint64(counts, ids.seed)
	if max(len(e.text), len(findings)) > flatfile.MaxSize/2 {
		return nil // offsets would not fit
	}
	if err := flatfile.Write(s.root, CacheFile, cacheVersion, key, counts, dirs, e.files, e.records, e.commons, e.tags, e.links, e.numbers, table, e.text, findings, ids.slots); err != nil {
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
