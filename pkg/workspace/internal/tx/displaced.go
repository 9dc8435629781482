package tx

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// KeepDisplaced is how long the displaced contents of patched files are kept: indexes
// and the log can be had from the record, so only what an editor that still has
// one open writes into it is of interest.
const KeepDisplaced = time.Hour

// KeepVersions is how many displaced contents of one file that is ours alone a process keeps: a
// thousand runs in minutes displace one index of megabytes a thousand times.
const KeepVersions = 8

// dropSpent removes displaced contents that nobody has written into, and nobody can any more, since no process has the file
// open for writing.
func dropSpent(root durable.FS, slot string) (gone bool, err error) {
	if durable.OpenForWriting(root, slot) {
		return false, nil
	}
	if err := dropDisplaced(root, slot); err != nil {
		return false, err
	}
	there, err := durable.Exists(root, slot)
	return !there, err
}

// putBy removes the slots of patched files that nobody can write into any more. Others it moves out of the record, to be
// looked through once more when no editor can still be writing into them. Those that stay behind go with the record.
func (r *run) putBy(slots []string) {
	if _, err := durable.MkdirAll(r.root, DisplacedDir); err != nil {
		r.warn("%v", err)
		return
	}
	var spent []string
	for _, name := range slots {
		if gone, err := dropSpent(r.root, r.dir+"/"+SlotsDir+"/"+name); err != nil {
			r.warn("%v", err)
			continue
		} else if gone {
			continue
		}
		to := DisplacedDir + "/" + journal.Displaced{At: r.now(), Run: path.Base(r.dir), Slot: name}.Name()
		if err := r.root.Rename(r.dir+"/"+SlotsDir+"/"+name, to); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			r.warn("%v", err)
			continue
		}
		if s, ok := r.j.ParseSlot(name, patchedFiles); ok {
			spent = append(spent, r.displaced.add(s.Path, to)...)
		}
	}
	if err := durable.ForEachParallel(len(spent), r.parallel, func(i int) error { return dropDisplaced(r.root, spent[i]) }); err != nil {
		r.warn("%v", err)
	}
}

// Displaced are the contents that this process has displaced and that are still kept, the oldest
// first, by the path they had. Whoever holds the writer's lock may use it.
type Displaced map[string][]string

// add adds one and takes out those that are not kept any more.
func (d *Displaced) add(path, name string) (spent []string) {
	if path == memory.ReviewFile || path == accesslog.File {
		return nil // people and other programs write into these
	}
	if *d == nil {
		*d = Displaced{}
	}
	kept := append((*d)[path], name)
	n := max(0, len(kept)-KeepVersions)
	(*d)[path] = slices.Clone(kept[n:])
	return kept[:n]
}

// SweepDisplaced looks through the displaced contents of patched files, and
// removes those that nobody has written into.
func (s *Store) SweepDisplaced() error {
	entries, err := s.Root.ReadDir(DisplacedDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		d, ok := journal.ParseDisplaced(e.Name)
		if !ok || s.Now().Sub(d.At).Abs() < KeepDisplaced {
			continue
		}
		name := DisplacedDir + "/" + e.Name
		in, err := durable.Hash(s.Root, name)
		if err != nil {
			return err
		}
		if strings.Contains(d.Slot, in) { // as nearly all are: the journal, which may be long, has no say in it
			if err := s.Root.Remove(name); err != nil {
				return err
			}
			continue
		}
		r := s.newRun(d.Run, &journal.Run{})
		if err := journal.Read(s.Root, r.dir+"/"+journal.File, r.j); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		slot, ok := r.j.ParseSlot(d.Slot, patchedFiles)
		if !ok {
			slot.Path = "unknown.json" // its record is gone
		}
		if d.Run == indexSwaps {
			slot.Path = labelledIndex(d.Slot)
		}
		given := false
		if ok {
			given, err = appended(r, name, slot)
		}
		if err == nil && !given {
			err = r.aside(name, slot.Path)
		}
		if err != nil {
			return err
		}
		s.noteAll(r.warnings)
	}
	return err // of a directory that was read in part
}

// dropDisplaced removes displaced contents, unless somebody has written into it:
// then it is kept until [Store.SweepDisplaced] takes it aside.
func dropDisplaced(root durable.FS, slot string) error {
	if slot == "" {
		return nil
	}
	in, err := durable.Hash(root, slot)
	if err != nil || in == durable.Absent || !strings.Contains(path.Base(slot), in) {
		return err
	}
	if err := root.Remove(slot); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
