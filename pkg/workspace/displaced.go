package workspace

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// keepPatched is how long the displaced contents of patched files are kept: indexes
// and the log can be had from the record, so only what an editor that still has
// one open writes into it is of interest.
const keepPatched = time.Hour

// keepVersions is how many displaced contents of one file that is ours alone a process keeps: a
// thousand runs in minutes displace one index of megabytes a thousand times.
const keepVersions = 8

// putBy moves the slots of patched files out of the record, to be looked through
// once more when no editor can still be writing into them. Those that stay behind
// go with the record.
func (r *run) putBy(slots []string) {
	if _, err := durable.MkdirAll(r.root, displacedDir); err != nil {
		r.warn("%v", err)
		return
	}
	var spent []string
	for _, name := range slots {
		to := displacedDir + "/" + journal.Displaced{At: r.now(), Run: path.Base(r.dir), Slot: name}.Name()
		if err := r.root.Rename(r.dir+"/"+slotsDir+"/"+name, to); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			r.warn("%v", err)
			continue
		}
		if s, ok := r.j.ParseSlot(name, patchedFiles); ok {
			spent = append(spent, r.displaced.add(s.Path, to)...)
		}
	}
	if err := durable.Each(len(spent), r.parallel, func(i int) error { return dropDisplaced(r.root, spent[i]) }); err != nil {
		r.warn("%v", err)
	}
}

// displaced are the contents that this process has displaced and that are still kept, the oldest
// first, by the path they had. Whoever holds the writer's lock may use it.
type displaced map[string][]string

// add adds one and takes out those that are not kept any more.
func (d *displaced) add(path, name string) (spent []string) {
	if path == ReviewFile || path == AccessFile {
		return nil // people and other programs write into these
	}
	if *d == nil {
		*d = displaced{}
	}
	kept := append((*d)[path], name)
	n := max(0, len(kept)-keepVersions)
	(*d)[path] = slices.Clone(kept[n:])
	return kept[:n]
}

// sweepDisplaced looks through the displaced contents of patched files, and
// removes those that nobody has written into.
func (s *FileStore) sweepDisplaced() error {
	entries, err := s.root.ReadDir(displacedDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		d, ok := journal.ParseDisplaced(e.Name)
		if !ok || s.Now().Sub(d.At).Abs() < keepPatched {
			continue
		}
		name := displacedDir + "/" + e.Name
		in, err := durable.Hash(s.root, name)
		if err != nil {
			return err
		}
		if strings.Contains(d.Slot, in) { // as nearly all are: the journal, which may be long, has no say in it
			if err := s.root.Remove(name); err != nil {
				return err
			}
			continue
		}
		r := s.newRun(d.Run, &journal.Run{})
		if err := journal.Read(s.root, r.dir+"/"+journalFile, r.j); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		slot, ok := r.j.ParseSlot(d.Slot, patchedFiles)
		if !ok {
			slot.Path = "unknown.json" // its record is gone
		}
		if d.Run == indexSlots {
			slot.Path = labelledIndex(d.Slot)
		}
		given := false
		if ok {
			given, err = r.appended(name, slot)
		}
		if err == nil && !given {
			err = r.aside(name, slot.Path)
		}
		if err != nil {
			return err
		}
		for _, w := range r.warnings {
			s.note("%s", w)
		}
	}
	return err // of a directory that was read in part
}

// dropDisplaced removes displaced contents, unless somebody has written into it:
// then it is kept until sweepDisplaced takes it aside.
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
