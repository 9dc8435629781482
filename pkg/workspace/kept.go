package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// RecallFile keeps the index of words that memories are searched with. It is derived: it
// may be deleted at any time.
const RecallFile = OpsDir + "/cache/recall"

// keptKey ties a derived file to its workspace. There is none where nothing is to be kept.
func (s *FileStore) keptKey(name string) (flatfile.Key, bool) {
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) || s.NoCache || s.network != "" {
		return flatfile.Key{}, false
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %s", info.ID.Device, info.ID.Number, name)), true
}

// Keeps reports whether derived files are kept here at all.
func (s *FileStore) Keeps() bool {
	_, ok := s.keptKey("")
	return ok
}

// HasKept reports whether there is such a file, whatever is in it.
func (s *FileStore) HasKept(name string) bool {
	info, err := s.root.Stat(name)
	return err == nil && info.Kind == durable.Regular
}

// OpenKept opens a derived file as [FileStore.WriteKept] left it. One of another workspace or
// version, a damaged one and one that may not be used is [fs.ErrNotExist]: it is made anew.
func (s *FileStore) OpenKept(name string, version uint32) (*flatfile.File, error) {
	key, ok := s.keptKey(name)
	if !ok {
		return nil, fmt.Errorf("open %s: %w: nothing is kept here", name, fs.ErrNotExist)
	}
	file, err := flatfile.Open(s.root, name, version, key)
	if errors.Is(err, flatfile.ErrDamaged) {
		return nil, fmt.Errorf("open %s: %w: %w", name, fs.ErrNotExist, err)
	}
	return file, err
}

// WriteKept replaces a derived file of the cache, in one step: who has opened the one before
// goes on with that. It isn't made durable. Where nothing is to be kept it does nothing. It
// may fail without harm: on a read-only disk, say.
func (s *FileStore) WriteKept(name string, version uint32, sections ...[]byte) error {
	key, ok := s.keptKey(name)
	if !ok {
		return nil
	}
	if err := flatfile.Write(s.root, name, version, key, sections...); err != nil {
		return err
	}
	return s.ignoreCache()
}

// RemoveKept deletes a derived file.
func (s *FileStore) RemoveKept(name string) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
