package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
)

// keptKey ties a derived file to its workspace. There is none where nothing is to be kept.
func (s *FileStore) keptKey(name string) (flatfile.Key, bool) {
	info, err := s.root.Stat(".")
	if err != nil || info.ID == (durable.FileID{}) || s.NoCache || s.network != "" {
		return flatfile.Key{}, false
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
