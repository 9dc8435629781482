package tx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// A save doesn't write the index of its directory, which may have megabytes: the index is behind until
// [Store.UpdateIndexes]. What is to be done stands in the lines of ops/saves.jsonl and in the records of their runs. So a
// line leaves that file only when the indexes are up to date.

// leavesIndex reports whether a save leaves the index of a file for later: that of a new file. One that isn't there yet is
// made at once, so that an undo takes it away again, and what changes a file changes its index, which an undo puts back
// byte for byte.
func leavesIndex(c *commit, f *journal.Change) (bool, error) {
	if !c.tx.Save || f.Kind() != journal.Create || c.notes != nil { // notes of a host are read in another way
		return false, nil
	}
	scope := memory.ScopeDir(f.Path)
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		info, err := c.root.Stat(path.Join(dir, memory.IndexFile))
		if err == nil && info.Kind == durable.Regular {
			return true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if dir == scope {
			break
		}
	}
	return false, nil
}

// savedFiles are files that saves have written, with the ids of the memories that each had or was to have.
type savedFiles map[string]map[string]bool

func addSaved(files savedFiles, name, id string) {
	if files[name] == nil {
		files[name] = map[string]bool{}
	}
	files[name][id] = true
}

// addRun adds the files of a run.
func addRun(files savedFiles, j *journal.Run) {
	for k := range j.Files {
		c := &j.Files[k]
		for _, side := range [][]byte{c.Before, c.After} {
			if !c.Records || side == nil {
				continue
			}
			if records, err := memory.ParseRecords(c.Path, side); err == nil { // else it has none to list
				for _, m := range records {
					addSaved(files, c.Path, m.ID)
				}
			}
		}
	}
}

// UpdateIndexes brings the indexes up to date with what was saved. It is idempotent; what this process has done is
// remembered. An index that is not valid JSON, or can't be replaced, stays as it is and is noted. The caller holds the lock.
func (s *Store) UpdateIndexes(ctx context.Context) error {
	if s.Notes != nil {
		return nil // no save leaves one behind there
	}
	lines, _, err := readLines(s.Root)
	if err != nil {
		return err
	}
	entries := lines.Entries()
	for i := range slices.Backward(entries) {
		if s.Indexed != nil && entries[i].RunID == *s.Indexed {
			entries = entries[i+1:]
			break
		}
	}
	if len(entries) == 0 {
		return nil
	}
	last := &entries[len(entries)-1]
	files, err := filesOf(s.Root, entries)
	if err == nil {
		err = listSaved(ctx, s, files, last.Timestamp)
	}
	if err != nil {
		return fmt.Errorf("bring the indexes up to date: %w", err)
	}
	if s.Indexed != nil {
		*s.Indexed = last.RunID
	}
	return nil
}

// filesOf lists the files that saves have written, by the records of their runs. Of a run without a record the log names
// what it has added.
func filesOf(root durable.FS, entries []oplog.Entry) (savedFiles, error) {
	files := savedFiles{}
	for i := range entries {
		j := &journal.Run{}
		err := journal.Read(root, journal.Dir(entries[i].RunID)+"/"+journal.File, j)
		switch {
		case err == nil:
			addRun(files, j)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, journal.ErrDamaged):
			for _, a := range entries[i].Actions {
				if ref, ok := memory.ParseRef(a.To); ok && a.Type == oplog.Add {
					addSaved(files, ref.File, a.MemoryID)
				}
			}
		default:
			return nil, err
		}
	}
	return files, nil
}

// Behind names the indexes that saves have left behind, and the ids of what was saved since they were last known to be up
// to date. It writes nothing.
func (s *Store) Behind() (indexes []string, ids map[string]bool, err error) {
	if s.Notes != nil {
		return nil, nil, nil
	}
	lines, _, err := readLines(s.Root)
	if err != nil || lines.Len() == 0 {
		return nil, nil, err
	}
	files, err := filesOf(s.Root, lines.Entries())
	if err != nil {
		return nil, nil, err
	}
	ids = map[string]bool{}
	for _, of := range files {
		maps.Copy(ids, of)
	}
	byIndex, _, err := groupByIndex(s, files)
	for _, name := range slices.Sorted(maps.Keys(byIndex)) {
		swap, serr := plannedSwap(s, name, byIndex[name], time.Time{})
		if serr == nil && swap != nil { // else the check of the index says why
			indexes = append(indexes, name)
		}
	}
	return indexes, ids, err
}

