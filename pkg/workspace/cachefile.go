package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// CacheDir holds derived files: each may be deleted or damaged at any time, and is made
// again.
const CacheDir = memory.OpsDir + "/cache"

// maxCacheFile bounds the size of a derived file that is read, in bytes.
const maxCacheFile = 1 << 30

// ReadCache reads the derived file of that name below [CacheDir]. The error is
// [fs.ErrNotExist] where there is none, and [errors.ErrUnsupported] where the workspace has
// no caches: by its settings, or on a network drive. Whoever reads a file checks it.
func (s *FileStore) ReadCache(name string) ([]byte, error) {
	if !s.caches() {
		return nil, fmt.Errorf("read cache %s: %w", name, errors.ErrUnsupported)
	}
	data, _, err := s.root.Read(path.Join(CacheDir, name), maxCacheFile)
	if err != nil {
		return nil, fmt.Errorf("read cache %s: %w", name, err)
	}
	return data, nil
}

// WriteCache replaces the derived file of that name below [CacheDir] atomically; with nil
// data it removes the file. The file is not fsynced and no lock is taken: of several writers
// the last one wins. Nothing is written where the workspace has no caches or is read-only,
// and that is no error.
func (s *FileStore) WriteCache(name string, data []byte) error {
	if !s.caches() {
		return nil
	}
	err := s.replaceCache(path.Join(CacheDir, name), data)
	if err == nil || s.readOnly() {
		return nil
	}
	return fmt.Errorf("write cache %s: %w", name, err)
}

// readOnly reports whether the process may not write below [CacheDir], or create it.
func (s *FileStore) readOnly() bool {
	for _, dir := range []string{CacheDir, memory.OpsDir, "."} {
		if err := durable.Writable(s.root, dir); !errors.Is(err, fs.ErrNotExist) {
			return errors.Is(err, durable.ErrClosed)
		}
	}
	return false
}

func (s *FileStore) replaceCache(file string, data []byte) error {
	if data == nil {
		if err := s.root.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := durable.MkdirAll(s.root, CacheDir); err != nil {
		return err
	}
	s.sweepCache()
	temp, err := durable.Temp(CacheDir)
	if err != nil {
		return err
	}
	f, err := s.root.Create(temp, data, 0)
	if err != nil {
		return err
	}
	if err = f.Close(); err == nil {
		err = s.root.Rename(temp, file)
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(temp))
	}
	return s.ignoreCache()
}

// abandoned is the age from which a temporary file belongs to a process that was killed.
const abandoned = time.Hour

// sweepCache removes abandoned temporary files, as far as it can.
func (s *FileStore) sweepCache() {
	entries, err := s.root.ReadDir(CacheDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name, durable.TempPrefix) {
			continue
		}
		name := path.Join(CacheDir, e.Name)
		if info, err := s.root.Stat(name); err == nil && info.Kind == durable.Regular && time.Since(info.ModTime) > abandoned {
			_ = s.root.Remove(name) // the next writer tries again
		}
	}
}

// caches reports whether derived files are read and written here at all. On a network drive
// nobody knows whose clock dates the files.
func (s *FileStore) caches() bool { return !s.NoCache && s.network == "" }

// ignoreCache keeps the caches out of version control.
func (s *FileStore) ignoreCache() error {
	f, err := s.root.Create(path.Join(CacheDir, ".gitignore"), []byte("*\n"), 0)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}
