package durable

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Staged is a complete, fsynced file beside its destination that nobody sees
// yet. Exactly one of Replace, Create and Discard ends it.
type Staged struct {
	r        *Root
	tmp, dst string
}

// Stage writes data to a hidden file in the directory of name, which must exist.
//
//	open(dir/.mem-tmp-RANDOM, O_CREAT|O_EXCL); write; fchmod; fsync; close
func (r *Root) Stage(name string, data []byte, mode fs.FileMode) (*Staged, error) {
	if err := r.plain(name); err != nil {
		return nil, err
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	s := &Staged{r: r, tmp: path.Join(path.Dir(name), TempPrefix+hex.EncodeToString(random[:])), dst: name}
	f, err := r.root.OpenFile(filepath.FromSlash(s.tmp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("stage %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stage %s: %w", name, err), s.Discard())
	}
	return s, nil
}

// Replace publishes the file under its name, over whatever stood there.
//
//	rename(tmp, name)
func (s *Staged) Replace() error {
	return s.r.root.Rename(filepath.FromSlash(s.tmp), filepath.FromSlash(s.dst))
}

// Create publishes the file under its name; if the name is taken the error is
// [fs.ErrExist] and nothing has changed.
//
//	link(tmp, name); unlink(tmp)
func (s *Staged) Create() error {
	tmp, dst := filepath.FromSlash(s.tmp), filepath.FromSlash(s.dst)
	err := s.r.root.Link(tmp, dst)
	switch {
	case err == nil:
		return s.r.root.Remove(tmp)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// No hard links here (FAT, some network file systems): look, then rename.
	if taken, lerr := s.r.Exists(s.dst); lerr != nil {
		return lerr
	} else if taken {
		return &fs.PathError{Op: "create", Path: s.dst, Err: fs.ErrExist}
	}
	return s.r.root.Rename(tmp, dst)
}

// Discard removes the staged file.
func (s *Staged) Discard() error {
	err := s.r.root.Remove(filepath.FromSlash(s.tmp))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
