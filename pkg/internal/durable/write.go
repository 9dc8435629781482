package durable

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TempPrefix begins the name of a temporary file. Such files are hidden, are never
// memory files, and may be removed while no process holds the lock.
const TempPrefix = ".mem-tmp-"

// Write creates a file and makes its content durable, not its name. After an error it
// is removed, if that is possible.
//
//	FS.Create; fsync; close
func Write(fsys FS, name string, data []byte, mode fs.FileMode) error {
	return Staging{name, data, Attr{Mode: mode}}.Write(fsys)
}

// Staging is a file to be written.
type Staging struct {
	Name string
	Data []byte
	Attr
}

// Write is the function [Write] for a file with an owner. If the process may not set the
// owner, which only root may, it sets the group, if it belongs to that.
//
//	FS.Create; fchown(uid, gid), else fchown(-1, gid); fsync; close
func (s Staging) Write(fsys FS) error {
	f, err := fsys.Create(s.Name, s.Data, s.Mode)
	if err != nil {
		return err
	}
	if s.Owner != nil {
		if err = f.Chown(s.Owner.UID, s.Owner.GID); errors.Is(err, fs.ErrPermission) {
			if err = f.Chown(-1, s.Owner.GID); errors.Is(err, fs.ErrPermission) {
				err = nil
			}
		}
	}
	if err == nil && !s.Modified.IsZero() {
		err = SetModified(fsys, s.Name, s.Modified)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", s.Name, err), fsys.Remove(s.Name))
	}
	return nil
}

