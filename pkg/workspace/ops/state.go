package ops

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
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ErrWatched: another process watches the workspace.
var ErrWatched = errors.New("workspace is watched already")

// Files of the process that watches a workspace.
const (
	WatchLock    = memory.OpsDir + "/.watch.lock"
	WatchFile    = memory.OpsDir + "/watch.json"    // what it has seen
	TriggersFile = memory.OpsDir + "/triggers.json" // which triggers are done with
)

// WriteState replaces a file in ops/ that is ours alone, durably and in one step.
// It takes the writer's lock. A file that says this already is not written.
func (o *Ops) WriteState(ctx context.Context, name string, doc []byte) (err error) {
	if path.Dir(name) != memory.OpsDir {
		return fmt.Errorf("write %s: not in %s", name, memory.OpsDir)
	}
	was, _, err := o.root.Read(name, jsonedit.MaxSize)
	if err == nil && bytes.Equal(was, doc) {
		return nil
	}
	if err := o.swap(ctx, name, "state", func([]byte) []byte { return doc }); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// swap puts what is made of a file in ops/ in its place, durably and in one step, under the
// writer's lock. If somebody else writes it meanwhile, that is an error.
func (o *Ops) swap(ctx context.Context, name, what string, of func(was []byte) []byte) (err error) {
	release, err := o.lock(ctx, what)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	// Nobody else has this name: a file there was left by a writer that was killed.
	slot := path.Join(memory.OpsDir, durable.TempPrefix+path.Base(name))
	if err := o.drop(slot); err != nil {
		return err
	}
	was, info, err := o.root.Read(name, jsonedit.MaxSize)
	base := durable.Sum(was)
	if errors.Is(err, fs.ErrNotExist) {
		base, err = durable.Absent, nil
	}
	if err != nil {
		return err
	}
	doc := of(was)
	if base != durable.Absent && bytes.Equal(was, doc) {
		return nil
	}
	err = durable.Write(o.root, slot, doc, info.Mode)
	if err == nil {
		err = durable.CAS(o.root, slot, name, base, durable.Sum(doc), func(slot, _ string) error { return o.drop(slot) })
	}
	if err == nil {
		err = o.drop(slot)
	}
	if err == nil {
		err = durable.SyncDirs(o.root, 1, memory.OpsDir)
	}
	if err != nil {
		return errors.Join(err, o.drop(slot))
	}
	return nil
}

func (o *Ops) drop(slot string) error {
	if err := o.root.Remove(slot); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// LockWatch makes this process the one that watches the workspace, until release
// or its end. While another one does, the error is an [ErrWatched] that names it.
func (o *Ops) LockWatch() (release func() error, err error) {
	if err := o.mayWrite(); err != nil {
		return nil, err
	}
	made, err := durable.MkdirAll(o.root, memory.OpsDir)
	if err == nil {
		err = durable.SyncDirs(o.root, o.parallel, made...)
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", memory.OpsDir, err)
	}
	release, err = o.root.TryLock(WatchLock, fmt.Sprintf("pid %d, since %s", os.Getpid(), timestamp.Format(o.now())))
	var held *durable.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w: %s", ErrWatched, held.Holder)
	}
	return release, err
}

// Watched names the process that watches the workspace now; "" for none.
func (o *Ops) Watched() (holder string, err error) {
	doc, _, err := o.root.Read(WatchLock, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// Who looks must not seem to be the holder.
	release, err := o.root.TryLock(WatchLock, string(bytes.TrimSpace(doc)))
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
