package tx

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexes updates the indexes whose turn it is; with adding, by what was created alone.
func (r *run) indexes(adding bool) error {
	for _, k := range r.turns.Order {
		x := &r.j.Indexes[k]
		if !slices.Contains(r.turns.Of[k], adding) && (adding || r.listed[x.Path] == len(r.dead)+1) {
			continue // nothing to add, or nothing has changed since it was added
		}
		if r.wrote > 0 && r.pause > 0 {
			select {
			case <-time.After(r.pause):
			case <-r.hurry():
			}
		}
		changed, err := r.patch(&patch{label: journal.IndexLabel(k), name: x.Path, of: func(doc []byte) ([]byte, error) {
			if exact, ok := r.exact(x.Path, doc); ok {
				return exact, nil
			}
			next, err := r.updatedIndex(k, doc, adding)
			if err != nil && !errors.Is(err, index.ErrReading) {
				return nil, fmt.Errorf("%w: %w", errLeave, err)
			}
			return next, err
		}})
		switch {
		case errors.Is(err, errLeave), odd(err):
			// An index is derived: no run fails over it.
			r.warn("%s: %s: mend it, then run \"memory reindex\"", x.Path, durable.Cause(err))
		case err != nil:
			return fmt.Errorf("%s: %w", x.Path, err)
		case changed:
			r.wrote++
			r.changed = append(r.changed, x.Path)
		}
		if err == nil && adding {
			r.listed[x.Path] = len(r.dead) + 1
		}
	}
	return nil
}

// updatedIndex computes the index numbered k from the files as they are now. What is about
// to be deleted counts as gone already.
func (r *run) updatedIndex(k int, doc []byte, adding bool) ([]byte, error) {
	var want indexfile.Want
	var err error
	name := r.j.Indexes[k].Path
	if doc == nil {
		want.Lines, err = r.below(path.Dir(name), r.leaving(), !r.again)
	} else {
		want, err = index.WantOf(index.ChangesOf(r.j, k, adding), r.contentNow)
	}
	if err != nil {
		return nil, err
	}
	want.Extra = index.Extra(r.j)
	next, err := indexfile.Update(name, doc, want, r.j.At)
	return next.Doc, err
}

// leaving tells the files that the run will remove.
func (r *run) leaving() func(file string) bool {
	files := map[string]bool{}
	for i := range r.j.Files {
		c := &r.j.Files[i]
		if _, dead := r.dead[c.Group]; !dead && c.Kind() == journal.Remove {
			files[c.Path] = true
		}
	}
	return func(file string) bool { return files[file] }
}

// contentNow reads a changed file as it is; nil when there is none, or when it is about
// to be removed.
func (r *run) contentNow(c *journal.Change) ([]byte, error) {
	if _, dead := r.dead[c.Group]; !dead && c.Kind() == journal.Remove {
		return nil, nil
	}
	data, _, err := r.read(c.Path)
	if odd(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", index.ErrReading, err)
	}
	return data, nil
}
