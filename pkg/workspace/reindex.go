package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
)

// Reindexed tells what a rebuild did to one index.
type Reindexed struct {
	File    string
	Created bool
	Changes []indexfile.Drift
}

// Reindex rebuilds every index from the files, and creates a missing one in each
// scope directory that holds memories and in archive/. Indexes that agree with
// the files are not written. Unknown keys, and each file's own shape, stay.
// One file that can't be read keeps it from writing any; for whoever can't wait
// for that there is [Inventory].
func (s *FileStore) Reindex(ctx context.Context, now time.Time) (_ []Reindexed, err error) {
	release, err := s.lock(ctx, "reindex")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	snap, noted, err := s.loadExamined(now, false)
	if err != nil {
		return nil, err
	}
	for _, p := range snap.Problems {
		if p.Unread { // its entries would go
			return nil, fmt.Errorf("reindex: %s: %s: nothing was written: %s, or move it away", p.File, p.Message, p.Hint)
		}
	}
	plan := &Plan{At: now, Trigger: "reindex"}
	plan.Seal(s.LogHead())
	c, err := s.newCommit(&Tx{Plan: plan})
	if err != nil {
		return nil, fmt.Errorf("reindex: %w", err)
	}
	var out []Reindexed
	created, err := missingIndexes(snap)
	if err != nil {
		return nil, err
	}
	for _, x := range append(snap.Indexes, created...) {
		if x.Foreign {
			continue
		}
		lines, err := noted.notes.lines(x.Owned())
		if err != nil {
			return nil, fmt.Errorf("reindex %s: %w", x.File, err)
		}
		want := indexfile.Want{Lines: lines}
		if path.Dir(x.File) == ArchiveDir {
			want.Extra = archiveExtras(s, x.Text())
		}
		next, err := x.Text().Update(want, now)
		if err != nil {
			return nil, fmt.Errorf("reindex %s: %w", x.File, err)
		}
		f, err := c.open(x.File)
		if err != nil {
			return nil, fmt.Errorf("reindex %s: %w", x.File, err)
		}
		isNew := slices.Contains(created, x)
		switch written := isNew == f.existed || !isNew && string(f.was) != string(x.Text().Doc()); {
		case written:
			s.note("%s was written while it was being looked at: run reindex again", x.File)
			fallthrough
		case !isNew && string(f.was) == string(next.Doc):
			delete(c.files, x.File) // it stays as it is: nobody needs it in memory
		default:
			f.now, f.exists = next.Doc, true
			out = append(out, Reindexed{x.File, isNew, next.Drifts})
		}
		x.Forget()
	}
	res, err := s.apply(ctx, c, nil)
	if err != nil {
		return nil, fmt.Errorf("reindex: %w", err)
	}
	for _, w := range res.Warnings {
		s.note("%s", w)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].File < out[j].File })
	return out, nil
}

// missingIndexes gives an empty index to every scope directory that holds
// memories and has none, and hands the memories over to it.
func missingIndexes(s *Snapshot) ([]*Index, error) {
	have := map[string]*Index{}
	for _, x := range s.Indexes {
		have[path.Dir(x.File)] = x
	}
	created := map[string]*Index{}
	for _, group := range [][]*Memory{s.Memories(), s.Archived()} {
		for _, m := range group {
			dir := scopeDir(m.File)
			if dir == "" || have[dir] != nil || ownedBelow(have, m.File, dir) {
				continue
			}
			x := created[dir]
			if x == nil {
				empty, err := indexfile.New(dir+"/"+IndexFile, s.At)
				if err != nil {
					return nil, err
				}
				x = newIndex(empty.Name, false, empty.Doc)
				created[dir] = x
			}
			x.Own(append(x.Owned(), m))
		}
	}
	for _, x := range s.Indexes {
		all := x.Owned()
		kept := all[:0:0]
		for _, m := range all {
			if created[scopeDir(m.File)] == nil || ownedBelow(have, m.File, scopeDir(m.File)) {
				kept = append(kept, m)
			}
		}
		x.Own(kept)
	}
	dirs := make([]string, 0, len(created))
	for dir := range created {
		dirs = append(dirs, dir)
	}
	sort.Strings(dirs)
	out := make([]*Index, len(dirs))
	for i, dir := range dirs {
		out[i] = created[dir]
	}
	return out, nil
}

// ownedBelow reports whether an index between the file and its scope directory
// owns it already.
func ownedBelow(have map[string]*Index, file, scope string) bool {
	for dir := path.Dir(file); dir != scope && dir != "."; dir = path.Dir(dir) {
		if x := have[dir]; x != nil && !x.Foreign {
			return true
		}
	}
	return false
}

// archiveExtras recovers, from the log, where archived memories came from, when
// and why, for those that the index has no entry of.
func archiveExtras(s *FileStore, x *indexfile.File) map[string][]indexfile.Field {
	log, err := s.Log()
	if err != nil {
		return nil
	}
	listed := map[string]bool{}
	for _, e := range x.Entries() {
		listed[e.ID] = true
	}
	extras := map[string][]indexfile.Field{}
	for _, e := range log.Entries {
		for _, a := range e.Actions {
			for id, from := range archivedBy(&a) {
				if !listed[id] {
					extras[id] = archivedExtra(from, e.Timestamp, archiveReason(&a), e.RunID)
				}
			}
		}
	}
	return extras
}
