package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// indexes brings the index of every changed memory along.
func (c *commit) indexes() error {
	type job struct {
		only map[string]bool // ids to bring along; nil: build from everything
		dir  string
	}
	jobs := map[string]*job{}
	note := func(f *file, data []byte) error {
		name, err := c.indexFor(f.name)
		if err != nil || name == "" {
			return err
		}
		records, err := readRecords(f.name, data)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if jobs[name] == nil {
			jobs[name] = &job{only: map[string]bool{}, dir: path.Dir(name)}
		}
		for _, m := range records {
			jobs[name].only[m.ID] = true
		}
		return nil
	}
	for _, f := range c.changed() {
		if !f.records {
			continue
		}
		for _, side := range [][]byte{f.was, f.now} {
			if side == nil {
				continue
			}
			if err := note(f, side); err != nil {
				return err
			}
		}
	}
	for name, j := range jobs {
		if err := c.index(name, j.only); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// indexFor names the index that a file's memories belong to: the nearest one, or
// a new one in the file's scope directory; "" when there is neither.
func (c *commit) indexFor(name string) (string, error) {
	scope := scopeDir(name)
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		candidate := path.Join(dir, IndexFile)
		data, _, err := c.root.Read(candidate, jsonedit.MaxSize)
		switch {
		case err == nil:
			x, err := parseIndex(candidate, data)
			if err != nil {
				c.result.Warnings = append(c.result.Warnings, candidate+" is not valid JSON and stays as it is: mend it, then run \"memory reindex\"")
				return "", nil
			}
			if !x.Foreign {
				return candidate, nil
			}
			if dir == scope {
				return "", nil
			}
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case dir == scope:
			return candidate, nil
		}
		if dir == "." {
			return "", nil
		}
	}
}

// index patches one index file for the given ids.
func (c *commit) index(name string, only map[string]bool) error {
	f, err := c.open(name)
	if err != nil {
		return err
	}
	var x *Index
	if f.existed {
		x, err = parseIndex(name, f.was)
	} else {
		only = nil // a new one lists everything
		x, err = newIndex(name, c.tx.Plan.At)
	}
	if err != nil {
		return err
	}
	owned, err := c.owned(name, only == nil)
	if err != nil {
		return err
	}
	doc, _, err := x.reconcile(owned, only, c.extra, c.tx.Plan.At)
	if err != nil {
		return err
	}
	f.now, f.exists = doc, true
	return nil
}

// owned lists the memories of changed files that belong to the index, as they
// will be; with all, also those of files that the transaction doesn't touch.
func (c *commit) owned(index string, all bool) ([]*Memory, error) {
	var names []string
	for name, f := range c.files {
		if f.records && f.exists {
			names = append(names, name)
		}
	}
	if all {
		snap, err := load(c.root, c.tx.Plan.At)
		if err != nil {
			return nil, err
		}
		for _, group := range [][]*Memory{snap.Memories, snap.Archived} {
			for _, m := range group {
				if c.files[m.File] == nil {
					names = append(names, m.File)
				}
			}
		}
	}
	sort.Strings(names)
	var out []*Memory
	for i, name := range names {
		if i > 0 && names[i-1] == name || !strings.HasPrefix(name, strings.TrimPrefix(path.Dir(index)+"/", "./")) {
			continue
		}
		if owner, err := c.indexFor(name); err != nil {
			return nil, err
		} else if owner != index {
			continue
		}
		data := []byte(nil)
		if f := c.files[name]; f != nil {
			data = f.now
		} else {
			var err error
			if data, _, err = c.root.Read(name, jsonedit.MaxSize); err != nil {
				return nil, err
			}
		}
		records, err := readRecords(name, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, records...)
	}
	return out, nil
}

const indexStep = 2

// step is the place of a file in the order of publication.
func (f *file) step() int {
	switch {
	case f.name == LogFile:
		return 4
	case !f.exists:
		return 3
	case path.Base(f.name) == IndexFile:
		return indexStep
	case f.existed:
		return 1
	}
	return 0
}

// publish makes the prepared files true. Until the first rename nothing that a
// reader sees has changed.
func (c *commit) publish(ctx context.Context) (err error) {
	files := c.changed()
	if len(files) == 0 {
		return nil
	}
	sort.SliceStable(files, func(i, j int) bool { return files[i].step() < files[j].step() })
	staged := make(map[*file]*durable.Staged, len(files))
	defer func() {
		for _, st := range staged {
			err = errors.Join(err, st.Discard())
		}
	}()
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, path.Dir(f.name))
		if !f.exists {
			continue
		}
		made, err := c.root.MkdirAll(path.Dir(f.name))
		if err != nil {
			return err
		}
		dirs = append(dirs, made...)
		if staged[f], err = c.root.Stage(f.name, f.now, f.mode); err != nil {
			return err
		}
	}
	if err := c.unchanged(files); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	previous := -1
	for _, f := range files {
		if f.step() == indexStep && previous == indexStep {
			time.Sleep(c.tx.Pause)
		}
		previous = f.step()
		switch {
		case !f.exists:
			err = c.root.Remove(f.name)
		case f.existed:
			err = staged[f].Replace()
		default:
			err = staged[f].Create()
		}
		if err != nil {
			return fmt.Errorf("publish %s: %w", f.name, err)
		}
		delete(staged, f)
	}
	return c.root.SyncDirs(dirs...)
}

// unchanged compares every file once more with what the transaction read.
func (c *commit) unchanged(files []*file) error {
	for _, f := range files {
		data, _, err := c.root.Read(f.name, jsonedit.MaxSize)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !f.existed:
		case err != nil:
			return err
		case !f.existed || !bytes.Equal(data, f.was):
			return fmt.Errorf("%s changed while the run was being prepared: nothing was written; run it again", f.name)
		}
	}
	return nil
}
