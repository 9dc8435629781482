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
	jobs := map[string]map[string]bool{} // index -> ids to bring along
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
			jobs[name] = map[string]bool{}
		}
		for _, m := range records {
			jobs[name][m.ID] = true
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
	for name, only := range jobs {
		if err := c.patchIndex(name, only); err != nil {
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
		x, err := c.readIndex(candidate)
		switch {
		case err != nil:
			return "", err
		case x != nil && !x.Foreign:
			return candidate, nil
		case x != nil && dir == scope:
			return "", nil
		case x == nil && dir == scope:
			return candidate, nil
		case dir == ".":
			return "", nil
		}
	}
}

// readIndex reads an index as it stands, once; nil when there is none. A broken
// one counts as foreign: it stays as it is.
func (c *commit) readIndex(name string) (*Index, error) {
	if x, ok := c.index[name]; ok {
		return x, nil
	}
	data, _, err := c.root.Read(name, jsonedit.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var x *Index
	if err == nil {
		if x, err = parseIndex(name, data); err != nil {
			x = &Index{File: name, Foreign: true}
			c.result.Warnings = append(c.result.Warnings, name+" is not valid JSON and stays as it is: mend it, then run \"memory reindex\"")
		}
	}
	if c.index == nil {
		c.index = map[string]*Index{}
	}
	c.index[name] = x
	return x, nil
}

// patchIndex brings one index file along for the given ids.
func (c *commit) patchIndex(name string, only map[string]bool) error {
	f, err := c.open(name)
	if err != nil {
		return err
	}
	x, err := c.readIndex(name)
	if err != nil {
		return err
	}
	owned, err := c.changedMemories(name)
	if err != nil {
		return err
	}
	if x == nil { // a new one lists everything
		only = nil
		if x, err = newIndex(name, c.tx.Plan.At); err != nil {
			return err
		}
		untouched, err := c.untouchedMemories(name)
		if err != nil {
			return err
		}
		owned = append(owned, untouched...)
		sortMemories(owned)
	}
	doc, _, err := x.reconcile(owned, only, c.extra, c.tx.Plan.At)
	if err != nil {
		return err
	}
	f.now, f.exists = doc, true
	return nil
}

// changedMemories lists the memories of changed files that belong to an index, as
// they will be.
func (c *commit) changedMemories(index string) ([]*Memory, error) {
	var out []*Memory
	for name, f := range c.files {
		if !f.records || !f.exists {
			continue
		}
		if owner, err := c.indexFor(name); err != nil {
			return nil, err
		} else if owner != index {
			continue
		}
		records, err := readRecords(name, f.now)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, records...)
	}
	sortMemories(out)
	return out, nil
}

// untouchedMemories lists the memories that belong to a new index and stand in
// files that the transaction leaves alone.
func (c *commit) untouchedMemories(index string) ([]*Memory, error) {
	if c.disk == nil {
		snap, err := load(c.root, c.tx.Plan.At)
		if err != nil {
			return nil, err
		}
		c.disk = snap
	}
	below := strings.TrimPrefix(path.Dir(index)+"/", "./")
	var out []*Memory
	for _, group := range [][]*Memory{c.disk.Memories, c.disk.Archived} {
		for _, m := range group {
			if f := c.files[m.File]; f != nil && f.records || !strings.HasPrefix(m.File, below) {
				continue
			}
			owner, err := c.indexFor(m.File)
			if err != nil {
				return nil, err
			}
			if owner == index {
				out = append(out, m)
			}
		}
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