// ForEachParallel calls f for 0 to n-1, at most parallel at a time, since most of an fsync is
// waiting. With one, the calls are in order. After an error it starts no more calls, and
// returns the first.
func ForEachParallel(n, parallel int, f func(i int) error) error {
	errs := make([]error, n)
	var failed atomic.Bool
	var group sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
			if errs[i] = f(i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	for range min(parallel, n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return cmp.Or(errs...)
}

// WriteNew creates a durable file under a name that must be free. Nobody ever sees a
// part of it.
//
//	FS.Create(dir/.mem-tmp-RANDOM); fsync; renameat2(RENAME_NOREPLACE); fsync(dir)
func WriteNew(fsys FS, name string, data []byte, mode fs.FileMode) error {
	tmp, err := Temp(path.Dir(name))
	if err != nil {
		return err
	}
	if err := Write(fsys, tmp, data, mode); err != nil {
		return err
	}
	if err := place(fsys, tmp, name); err != nil {
		if errors.Is(err, ErrConflict) {
			err = &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
		return errors.Join(err, fsys.Remove(tmp))
	}
	return fsys.SyncDir(path.Dir(name))
}

// Temp returns a random name for a temporary file in dir.
func Temp(dir string) (string, error) {
	var random [8]byte
	_, err := rand.Read(random[:])
	return path.Join(dir, TempPrefix+hex.EncodeToString(random[:])), err
}

// Publish renames a durable file to its final, free name, durably.
//
//	renameat2(RENAME_NOREPLACE); fsync(dir)
func Publish(fsys FS, tmp, name string) error {
	if err := place(fsys, tmp, name); err != nil {
		return err
	}
	return fsys.SyncDir(path.Dir(name))
}

// MkdirAll creates a directory and its parents. It returns the directories in which it
// created one, for [SyncDirs].
func MkdirAll(fsys FS, name string) (changed []string, err error) {
	if name == "." {
		return nil, nil
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fsys.Stat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			if err = fsys.Mkdir(name[:i]); err == nil {
				changed = append(changed, path.Dir(name[:i]))
				continue
			}
			if errors.Is(err, fs.ErrExist) {
				info, err = fsys.Stat(name[:i])
			}
		}
		if err != nil {
			return changed, err
		}
		if info.Kind != Dir {
			return changed, fmt.Errorf("%s: %w", name[:i], ErrLink)
		}
	}
	return changed, nil
}

// SyncDirs makes the names in directories durable, at most parallel at a time. Absent
// directories are skipped.
func SyncDirs(fsys FS, parallel int, dirs ...string) error {
	dirs = slices.Clone(dirs)
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	return ForEachParallel(len(dirs), parallel, func(i int) error {
		if err := fsys.SyncDir(dirs[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("fsync directory %s: %w", dirs[i], err)
		}
		return nil
	})
}

// RemoveAll removes a directory and everything in it, and follows no link. An absent one
// is not an error.
func RemoveAll(fsys FS, name string) error {
	entries, err := fsys.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		child := name + "/" + e.Name
		if e.Kind == Dir {
			err = RemoveAll(fsys, child)
		} else {
			err = fsys.Remove(child)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := fsys.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxDepth is how deep Walk goes. A name is opened component by component: a chain of
// thousands of directories would cost its length squared.
const maxDepth = 100

// Walk calls f for everything below dir, a directory before what is in it. If f returns
// false, a directory is not entered. Walk follows no link, and goes 100 directories deep.
func Walk(fsys FS, dir string, f func(name string, kind Kind) bool) error {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimPrefix(dir+"/"+e.Name, "./")
		if f(name, e.Kind) && e.Kind == Dir && strings.Count(name, "/") < maxDepth-1 {
			if err := Walk(fsys, name, f); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Reserve creates a durable file that holds size bytes of the disk back until it is
// removed. Its content is random: a file system might compress zeros away.
func Reserve(fsys FS, name string, size int64, mode fs.FileMode) error {
	data := make([]byte, size)
	if _, err := rand.Read(data); err != nil {
		return err
	}
	return Write(fsys, name, data, mode)
}

// Lock takes the advisory lock on name. It tries every 20 ms, for at most wait. Holder
// is written into the file for people to read. After a second waiting is called once
// with the holder of the lock. The file is never deleted, since two processes could
// lock a deleted file and a new one. The error is that of ctx, a [HeldError], or of the
// disk.
func Lock(ctx context.Context, fsys FS, name, holder string, wait time.Duration, waiting func(holder string)) (release func() error, err error) {
	expired, mention := time.After(wait), time.After(time.Second)
	for {
		release, err = fsys.TryLock(name, holder)
		var held *HeldError
		if !errors.As(err, &held) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-expired:
			return nil, err
		case <-mention:
			waiting(held.Holder)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Cause is the message of an error without the operation and the path of an [fs.PathError], for a message that
// names them already.
func Cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Exists reports whether anything has the name.
func Exists(root FS, name string) (bool, error) {
	_, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Mode is how files are replaced on a file system.
type Mode string

// The modes, best first.
const (
	ByExchange Mode = "exchange" // atomic, and nothing is lost whoever else writes
	ByLink     Mode = "link"     // atomic; a file renamed into place in the same instant is lost
	ByRename   Mode = "rename"   // likewise; what is displaced is kept as a copy
)

// Probe finds out which mode the file system of dir allows, with two temporary
// files that it removes again. [CAS] needs no probe: it falls back by itself.
func Probe(fsys FS, dir string) (mode Mode, err error) {
	var names [3]string
	for i := range names {
		if names[i], err = Temp(dir); err != nil {
			return "", err
		}
	}
	for _, name := range names[:2] {
		f, err := fsys.Create(name, nil, 0o600)
		if err != nil {
			return "", err
		}
		if err := f.Close(); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, fsys.Remove(name)) }()
	}
	err = fsys.Exchange(names[0], names[1])
	if !errors.Is(err, errors.ErrUnsupported) {
		return ByExchange, err
	}
	err = HardLink(fsys, names[0], names[2])
	if !errors.Is(err, errors.ErrUnsupported) {
		if err != nil {
			return "", err
		}
		return ByLink, fsys.Remove(names[2])
	}
	return ByRename, nil
}
