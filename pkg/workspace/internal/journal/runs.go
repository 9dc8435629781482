package journal

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Names of the records of runs, and of what they could not give back.
const (
	RunsDir      = "ops/runs"
	ConflictsDir = "ops/conflicts"
	File         = "journal.json"
	DoneFile     = "done.json"
	DeferredFile = "deferred.json"
	// TrashPrefix begins the names of records that are being removed.
	TrashPrefix = ".trash-"
)

// Dir is the directory of a run's records.
func Dir(run string) string { return RunsDir + "/" + run }

// Runs lists the runs that have records; trash are records that are being removed.
func Runs(root durable.FS) (names, trash []string, err error) {
	entries, err := root.ReadDir(RunsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		switch {
		case e.Kind != durable.Dir:
		case strings.HasPrefix(e.Name, TrashPrefix):
			trash = append(trash, e.Name)
		case strings.HasPrefix(e.Name, "."):
		default:
			names = append(names, e.Name)
		}
	}
	return names, trash, err
}

// Finished reports whether a run has its last record.
func Finished(root durable.FS, run string) (bool, error) {
	return durable.Exists(root, Dir(run)+"/"+DoneFile)
}

// Committed reports whether a run has its journal.
func Committed(root durable.FS, run string) (bool, error) {
	return durable.Exists(root, Dir(run)+"/"+File)
}

// Unfinished lists those of some runs that were committed and not finished.
func Unfinished(root durable.FS, runs []string) (open []string, err error) {
	for _, run := range runs {
		if done, err := Finished(root, run); err != nil {
			return open, err
		} else if done {
			continue
		}
		if committed, err := Committed(root, run); err != nil {
			return open, err
		} else if committed {
			open = append(open, run)
		}
	}
	return open, nil
}
