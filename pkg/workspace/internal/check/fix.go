package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Fixed is one thing that was fixed.
type Fixed struct {
	File string `json:"file"`
	What string `json:"what"`
}

// cacheDir has files that nobody misses: who writes there removes what interrupted writers left.
const cacheDir = memory.OpsDir + "/cache"

// MoveDamaged moves files of ours that are damaged, leftovers of interrupted writers, and copies of an index, or of a
// file of edges that has all of theirs, to ops/conflicts/; caches are left alone. The caller holds the lock.
func MoveDamaged(root durable.FS, now time.Time) (fixed []Fixed, err error) {
	var damaged, copies []string
	err = durable.Walk(root, ".", func(name string, kind durable.Kind) bool {
		switch base := path.Base(name); {
		case name == journal.RunsDir || name == journal.ConflictsDir || name == cacheDir || strings.HasPrefix(base, ".") && kind == durable.Dir && name != ".":
			return false
		case kind != durable.Regular:
		case strings.HasPrefix(base, durable.TempPrefix), derived(name) && broken(root, name):
			damaged = append(damaged, name)
		case copied(root, name):
			copies = append(copies, name)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, some := range []struct {
		names []string
		what  string
	}{{damaged, "damaged or left behind"}, {copies, "a copy that tells nothing of its own"}} {
		for _, name := range some.names {
			to, err := moveAside(root, name, "fix-"+now.UTC().Format("20060102T150405Z"))
			if err != nil {
				return fixed, fmt.Errorf("move %s aside: %w", name, err)
			}
			fixed = append(fixed, Fixed{name, some.what + ": moved to " + to})
		}
	}
	return fixed, nil
}

// copied reports whether a file is a copy, by a program that keeps folders in step, of an index, or of a file of edges that has an edge of
// each name in it.
func copied(root durable.FS, name string) bool {
	index, file := path.Join(path.Dir(name), memory.IndexFile), path.Join(path.Dir(name), memory.EdgesFile)
	if !memory.IsCopyName(name, index) && !memory.IsCopyName(name, file) {
		return false
	}
	doc, _, err := root.Read(name, jsonedit.MaxSize)
	if err != nil {
		return false
	}
	if memory.IsCopyName(name, index) {
		lists, err := indexfile.Lists(doc)
		return err == nil && lists
	}
	has, _, err := root.Read(file, jsonedit.MaxSize)
	if err != nil {
		return false
	}
	theirs, err := edgefile.Parse(doc)
	ours, err2 := edgefile.Parse(has)
	return err == nil && err2 == nil && !slices.ContainsFunc(theirs, func(e edgefile.Edge) bool {
		return !slices.ContainsFunc(ours, func(o edgefile.Edge) bool { return o.Name == e.Name })
	})
}

// derived reports whether a file can be made again.
func derived(name string) bool {
	return path.Base(name) == memory.IndexFile || name == memory.ReviewFile || name == memory.SeenFile || name == memory.LogFile
}

// broken reports whether a file of ours is not JSON of the right kind. One that
// the disk doesn't give is not: it is left alone.
func broken(root durable.FS, name string) bool {
	doc, _, err := root.Read(name, jsonedit.MaxSize)
	if err != nil {
		return false
	}
	if name == memory.ReviewFile {
		_, _, err = review.Parse(doc)
	} else {
		err = jsonedit.Check(doc)
	}
	return err != nil
}

// moveAside moves a file below ops/conflicts/, to a free name there.
func moveAside(root durable.FS, name, under string) (string, error) {
	to := path.Join(journal.ConflictsDir, under, name)
	for n := 2; ; n++ {
		if _, err := root.Stat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		to = path.Join(journal.ConflictsDir, fmt.Sprintf("%s-%d", under, n), name)
	}
	made, err := durable.MkdirAll(root, path.Dir(to))
	if err != nil {
		return "", err
	}
	err = root.Move(name, to)
	if errors.Is(err, errors.ErrUnsupported) {
		err = root.Rename(name, to) // the name is free, and we hold the lock
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return to, durable.SyncDirs(root, 1, append(made, path.Dir(to), path.Dir(name))...)
}
