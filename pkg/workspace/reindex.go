package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"time"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// Reindexed tells what a rebuild did to one index.
type Reindexed struct {
	File    string
	Created bool
	Changes []Drift
}

// Reindex rebuilds every index from the files, and creates a missing one in each
// scope directory that holds memories and in archive/. Indexes that agree with
// the files are not written. Unknown keys, and each file's own shape, stay.
func (s *FileStore) Reindex(ctx context.Context, now time.Time) (_ []Reindexed, err error) {
	release, err := s.lock(ctx, "reindex")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	snap, err := s.Load(now)
	if err != nil {
		return nil, err
	}
	c := &commit{root: s.root, tx: &Tx{Plan: &Plan{At: now}}, files: map[string]*file{}}
	var out []Reindexed
	created, err := missingIndexes(snap)
	if err != nil {
		return nil, err
	}
	for _, x := range append(snap.Indexes, created...) {
		if x.Foreign {
			continue
		}
		var extras map[string][]field
		if path.Dir(x.File) == ArchiveDir {
			extras = archiveExtras(s, x)
		}
		doc, changes, err := x.reconcile(x.Owned, nil, extras, now)
		if err != nil {
			return nil, fmt.Errorf("reindex %s: %w", x.File, err)
		}
		f, err := c.open(x.File)
		if err != nil {
			return nil, fmt.Errorf("reindex %s: %w", x.File, err)
		}
		isNew := !f.existed
		f.now, f.exists = doc, true
		if isNew || string(f.was) != string(doc) {
			out = append(out, Reindexed{x.File, isNew, changes})
		}
	}
	if err := c.publish(ctx); err != nil {
		return nil, fmt.Errorf("reindex: %w", err)
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
	for _, group := range [][]*Memory{s.Memories, s.Archived} {
		for _, m := range group {
			dir := scopeDir(m.File)
			if dir == "" || have[dir] != nil || ownedBelow(have, m.File, dir) {
				continue
			}
			x := created[dir]
			if x == nil {
				var err error
				if x, err = newIndex(dir+"/"+IndexFile, s.At); err != nil {
					return nil, err
				}
				created[dir] = x
			}
			x.Owned = append(x.Owned, m)
		}
	}
	for _, x := range s.Indexes {
		kept := x.Owned[:0:0]
		for _, m := range x.Owned {
			if created[scopeDir(m.File)] == nil || ownedBelow(have, m.File, scopeDir(m.File)) {
				kept = append(kept, m)
			}
		}
		x.Owned = kept
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
func archiveExtras(s *FileStore, x *Index) map[string][]field {
	doc, err := s.Read(LogFile)
	if err != nil {
		return nil
	}
	log, err := oplog.Read(doc)
	if err != nil {
		return nil
	}
	listed := map[string]bool{}
	for _, e := range x.Entries {
		listed[e.ID] = true
	}
	extras := map[string][]field{}
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
