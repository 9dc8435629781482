package tx

import (
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Names below ops/.
const (
	DisplacedDir = journal.RunsDir + "/.displaced"
	JournalTemp  = "journal.tmp"
	doneTemp     = "done.tmp"
	SlotsDir     = "s"
	reserveFile  = "reserve"
	deadPrefix   = "dead."
)

// patchedFiles are the files that a run patches, but for indexes and files of edges, by the labels of their slots.
var patchedFiles = map[string]string{
	journal.LabelLog: memory.LogFile, journal.LabelSeen: memory.SeenFile, journal.LabelReview: memory.ReviewFile, journal.LabelAccess: accesslog.File,
	journal.LabelSaves: memory.SavesFile, journal.LabelOverlay: note.OverlayFile,
}

// sweep looks through the slots of a run for what was written into a file after it
// had been displaced, by an editor that still had it open, and keeps that in
// ops/conflicts. It returns the paths concerned.
func (r *run) sweep() (late []string, err error) {
	dir := r.dir + "/" + SlotsDir
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
		if given, err := appended(r, dir+"/"+e.Name, s); err != nil {
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
