package workspace

import (
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Names below ops/runs/.
const (
	RunsDir      = "ops/runs"
	ConflictsDir = "ops/conflicts"

	displacedDir = RunsDir + "/.displaced"
	journalFile  = "journal.json"
	journalTemp  = "journal.tmp"
	doneFile     = "done.json"
	doneTemp     = "done.tmp"
	deferredFile = "deferred.json"
	slotsDir     = "s"
	reserveFile  = "reserve"
	deadPrefix   = "dead."
	trashPrefix  = ".trash-"
)

// patchedFiles are the files that a run patches, but for indexes, by the labels of their slots.
var patchedFiles = map[string]string{
	journal.LabelLog: LogFile, journal.LabelSeen: SeenFile, journal.LabelReview: ReviewFile, journal.LabelAccess: AccessFile,
}

// sweep looks through the slots of a run for what was written into a file after it
// had been displaced, by an editor that still had it open, and keeps that in
// ops/conflicts. It returns the paths concerned.
func (r *run) sweep() (late []string, err error) {
	dir := r.dir + "/" + slotsDir
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		s, ok := r.j.ParseSlot(e.Name, patchedFiles)
		if !ok {
			continue
		}
		in, err := durable.Hash(r.root, dir+"/"+e.Name)
		if err != nil {
			return late, err
		}
		if in == s.Base || in == s.Next || in == durable.Absent {
			continue
		}
		if given, err := r.appended(dir+"/"+e.Name, s); err != nil {
			return late, err
		} else if given {
			continue
		}
		if err := r.aside(dir+"/"+e.Name, s.Path); err != nil {
			return late, err
		}
		r.touched[path.Dir(dir)] = true
		late = append(late, s.Path)
	}
	return late, nil
}
