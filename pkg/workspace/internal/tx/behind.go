package tx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/delta"
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

// savedRun is one save, and the files that it has written.
type savedRun struct {
	id    string
	at    time.Time
	files savedFiles
}

// filesOfAll are the files of several saves.
func filesOfAll(saves []savedRun) savedFiles {
	all := savedFiles{}
	for _, r := range saves {
		for name, ids := range r.files {
			for id := range ids {
				addSaved(all, name, id)
			}
		}
	}
	return all
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
	saves, err := savedRuns(s.Root, entries)
	if err == nil {
		err = listSaved(ctx, s, saves)
	}
	if err != nil {
		return fmt.Errorf("bring the indexes up to date: %w", err)
	}
	if s.Indexed != nil {
		*s.Indexed = entries[len(entries)-1].RunID
	}
	return nil
}

// savedRuns gives the files that each save has written, by the record of its run. Of a run without a record the log names
// what it has added.
func savedRuns(root durable.FS, entries []oplog.Entry) (saves []savedRun, err error) {
	for i := range entries {
		save := savedRun{entries[i].RunID, entries[i].Timestamp, savedFiles{}}
		j := &journal.Run{}
		err := journal.Read(root, journal.Dir(save.id)+"/"+journal.File, j)
		switch {
		case err == nil:
			addRun(save.files, j)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, journal.ErrDamaged):
			for _, a := range entries[i].Actions {
				if ref, ok := memory.ParseRef(a.To); ok && a.Type == oplog.Add {
					addSaved(save.files, ref.File, a.MemoryID)
				}
			}
		default:
			return nil, err
		}
		saves = append(saves, save)
	}
	return saves, nil
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
	saves, err := savedRuns(s.Root, lines.Entries())
	if err != nil {
		return nil, nil, err
	}
	files := filesOfAll(saves)
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

