package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Documents are the files of a workspace as bytes, for callers that keep it in step with a copy elsewhere or look whether a file changed.
type Documents struct{ s *FileStore }

// Documents gives the files of the workspace.
func (s *FileStore) Documents() Documents { return Documents{s} }

// Stat describes a file or directory of the workspace. An absent one is [fs.ErrNotExist].
func (d Documents) Stat(name string) (disk.Info, error) { return d.s.root.Stat(name) }

// SwapMode says how the file system lets files be replaced; see [durable.Mode].
// It tries that out with temporary files in ops/.
func (d Documents) SwapMode() (durable.Mode, error) { return durable.Probe(d.s.root, memory.OpsDir) }

// Each passes every file of the workspace that want wants to f, in the order of directories, without
// following links. One over the limit of a document is left out, and so is one that goes meanwhile.
func (d Documents) Each(want func(name string) bool, f func(name string, data []byte)) error {
	var names []string
	err := durable.Walk(d.s.bare, ".", func(name string, kind durable.Kind) bool {
		if kind == durable.Regular && want(name) {
			names = append(names, name)
		}
		return true
	})
	for _, name := range names {
		data, _, failed := d.s.bare.Read(name, jsonedit.MaxSize)
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

// Logged reports whether end, the last document of a run's record, says that the log has the run.
func Logged(end []byte) bool {
	var done journal.Done
	return journal.Unseal(journal.DoneFile, end, &done) == nil && done.Log.Count > 0
}

// ValidDocument reports whether a document can be what its name says it is: JSON is valid, and the record of a run is as it was written. Of other files
// nobody knows.
func ValidDocument(name string, data []byte) bool {
	if path.Ext(name) != ".json" {
		return true
	}
	if strings.HasPrefix(name, RunsDir+"/") {
		var body json.RawMessage
		return journal.Unseal(name, data, &body) == nil
	}
	return json.Valid(data)
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
// swaps where they outlast a crash: after one, [Documents.Swapped] tells which were made. Once what came of them is noted,
// [Documents.EndSwap] removes dir.
func (d Documents) Swap(ctx context.Context, dir string, swaps []Swap, begin func() error) (made []bool, err error) {
	release, err := d.s.lock(ctx, "take documents over")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := d.stage(dir, swaps); err != nil {
		return nil, fmt.Errorf("stage documents: %w", err)
	}
	if err := begin(); err != nil {
		return nil, err
	}
	var touched []string
	for i, w := range swaps {
		err := durable.CAS(d.s.bare, slot(dir, i), w.Name, w.Before, w.After, d.keepAside)
		if err != nil && !errors.Is(err, durable.ErrConflict) && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("take over %s: %w", w.Name, err)
		}
		made = append(made, err == nil)
		touched = append(touched, path.Dir(w.Name))
	}
	slices.Sort(touched)
	touched = slices.DeleteFunc(slices.Compact(touched), func(dir string) bool { _, err := d.s.bare.Stat(dir); return err != nil })
	if err := durable.SyncDirs(d.s.bare, d.s.parallel, touched...); err != nil {
		return nil, fmt.Errorf("take documents over: %w", err)
	}
	return made, nil
}

func (d Documents) stage(dir string, swaps []Swap) error {
	if err := durable.RemoveAll(d.s.bare, dir); err != nil {
		return err
	}
	changed, err := durable.MkdirAll(d.s.bare, dir)
	if err != nil {
		return err
	}
	for i, w := range swaps {
		if w.After == "" {
			continue
		}
		info, err := d.s.bare.Stat(w.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := (durable.Staging{Name: slot(dir, i), Data: w.Data, Attr: info.Attr}).Write(d.s.bare); err != nil {
			return err
		}
		made, err := durable.MkdirAll(d.s.bare, path.Dir(w.Name))
		if err != nil {
			return err
		}
		changed = append(changed, made...)
	}
	return durable.SyncDirs(d.s.bare, d.s.parallel, append(changed, dir)...)
}

// Swapped tells which of the swaps that were begun have been made, after a crash or an error. Those that weren't are
// given up.
func (d Documents) Swapped(ctx context.Context, dir string, swaps []Swap) (made []bool, err error) {
	release, err := d.s.lock(ctx, "take documents over")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	for i, w := range swaps {
		done, err := d.swapped(slot(dir, i), w)
		if err != nil {
			return nil, fmt.Errorf("what became of %s: %w", w.Name, err)
		}
		made = append(made, done)
	}
	return made, nil
}

func (d Documents) swapped(slot string, w Swap) (bool, error) {
	if err := durable.Resume(d.s.bare, slot); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	in, err := durable.Hash(d.s.bare, slot)
	if err != nil {
		return false, err
	}
	switch {
	case w.Before == "" && in != durable.Absent: // it has a second name where a file can't be moved in one step
		live, err := durable.Hash(d.s.bare, w.Name)
		return live == w.After, err
	case w.Before == "": // the file was moved
		return true, nil
	case in == w.After: // also where there was nothing to put
		return false, nil
	}
	err = durable.Settle(d.s.bare, slot, w.Name, w.Before, w.After, d.keepAside)
	if errors.Is(err, durable.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// EndSwap removes what swaps have left.
func (d Documents) EndSwap(dir string) error { return durable.RemoveAll(d.s.bare, dir) }

// keepAside keeps a file for which no name is left.
func (d Documents) keepAside(slot, name string) error {
	data, _, err := d.s.bare.Read(slot, durable.MaxSize)
	if err != nil {
		return err
	}
	return d.KeepAside(name, data)
}

// KeepAside keeps a text of a document below ops/conflicts, once, where another one is to stand in its place.
func (d Documents) KeepAside(name string, data []byte) error {
	to := fmt.Sprintf("%s/sync/%s.%.12s", ConflictsDir, name, durable.Sum(data))
	changed, err := durable.MkdirAll(d.s.bare, path.Dir(to))
	if err == nil {
		err = durable.WriteNew(d.s.bare, to, data, 0)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil {
		err = durable.SyncDirs(d.s.bare, 1, changed...)
	}
	if err != nil {
		return fmt.Errorf("keep what stood in %s: %w", name, err)
	}
	return nil
}
