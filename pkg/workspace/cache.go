package workspace

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/build"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// catalogName is the saved catalogue below [CacheDir], and CacheFile its path. It is derived: it
// may be deleted at any time.
const (
	catalogName = "catalog"
	CacheFile   = CacheDir + "/" + catalogName
)

// loaded is what a store has read last.
type loaded struct {
	snap    *memory.Snapshot
	files   *catalog.Catalog
	changed int64 // bytes that were read for it, or are known no more, since the catalogue was saved
	total   int64
}

// catalogKey says of which workspace a saved catalogue is, which program has parsed the files,
// and what was derived of the memories. There is none where no cache may be used.
func (s *FileStore) catalogKey() (string, bool) {
	if !s.caches() {
		return "", false
	}
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) {
		return "", false
	}
	return fmt.Sprintf("%d %d %q %s", info.ID.Device, info.ID.Number, s.Derive.Version, build.ID()), true
}

// savedCatalog reads the saved catalogue; nil where there is none that can be used.
func (s *FileStore) savedCatalog() *catalog.Catalog {
	key, ok := s.catalogKey()
	if !ok {
		return nil
	}
	data, err := s.Cache().Read(catalogName)
	if err != nil {
		return nil
	}
	saved, err := catalog.Decode(data, key, s.root)
	if err != nil {
		return nil
	}
	return saved
}

// remember keeps what was read; known is what it was compared with, nil for nothing.
func (s *FileStore) remember(snap *memory.Snapshot, files, known *catalog.Catalog, before int64) {
	now := &loaded{snap: snap, files: files, changed: before + files.Unlike(known)}
	now.total = files.Unlike(nil)
	if known == nil {
		now.changed = now.total + 1 // nothing is saved, not even that there are no files
	}
	s.last.Store(now)
}

// Reload is what [FileStore.Load] would give, brought up to date from the snapshot that this
// store has given last, by the names, slash-separated and relative to the workspace, of
// all files that may have changed since and of all directories that came or went. What
// became of them doesn't matter. Changes below ops/ need not be named. It is nil for any other
// snapshot, and while somebody is writing: then load.
func (s *FileStore) Reload(at time.Time, from *memory.Snapshot, names []string) *memory.Snapshot {
	last := s.last.Load()
	before, open := s.runState()
	if last == nil || last.snap != from || open {
		return nil
	}
	root := &reads{FS: s.root}
	disk := s.disk()
	disk.Root = root
	files, err := disk.Update(last.files, names)
	if err != nil || files.Moving {
		return nil
	}
	snap := s.snapshot(root, at, files, readHistory(root), readReview(root))
	if after, open := s.runState(); open || after != before || root.err() != nil {
		return nil
	}
	s.remember(snap, files, last.files, last.changed)
	return snap
}