// listSaved brings the indexes of what was saved up to date, one after the other. One that somebody else writes in that
// moment is read again.
func listSaved(ctx context.Context, s *Store, saves []savedRun) error {
	files := filesOfAll(saves)
	if len(files) == 0 {
		return nil
	}
	groups, warnings, err := groupByIndex(s, files)
	if err != nil {
		return err
	}
	s.noteAll(warnings)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		of := savesIn(saves, groups[name])
		err := fmt.Errorf("%s: %w", name, durable.ErrConflict)
		for try := 0; errors.Is(err, durable.ErrConflict) && try < patchTries; try++ {
			var swap *IndexSwap
			if swap, err = plannedSwap(s, name, groups[name], of[len(of)-1].at); err == nil && swap != nil {
				if err = noteListed(s, swap, of); err == nil {
					swap.Slot = s.Slots[name]
					s.SwapIndexes(ctx, []*IndexSwap{swap})
					if err = swap.Err; s.Slots != nil {
						s.Slots[name] = swap.Slot
					}
				}
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

// savesIn are the saves that have written one of the files.
func savesIn(saves []savedRun, files savedFiles) (of []savedRun) {
	for _, r := range saves {
		for name := range r.files {
			if files[name] != nil {
				of = append(of, r)
				break
			}
		}
	}
	return of
}

// noteListed writes, into the record of the last of some saves, how an index was before it listed them, so that an undo can put
// back every byte. Nothing is noted of an index that is new, or where the last save has no record any more.
func noteListed(s *Store, swap *IndexSwap, saves []savedRun) error {
	if swap.Base == durable.Absent {
		return nil
	}
	last := journal.Dir(saves[len(saves)-1].id)
	if there, err := durable.Exists(s.Root, last+"/"+journal.File); err != nil || !there {
		return err
	}
	was, _, err := s.Root.Read(swap.File, maxSize)
	if err != nil || durable.Sum(was) != swap.Base {
		return fmt.Errorf("%s: %w", swap.File, cmp.Or(err, durable.ErrConflict))
	}
	x, err := indexfile.Parse(swap.File, was)
	if err != nil {
		return fmt.Errorf("%w: %w", errLeave, err)
	}
	first := slices.IndexFunc(saves, func(r savedRun) bool { return !listsAll(x, r.files) })
	if first < 0 {
		return nil
	}
	return writeListed(s.Root, last, swap.File, was, swap.Doc, saves[first:])
}

// listsAll reports whether an index has an entry of each memory that was saved.
func listsAll(x *indexfile.File, files savedFiles) bool {
	for file, ids := range files {
		for id := range ids {
			if _, ok := x.Find(id, file); !ok {
				return false
			}
		}
	}
	return true
}

func writeListed(root durable.FS, dir, index string, was, now []byte, saves []savedRun) error {
	all, err := readListed(root, dir)
	if err != nil {
		return err
	}
	l := journal.Listed{Derived: journal.Derived{Path: index, Base: durable.Sum(was), Next: durable.Sum(now), Delta: delta.Of(now, was)}}
	for _, r := range saves {
		l.Saves = append(l.Saves, r.id)
	}
	all = append(slices.DeleteFunc(all, func(l journal.Listed) bool { return l.Path == index }), l)
	doc, err := journal.Seal(all)
	if err != nil {
		return err
	}
	name, temp := dir+"/"+journal.ListedFile, dir+"/"+journal.ListedFile+".tmp"
	if err := errors.Join(drop(root, temp), drop(root, name)); err != nil {
		return err
	}
	if err := durable.Write(root, temp, doc, private.Mode); err != nil {
		return err
	}
	return durable.Publish(root, temp, name)
}

// readListed reads what was noted in the record of a run. What is damaged says nothing: an undo then only takes the entry away.
func readListed(root durable.FS, dir string) (all []journal.Listed, err error) {
	err = journal.Read(root, dir+"/"+journal.ListedFile, &all)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrDamaged) || odd(err) {
		return nil, nil
	}
	return all, err
}

// exactListed lists the indexes that are still as they were when a save was listed, with their bytes before that: as if it
// had never been. Where it was listed together with saves before it, these stay listed.
func (s *Store) exactListed(p pastRun) (out []journal.Exact, err error) {
	all, err := readListed(s.Root, journal.Dir(p.name))
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		now, _, err := s.Root.Read(l.Path, maxSize)
		if errors.Is(err, fs.ErrNotExist) || odd(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		was := delta.Apply(now, l.Delta)
		if n := len(l.Saves); durable.Sum(now) != l.Next || durable.Sum(was) != l.Base || n == 0 || l.Saves[n-1] != p.name {
			continue
		}
		back := was
		if earlier := l.Saves[:len(l.Saves)-1]; len(earlier) > 0 {
			if back, err = s.listedWithout(l.Path, was, earlier); err != nil {
				return nil, err
			} else if back == nil {
				continue
			}
		}
		out = append(out, journal.Exact{Path: l.Path, From: l.Next, To: durable.Sum(back), Before: back})
	}
	return out, nil
}

// listedWithout is an index with some saves and without those after them, and notes how it was before these; nil where the
// record of one is gone.
func (s *Store) listedWithout(name string, was []byte, runs []string) ([]byte, error) {
	var saves []savedRun
	for _, id := range runs {
		j := &journal.Run{}
		err := journal.Read(s.Root, journal.Dir(id)+"/"+journal.File, j)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrDamaged) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		save := savedRun{id, j.At, savedFiles{}}
		addRun(save.files, j)
		saves = append(saves, save)
	}
	groups, _, err := groupByIndex(s, filesOfAll(saves))
	if err != nil {
		return nil, err
	}
	last := saves[len(saves)-1]
	want, err := wantSaved(s.Root, name, was, groups[name])
	if err != nil {
		return nil, err
	}
	next, err := indexfile.Update(name, was, want, last.at)
	if err != nil {
		return nil, nil // it is updated as after any other run
	}
	return next.Doc, writeListed(s.Root, journal.Dir(last.id), name, was, next.Doc, saves)
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
