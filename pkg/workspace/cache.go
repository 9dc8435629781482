package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// CacheFile keeps what the files held when a plan was last made, so that the next one
// reads only those that have changed since. It is derived: it may be deleted at any time.
const CacheFile = OpsDir + "/cache/memories"

// cacheVersion goes up whenever what is in the cache is laid out or found otherwise.
const cacheVersion = 13

// Deriver makes of a memory's bytes what a reader of the cache shall find again.
type Deriver struct {
	Version string // changes whenever Of would make something else
	// Of appends it. It keeps nothing of the memory's bytes: they are the next one's soon.
	Of func(to []byte, m *Memory) []byte
}

// Sections of the cache.
const (
	cacheCounts  = iota // see counts
	cacheFolders        // see folderRow
	cachePaths          // of these
	cacheFiles          // see fileRow
	cacheRecords        // see recordRow
	cacheCommons        // see commonRow
	cacheTags           // of all records, as numbers of strings
	cacheExtras
	cacheNumbers
	cacheStrings // where each stands in text, and its length
	cacheText
	cacheFindings
	cacheIDs     // see idTable
	cacheRenewed // see renewedRow
	cacheSections
)

// crowded is how many bytes of rows are put together anew beside those that were read when a few
// files have changed: with more, a plan would need more room than all else that it does.
const crowded = 8 << 20

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
func (s *FileStore) scan() (*scanner, error) {
	if known := s.known.Load(); known != nil || s.NoCache {
		return s.scanKnowing(func() *image { return known })
	}
	key, ok := s.cacheKey()
	if !ok {
		return s.scanKnowing(noImage)
	}
	l, err := s.scanKnowing(func() *image { return s.cachedImage(key) })
	if errors.Is(err, flatfile.ErrDamaged) {
		return s.scanKnowing(noImage)
	}
	l.cached = l.known != nil
	return l, err // which says that the reading was stopped
}

func noImage() *image { return nil }

// cachedImage reads the cache; nil where there is none that can be used.
func (s *FileStore) cachedImage(key flatfile.Key) *image {
	sections, err := s.cacheSections(key)
	if err != nil {
		return nil
	}
	im, err := openImage(sections)
	if err != nil {
		return nil
	}
	im.since = s.readNames(key)
	return im
}

// cacheSections reads the cache, or borrows it.
func (s *FileStore) cacheSections(key flatfile.Key) (sections [][]byte, err error) {
	if !s.Brief || !s.borrowed.CompareAndSwap(false, true) {
		return flatfile.Load(s.root, CacheFile, cacheVersion, key)
	}
	sections, lent, err := flatfile.Borrow(s.root, CacheFile, cacheVersion, key)
	switch {
	case lent == 0:
	case err != nil:
		durable.RestLent() // of another version, say: nobody looks at it again
	case s.Lent != nil:
		s.Lent(int64(lent))
	}
	return sections, err
}

// scanKnowing walks and reads, and once more where names were known that are not there: some file went
// in that moment, or what is known of its directory is wrong.
func (s *FileStore) scanKnowing(known func() *image) (*scanner, error) {
	l, err := s.scanOnce(known, false)
	if err == nil && l.misled() {
		return s.scanOnce(func() *image { return l.known }, true)
	}
	return l, err
}

func (s *FileStore) scanOnce(known func() *image, relist bool) (*scanner, error) {
	l := newScanner(s.root, s.room)
	l.relist = relist
	l.settled, l.derive = time.Now().Add(-s.Racy), s.Derive.Of // by the clock that dates the files
	l.know = sync.OnceFunc(func() {
		if l.known = known(); l.known != nil {
			l.kept, l.findings = make([]bool, l.known.records.len()), l.known.findings
		}
	})
	var unread error
	err := l.read(func() { unread = l.walk() }, s.parallel, s.Progress)
	if err == nil && unread != nil {
		err = fmt.Errorf("read workspace: %w", unread)
	}
	return l, err
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
	rows := &encoded{sheet: sheet{
		files: sections[cacheFiles], records: sections[cacheRecords], tags: sections[cacheTags], extras: sections[cacheExtras], text: sections[cacheText],
	}}
	rows.strings = stringTable{sections[cacheStrings], &rows.sheet}
	for i := range len(rows.strings.rows) / stringRow {
		_ = rows.strings.at(uint32(i))
	}
	rows.renew(sections[cacheRenewed])
	head := readCounts(sections[cacheCounts])
	im = &image{records: rows, live: head.live, own: head.own, findings: sections[cacheFindings], sections: [cacheSections][]byte(sections)}
	if section := sections[cacheIDs]; section != nil {
		table, err := readIDTable(section, rows.len(), head.seed, head.several)
		if err != nil {
			return nil, err
		}
		im.ids = func() *idTable { return table }
	} else {
		im.ids = sync.OnceValue(func() *idTable { return newIDTable(rows.len(), rows.id) })
	}
	rows.commons = sections[cacheCommons]
	known := uint32(len(rows.strings.rows) / stringRow)
	for some := rows.commons; len(some) > 0; some = some[commonRow:] {
		for row, at := some[:commonRow], 0; at < rowMarks; at += 4 {
			if u32(row, at) >= known {
				return nil, flatfile.ErrDamaged
			}
		}
	}
	rows.shared = parallel.Zeroed[atomic.Pointer[Common]](len(rows.commons) / commonRow)
	numbers := sections[cacheNumbers]
	rows.numbers = make([]float64, len(numbers)/8)
	for i := range rows.numbers {
		rows.numbers[i] = math.Float64frombits(uint64(i64(numbers, 8*i)))
	}
	if im.dirs, err = readFolders(sections[cacheFolders], sections[cachePaths], len(rows.files)/fileRow); err != nil {
		return nil, err
	}
	if im.live > rows.len() || len(rows.strings.rows) == 0 {
		return nil, flatfile.ErrDamaged
	}
	return im, nil
}

// Findings is what an earlier plan of this workspace kept with [FileStore.SaveCache],
// for its memories by [Snapshot.Row]; nil for none.
func (s *Snapshot) Findings() []byte { return s.findings }

// RemoveCache deletes the cache.
func (s *FileStore) RemoveCache() error {
	err := s.root.Remove(CacheFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.dropNames())
}
