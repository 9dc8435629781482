package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Files of the process that watches a workspace.
const (
	WatchLock    = OpsDir + "/.watch.lock"
	WatchFile    = OpsDir + "/watch.json"    // what it has seen
	TriggersFile = OpsDir + "/triggers.json" // which triggers are done with
)

// WriteState replaces a file in ops/ that is ours alone, durably and in one step.
// It takes the writer's lock. A file that says this already is not written.
func (s *FileStore) WriteState(ctx context.Context, name string, doc []byte) (err error) {
	if path.Dir(name) != OpsDir {
		return fmt.Errorf("write %s: not in %s", name, OpsDir)
	}
	was, info, err := s.root.Read(name, jsonedit.MaxSize)
	if err == nil && bytes.Equal(was, doc) {
		return nil
	}
	release, err := s.lock(ctx, "state")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, release()) }()
	// Nobody else has this name: a file there was left by a writer that was killed.
	slot := path.Join(OpsDir, durable.TempPrefix+path.Base(name))
	if err := s.dropSlot(slot); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	was, info, err = s.root.Read(name, jsonedit.MaxSize)
	base := durable.Sum(was)
	if errors.Is(err, fs.ErrNotExist) {
		base, err = durable.Absent, nil
	}
	if err == nil && base != durable.Absent && bytes.Equal(was, doc) {
		return nil
	}
	if err == nil {
		err = durable.Write(s.root, slot, doc, info.Mode)
	}
	if err == nil {
		err = durable.CAS(s.root, slot, name, base, durable.Sum(doc), func(slot, _ string) error { return s.dropSlot(slot) })
	}
	if err == nil {
		err = s.dropSlot(slot)
	}
	if err == nil {
		err = durable.SyncDirs(s.root, 1, OpsDir)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, s.dropSlot(slot)))
	}
	return nil
}

func (s *FileStore) dropSlot(slot string) error {
	if err := s.root.Remove(slot); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// LockWatch makes this process the one that watches the workspace, until release
// or its end. While another one does, the error is an [ErrWatched] that names it.
func (s *FileStore) LockWatch() (release func() error, err error) {
	if err := s.mayWrite(); err != nil {
		return nil, err
	}
	made, err := durable.MkdirAll(s.root, OpsDir)
	if err == nil {
		err = durable.SyncDirs(s.root, s.parallel, made...)
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", OpsDir, err)
	}
	release, err = s.root.TryLock(WatchLock, fmt.Sprintf("pid %d, since %s", os.Getpid(), timestamp.Format(s.Now())))
	var held *durable.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w: %s", ErrWatched, held.Holder)
	}
	return release, err
}

// Watched names the process that watches the workspace now; "" for none.
func (s *FileStore) Watched() (holder string, err error) {
	doc, _, err := s.root.Read(WatchLock, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// Who looks must not seem to be the holder.
	release, err := s.root.TryLock(WatchLock, string(bytes.TrimSpace(doc)))
	var held *durable.HeldError
	switch {
	case errors.As(err, &held):
		return held.Holder, nil
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("look at %s: %w", WatchLock, err)
	case err != nil:
		return "", err
	}
	return "", release()
}