// groupByIndex groups files by the index that their memories belong to, and warns of those that can't be used.
func groupByIndex(s *Store, files savedFiles) (groups map[string]savedFiles, warnings []string, err error) {
	ops, err := s.Root.Stat(memory.OpsDir)
	if err != nil {
		return nil, nil, err
	}
	c := &commit{root: s.Root, device: ops.ID.Device}
	groups = map[string]savedFiles{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name, err := c.indexFor(file)
		if err != nil {
			return nil, nil, err
		}
		if name == "" {
			continue
		}
		if groups[name] == nil {
			groups[name] = savedFiles{}
		}
		groups[name][file] = files[file]
	}
	return groups, c.result.Warnings, nil
}

// listSaved brings the indexes of files up to date, one after the other. One that somebody else writes in that moment is
// read again.
func listSaved(ctx context.Context, s *Store, files savedFiles, at time.Time) error {
	if len(files) == 0 {
		return nil
	}
	groups, warnings, err := groupByIndex(s, files)
	if err != nil {
		return err
	}
	s.noteAll(warnings)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		err := fmt.Errorf("%s: %w", name, durable.ErrConflict)
		for try := 0; errors.Is(err, durable.ErrConflict) && try < patchTries; try++ {
			var swap *IndexSwap
			if swap, err = plannedSwap(s, name, groups[name], at); err == nil && swap != nil {
				s.SwapIndexes(ctx, []*IndexSwap{swap})
				err = swap.Err
			}
		}
		switch {
		case errors.Is(err, errLeave), odd(err):
			s.note("%s: %s: fix it, then run \"memory reindex\"", name, durable.Cause(err))
		case err != nil:
			return err
		}
	}
	return nil
}

// plannedSwap is the swap that brings one index up to date with files; nil where it is.
func plannedSwap(s *Store, name string, files savedFiles, at time.Time) (*IndexSwap, error) {
	doc, info, err := s.Root.Read(name, maxSize)
	swap := &IndexSwap{File: name, Base: durable.Absent, Info: info}
	var want indexfile.Want
	switch {
	case err == nil:
		swap.Base = durable.Sum(doc)
		want, err = wantSaved(s.Root, name, doc, files)
	case errors.Is(err, fs.ErrNotExist):
		doc = nil
		want.Lines, err = s.Below(path.Dir(name), func(string) bool { return false }, true)
	}
	if err != nil {
		return nil, err
	}
	next, err := indexfile.Update(name, doc, want, at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLeave, err)
	}
	if next.Doc == nil || doc != nil && bytes.Equal(next.Doc, doc) {
		return nil, nil
	}
	swap.Doc = next.Doc
	return swap, nil
}

// wantSaved is what an index should list of files as they are now. An entry goes only if it is about a memory that its
// file doesn't have any more.
func wantSaved(root durable.FS, name string, doc []byte, files savedFiles) (want indexfile.Want, err error) {
	want.Only = map[string]bool{}
	x, err := indexfile.Parse(name, doc)
	if err != nil {
		return want, fmt.Errorf("%w: %w", errLeave, err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		content, _, err := root.Read(file, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !odd(err) {
			return want, err
		}
		var records []*memory.Memory
		if err == nil {
			if records, err = memory.ParseRecords(file, content); err != nil {
				continue // somebody has just broken it: memory check reports it
			}
		}
		has := map[string]bool{}
		for _, m := range records {
			has[m.ID], want.Only[m.ID] = true, true
			want.Lines = append(want.Lines, memory.Line(m))
		}
		for id := range files[file] {
			if _, listed := x.Find(id, file); listed && !has[id] {
				want.Only[id] = true
			}
		}
	}
	want.Lines = index.WithoutCopies(want.Lines)
	return want, nil
}
