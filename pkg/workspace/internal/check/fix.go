package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Fixed is one thing that was mended.
type Fixed struct {
	File string `json:"file"`
	What string `json:"what"`
}

// cacheDir has files that nobody misses: who writes there removes what interrupted writers left.
const cacheDir = memory.OpsDir + "/cache"

// MoveDamaged moves files of ours that are damaged, and leftovers of interrupted writers,
// to ops/conflicts/; caches are left alone. The caller holds the lock.
func MoveDamaged(root durable.FS, now time.Time) (fixed []Fixed, err error) {
	var damaged []string
	err = durable.Walk(root, ".", func(name string, kind durable.Kind) bool {
		switch base := path.Base(name); {
		case name == journal.RunsDir || name == journal.ConflictsDir || name == cacheDir || strings.HasPrefix(base, ".") && kind == durable.Dir && name != ".":
			return false
		case kind != durable.Regular:
		case strings.HasPrefix(base, durable.TempPrefix), derived(name) && broken(root, name):
			damaged = append(damaged, name)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, name := range damaged {
		to, err := moveAside(root, name, "fix-"+now.UTC().Format("20060102T150405Z"))
		if err != nil {
			return fixed, fmt.Errorf("move %s aside: %w", name, err)
		}
		fixed = append(fixed, Fixed{name, "damaged or left behind: moved to " + to})
	}
	return fixed, nil
}

// derived reports whether a file can be made anew.
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
