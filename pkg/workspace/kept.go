package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// keptKey ties a derived file to its workspace. There is none where nothing is to be kept.
func (s *FileStore) keptKey(name string) ([sha256.Size]byte, bool) {
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) || s.NoCache || s.network != "" {
		return [sha256.Size]byte{}, false
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %s", info.ID.Device, info.ID.Number, name)), true
}

// RemoveKept deletes a derived file.
func (s *FileStore) RemoveKept(name string) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// CacheFile keeps what the files held when they were last read. It is derived: it may be
// deleted at any time.
const CacheFile = OpsDir + "/cache/memories"

// SaveCache does nothing yet.
func (s *FileStore) SaveCache(*Snapshot, func() []byte, bool) error { return nil }

// RemoveCache deletes the cache.
func (s *FileStore) RemoveCache() error { return s.RemoveKept(CacheFile) }

// Reload is nil: load.
func (s *FileStore) Reload(time.Time, *Snapshot, []string) *Snapshot { return nil }
