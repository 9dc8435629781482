package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Documents passes every file of the workspace that want wants to f, in the order of directories, without
// following links. One over the limit of a document is left out, and so is one that goes meanwhile.
func (s *FileStore) Documents(want func(name string) bool, f func(name string, data []byte)) error {
	var names []string
	err := durable.Walk(s.bare, ".", func(name string, kind durable.Kind) bool {
		if kind == durable.Regular && want(name) {
			names = append(names, name)
		}
		return true
	})
	for _, name := range names {
		data, _, failed := s.bare.Read(name, jsonedit.MaxSize)
		switch {
		case errors.Is(failed, fs.ErrNotExist), errors.Is(failed, durable.ErrTooLarge), errors.Is(failed, durable.ErrLink):
		case failed != nil:
			err = errors.Join(err, failed)
		default:
			f(name, data)
		}
	}
	if err != nil {
		return fmt.Errorf("read the documents of the workspace: %w", err)
	}
	return nil
}

// Swap is a file that is to be replaced, made or removed.
type Swap struct {
	Name   string
	Before string // SHA-256 in hexadecimal; "": there is none
	After  string // likewise
	Data   []byte // that After is of
}

// slot is where the text of a swap lies before, and afterwards what it has replaced.
func slot(dir string, i int) string { return fmt.Sprintf("%s/%d", dir, i) }

// Swap puts documents in place of others, each in one step, and only where the file still is what Before says; it
// reports for which that was so. It is for documents that come from elsewhere: they are no run.
//
// The new texts are staged in dir, which is below ops/ and used for nothing else. Then begin is called, which notes the
// swaps where they outlast a crash: after one, [FileStore.Swapped] tells which were made. Once what came of them is noted,
// [FileStore.EndSwap] removes dir.
func (s *FileStore) Swap(ctx context.Context, dir string, swaps []Swap, begin func() error) (made []bool, err error) {
	release, err := s.lock(ctx, "take documents over")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := s.stage(dir, swaps); err != nil {
		return nil, fmt.Errorf("stage documents: %w", err)
	}
	if err := begin(); err != nil {
		return nil, err
	}
	var touched []string
	for i, w := range swaps {
		err := durable.CAS(s.bare, slot(dir, i), w.Name, w.Before, w.After, s.keepAside)
		if err != nil && !errors.Is(err, durable.ErrConflict) && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("take over %s: %w", w.Name, err)
		}
		made = append(made, err == nil)
		touched = append(touched, path.Dir(w.Name))
	}
	slices.Sort(touched)
	touched = slices.DeleteFunc(slices.Compact(touched), func(dir string) bool { _, err := s.bare.Stat(dir); return err != nil })
	if err := durable.SyncDirs(s.bare, s.parallel, touched...); err != nil {
		return nil, fmt.Errorf("take documents over: %w", err)
	}
	return made, nil
}

func (s *FileStore) stage(dir string, swaps []Swap) error {
	if err := durable.RemoveAll(s.bare, dir); err != nil {
		return err
	}
	changed, err := durable.MkdirAll(s.bare, dir)
	if err != nil {
		return err
	}
	for i, w := range swaps {
		if w.After == "" {
			continue
		}
		info, err := s.bare.Stat(w.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := (durable.Staging{Name: slot(dir, i), Data: w.Data, Attr: info.Attr}).Write(s.bare); err != nil {
			return err
		}
		made, err := durable.MkdirAll(s.bare, path.Dir(w.Name))
		if err != nil {
			return err
		}
		changed = append(changed, made...)
	}
	return durable.SyncDirs(s.bare, s.parallel, append(changed, dir)...)
}

// Swapped tells which of the swaps that were begun have been made, after a crash or an error. Those that weren't are
// given up.
func (s *FileStore) Swapped(ctx context.Context, dir string, swaps []Swap) (made []bool, err error) {
	release, err := s.lock(ctx, "take documents over")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	for i, w := range swaps {
		done, err := s.swapped(slot(dir, i), w)
		if err != nil {
			return nil, fmt.Errorf("what became of %s: %w", w.Name, err)
		}
		made = append(made, done)
	}
	return made, nil
}

func (s *FileStore) swapped(slot string, w Swap) (bool, error) {
	if err := durable.Resume(s.bare, slot); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	in, err := durable.Hash(s.bare, slot)
	if err != nil {
		return false, err
	}
	switch {
	case w.Before == "" && in != durable.Absent: // it has a second name where a file can't be moved in one step
		live, err := durable.Hash(s.bare, w.Name)
		return live == w.After, err
	case w.Before == "": // the file was moved
		return true, nil
	case in == w.After: // also where there was nothing to put
		return false, nil
	}
	err = durable.Settle(s.bare, slot, w.Name, w.Before, w.After, s.keepAside)
	if errors.Is(err, durable.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// EndSwap removes what swaps have left.
func (s *FileStore) EndSwap(dir string) error { return durable.RemoveAll(s.bare, dir) }

// keepAside keeps a file for which no name is left.
func (s *FileStore) keepAside(slot, name string) error {
	data, _, err := s.bare.Read(slot, durable.MaxSize)
	if err != nil {
		return err
	}
	return s.KeepAside(name, data)
}

// KeepAside keeps a text of a document below ops/conflicts, once, where another one is to stand in its place.
func (s *FileStore) KeepAside(name string, data []byte) error {
	to := fmt.Sprintf("%s/sync/%s.%.12s", ConflictsDir, name, durable.Sum(data))
	changed, err := durable.MkdirAll(s.bare, path.Dir(to))
	if err == nil {
		err = durable.WriteNew(s.bare, to, data, 0)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil {
		err = durable.SyncDirs(s.bare, 1, changed...)
	}
	if err != nil {
		return fmt.Errorf("keep what stood in %s: %w", name, err)
	}
	return nil
}
