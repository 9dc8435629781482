package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/build"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// CacheDir holds derived files: each may be deleted or damaged at any time, and is made
// again.
const CacheDir = memory.OpsDir + "/cache"

// maxCacheFile bounds the size of a derived file that is read, in bytes.
const maxCacheFile = 1 << 30

// Cache is the folder of derived files of a workspace.
type Cache struct{ store *FileStore }

// Cache is what the store keeps of derived files, below [CacheDir].
func (s *FileStore) Cache() *Cache { return &Cache{s} }

// Read reads the derived file of that name below [CacheDir]. The error is
// [fs.ErrNotExist] where there is none, and [errors.ErrUnsupported] where the workspace has
// no caches: by its settings, or on a network drive. Whoever reads a file checks it.
func (c *Cache) Read(name string) ([]byte, error) {
	if !caches(c.store) {
		return nil, fmt.Errorf("read cache %s: %w", name, errors.ErrUnsupported)
	}
	data, _, err := c.store.root.Read(path.Join(CacheDir, name), maxCacheFile)
	if err != nil {
		return nil, fmt.Errorf("read cache %s: %w", name, err)
	}
	return data, nil
}

// Write replaces the derived file of that name below [CacheDir] atomically; with nil
// data it removes the file. The file is not fsynced and no lock is taken: of several writers
// the last one wins. Nothing is written where the workspace has no caches or is read-only,
// and that is not an error.
func (c *Cache) Write(name string, data []byte) error {
	if !caches(c.store) {
		return nil
	}
	err := c.replace(path.Join(CacheDir, name), data)
	if err == nil || c.readOnly() {
		return nil
	}
	return fmt.Errorf("write cache %s: %w", name, err)
}

// readOnly reports whether the process may not write below [CacheDir], or create it.
func (c *Cache) readOnly() bool {
	for _, dir := range []string{CacheDir, memory.OpsDir, "."} {
		if err := durable.Writable(c.store.root, dir); !errors.Is(err, fs.ErrNotExist) {
			return errors.Is(err, durable.ErrClosed)
		}
	}
	return false
}

func (c *Cache) replace(file string, data []byte) error {
	if data == nil {
		if err := c.store.root.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := durable.MkdirAll(c.store.root, CacheDir); err != nil {
		return err
	}
	c.sweep()
	temp, err := durable.Temp(CacheDir)
	if err != nil {
		return err
	}
	f, err := c.store.root.Create(temp, data, 0)
	if err != nil {
		return err
	}
	if err = f.Close(); err == nil {
		err = c.store.root.Rename(temp, file)
	}
	if err != nil {
		return errors.Join(err, c.store.root.Remove(temp))
	}
	return c.ignore()
}

// abandoned is the age from which a temporary file belongs to a process that was killed.
const abandoned = time.Hour

// sweep removes abandoned temporary files, as far as it can.
func (c *Cache) sweep() {
	entries, err := c.store.root.ReadDir(CacheDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name, durable.TempPrefix) {
			continue
		}
		name := path.Join(CacheDir, e.Name)
		if info, err := c.store.root.Stat(name); err == nil && info.Kind == durable.Regular && time.Since(info.ModTime) > abandoned {
			_ = c.store.root.Remove(name) // the next writer tries again
		}
	}
}

// caches reports whether derived files are read and written here at all. On a network drive
// nobody knows whose clock dates the files.
func caches(s *FileStore) bool { return !s.NoCache && s.network == "" }

// ignore keeps the caches out of version control.
func (c *Cache) ignore() error {
	f, err := c.store.root.Create(path.Join(CacheDir, ".gitignore"), []byte("*\n"), 0)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// SaveCatalog saves what the store has read of the files for later loads, if more than a hundredth of it
// has changed since it was last saved. It may fail without harm: on a read-only disk, say.
func (c *Cache) SaveCatalog() error {
	s := c.store
	last := s.last.Load()
	key, ok := catalogKey(s)
	if last == nil || !ok || last.changed <= last.total/100 {
		return nil
	}
	if err := c.Write(catalogName, last.files.Encode(key)); err != nil {
		return err
	}
	now := *last
	now.changed = 0
	s.last.CompareAndSwap(last, &now)
	return nil
}

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
func catalogKey(s *FileStore) (string, bool) {
	if !caches(s) {
		return "", false
	}
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) {
		return "", false
	}
	return fmt.Sprintf("%d %d %q %s", info.ID.Device, info.ID.Number, s.Derive.Version, build.ID()), true
}

// savedCatalog reads the saved catalogue; nil where there is none that can be used.
func savedCatalog(s *FileStore) *catalog.Catalog {
	key, ok := catalogKey(s)
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
func remember(s *FileStore, snap *memory.Snapshot, files, known *catalog.Catalog, before int64) {
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
	remember(s, snap, files, last.files, last.changed)
	return snap
}
