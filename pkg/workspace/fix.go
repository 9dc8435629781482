package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Fixed is one thing that Fix did.
type Fixed struct {
	File string `json:"file"`
	What string `json:"what"`
}

// Fix mends what is derived: it finishes an interrupted run, moves files of ours
// that are damaged, and leftovers of interrupted writers, aside to ops/conflicts/,
// and rebuilds the indexes. It deletes nothing and touches no memory file: what is
// wrong in those is for a person to decide.
func (s *FileStore) Fix(ctx context.Context, now time.Time) ([]Fixed, error) {
	fixed, err := s.moveDamaged(ctx, now)
	if err != nil {
		return fixed, fmt.Errorf("fix: %w", err)
	}
	rebuilt, err := s.Reindex(ctx, now)
	if err != nil {
		return fixed, err
	}
	for _, r := range rebuilt {
		fixed = append(fixed, Fixed{r.File, "rebuilt from the files"})
	}
	return fixed, nil
}

// moveDamaged moves aside what can't be read and can be made anew.
func (s *FileStore) moveDamaged(ctx context.Context, now time.Time) (fixed []Fixed, err error) {
	release, err := s.lock(ctx, "check --fix") // which finishes an interrupted run
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	var damaged []string
	err = durable.Walk(s.root, ".", func(name string, kind durable.Kind) bool {
		switch base := path.Base(name); {
		case name == RunsDir || name == ConflictsDir || strings.HasPrefix(base, ".") && kind == durable.Dir && name != ".":
			return false
		case kind != durable.Regular:
		case strings.HasPrefix(base, durable.TempPrefix), (base == IndexFile || name == ReviewFile || name == SeenFile || name == LogFile) && s.broken(name):
			damaged = append(damaged, name)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, name := range damaged {
		to, err := s.putAside(name, "fix-"+now.UTC().Format("20060102T150405Z"))
		if err != nil {
			return fixed, fmt.Errorf("move %s aside: %w", name, err)
		}
		fixed = append(fixed, Fixed{name, "damaged or left behind: moved to " + to})
	}
	return fixed, nil
}

// broken reports whether a file of ours is not JSON of the right kind. One that
// the disk doesn't give is not: it is left alone.
func (s *FileStore) broken(name string) bool {
	doc, err := s.Read(name)
	if err != nil {
		return false
	}
	if name == ReviewFile {
		_, err := loadReview(s.root)
		return err != nil
	}
	return jsonedit.Check(doc) != nil
}

// putAside moves a file below ops/conflicts/, to a free name there.
func (s *FileStore) putAside(name, under string) (string, error) {
	to := path.Join(ConflictsDir, under, name)
	for n := 2; ; n++ {
		taken, err := exists(s.root, to)
		if err != nil {
			return "", err
		}
		if !taken {
			break
		}
		to = path.Join(ConflictsDir, fmt.Sprintf("%s-%d", under, n), name)
	}
	made, err := durable.MkdirAll(s.root, path.Dir(to))
	if err != nil {
		return "", err
	}
	err = s.root.Move(name, to)
	if errors.Is(err, errors.ErrUnsupported) {
		err = s.root.Rename(name, to) // the name is free, and we hold the lock
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return to, durable.SyncDirs(s.root, s.parallel, append(made, path.Dir(to), path.Dir(name))...)
}
