package workspace

import (
	"errors"
	"math"

	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// SaveCache keeps what was read of the files for later loads, and what find gives for
// [Snapshot.Findings]; with nil, those that were kept before stay. Where little would be read
// again at the next load, and the findings are not to be kept anew, the file stays as it is,
// and nobody asks find. If they are, a large cache is written again with them, but
// without what was read since, indexes excepted. With Reuse it is written after the first load at most. It may
// fail without harm: on a read-only disk, say.
func (s *FileStore) SaveCache(snap *Snapshot, find func() []byte, anew bool) error {
	sc := snap.scan
	key, ok := s.cacheKey()
	if sc == nil || !ok || snap.live.len()+snap.archived.len() > math.MaxInt32 {
		return nil
	}
	own := find != nil
	if im := s.known.Load(); own && im != nil && im.of == sc.id {
		kept := *im
		kept.findings, kept.own = find(), true
		s.known.CompareAndSwap(im, &kept)
	}
	if sc.known != nil && sc.known.of != nil {
		return nil // it came from this process, which has no need of the file, and the next reads few files again
	}
	stands := false // what is kept of the files, but for indexes and names
	if sc.cached {
		files, indexes := sc.outdated()
		if stands = files <= sc.known.bearable(); stands && files+indexes <= sc.known.bearable() && !anew {
			return s.keepNames(sc, key)
		}
	}
	findings := sc.findings
	if own { // first: whoever searched needs much memory until then
		findings = find()
	}
	var im image
	var patches flatfile.Patches
	if stands && own && sc.changed && len(sc.known.records.records) > s.crowded {
		im, patches = sc.standing()
	} else {
		whole := sc.whole()
		stands = whole == sc.known
		im, im.own = *whole, whole.own || own
	}
	sections := im.sections
	sections[cacheFindings] = findings
	ids := im.ids()
	sections[cacheIDs] = ids.section()
	sections[cacheCounts] = countsOf(counts{live: im.live, several: ids.several(), own: im.own, seed: ids.seed})
	if err := flatfile.WritePatched(s.root, CacheFile, cacheVersion, key, patches, sections[:]...); err != nil {
		return err
	}
	names := s.dropNames
	if stands {
		names = func() error { return s.keepNames(sc, key) }
	}
	return errors.Join(names(), s.ignoreCache())
}

// fileCost is what opening a file costs, in bytes of one that is open; and about so many bytes are found
// familiar while one is read anew.
const (
	fileCost  = 1 << 10
	againCost = 8
)

// bearable is how much may be read again at each load before the image is written anew: what
// that takes is saved by some ten loads then.
func (im *image) bearable() (bytes int64) {
	for _, s := range im.sections {
		bytes += int64(len(s))
	}
	return 128*fileCost + bytes/10
}

// outdated is what each load reads again as long as the cache stays as it is, in bytes, and
// what there is no more: of files, and of indexes that it knows by an earlier look. What nobody
// can tell from its next version doesn't count: it would be read again nevertheless.
func (sc *scanner) outdated() (files, indexes int64) {
	if sc.allKept() {
		return 0, 0
	}
	cost := func(row []byte) int64 {
		if isUnsure(row) {
			return 0
		}
		return fileCost + i64(row, fileSize)
	}
	for i := range len(sc.known.records.files) / fileRow {
		files += cost(sc.known.file(i))
	}
	for _, p := range sc.parts {
		p.eachFile(func(kept bool, file int) {
			if kept {
				files -= cost(sc.known.file(file))
			} else {
				files += cost(sc.fresh.file(p.firstFile + file))
			}
		})
		for _, r := range p.spared {
			for _, row := range [][]byte{sc.known.file(r.row), sc.fresh.file(p.firstFile + r.read)} { // both are counted above
				if !isUnsure(row) {
					files -= r.bytes - r.bytes/againCost
				}
			}
		}
		for _, r := range p.renewed {
			read := cost(sc.fresh.file(p.firstFile + r.read))
			files -= cost(sc.known.file(r.row)) + read
			indexes += read
		}
	}
	return files, indexes
}

// allKept reports whether each file that is known is there, as it was, and no other.
func (sc *scanner) allKept() bool {
	kept := 0
	for _, p := range sc.parts {
		if p.fresh > 0 {
			return false
		}
		kept += len(p.order)
	}
	return kept == len(sc.known.records.files)/fileRow
}
