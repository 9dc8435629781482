package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexes brings the indexes of the changed files along whose turn it is; with adding, by what
// was created alone.
func (r *run) indexes(adding bool) error {
	for _, k := range r.turns.order {
		x := &r.j.Indexes[k]
		if !slices.Contains(r.turns.of[k], adding) && (adding || r.listed[x.Path] == len(r.dead)+1) {
			continue // there is none to add, or it is as it is since they were added
		}
		if r.wrote > 0 && r.pause > 0 {
			select {
			case <-time.After(r.pause):
			case <-r.hurry():
			}
		}
		p := &patch{label: journal.IndexLabel(k), name: x.Path}
		p.of = func(doc []byte) ([]byte, error) {
			if exact, ok := r.exact(x.Path, doc); ok {
				return exact, nil
			}
			next, err := r.reconciled(k, doc, adding)
			if err != nil && !errors.Is(err, errReading) {
				return nil, fmt.Errorf("%w: %w", errLeave, err)
			}
			p.kept, p.to = next.Kept, next.to
			return next.Doc, err
		}
		changed, err := r.patch(p)
		switch {
		case errors.Is(err, errLeave), odd(err):
			// An index is derived: no run fails over it.
			r.warn("%s: %s: mend it, then run \"memory reindex\"", x.Path, cause(err))
		case err != nil:
			return fmt.Errorf("%s: %w", x.Path, err)
		case changed:
			r.wrote++
			r.changed = append(r.changed, x.Path)
		}
		r.lighten(p.name)
		if err == nil && adding {
			r.listed[x.Path] = len(r.dead) + 1
		}
	}
	return nil
}

// concerning are the changes that concern the index numbered k; with adding, those that
// create a file.
func (r *run) concerning(k int, adding bool) (out []*journal.Change) {
	listed := make(map[string]bool, len(r.j.Indexes[k].Files))
	for _, name := range r.j.Indexes[k].Files {
		listed[name] = true
	}
	for i := range r.j.Files {
		if c := &r.j.Files[i]; listed[c.Path] && (!adding || c.Kind() == journal.Create) {
			out = append(out, c)
		}
	}
	return out
}

// errReading: the disk failed, not the index.
var errReading = errors.New("reading")

// reconciled computes the index numbered k from the changed files as they stand now. What
// is about to be deleted counts as gone already.
func (r *run) reconciled(k int, doc []byte, adding bool) (next updatedIndex, err error) {
	x := &r.j.Indexes[k]
	if doc == nil {
		next.Doc, err = r.newIndex(x)
		return next, err
	}
	stands := r.stands(x.Path, doc)
	if stands.index == nil {
		if stands.index, err = indexfile.Parse(x.Path, doc); err != nil {
			return next, fmt.Errorf("is not valid JSON: %w", err)
		}
	}
	if stands.index.Foreign {
		next.Doc = doc
		return next, nil
	}
	changes := r.concerning(k, adding)
	contents, foreseen := make([][]byte, len(changes)), r.foreseen != nil && r.foreseen[k][adding].from == stands
	for i, c := range changes {
		if contents[i], err = r.contentNow(c); err != nil {
			return next, err
		}
		foreseen = foreseen && bytes.Equal(contents[i], c.After)
	}
	if foreseen {
		next = r.foreseen[k][adding].updatedIndex
		delete(r.foreseen[k], adding) // it may have many bytes
		return next, nil
	}
	return r.updated(stands.index, changes, contents)
}

// contentNow reads a changed file as it stands; nil when there is none, or when it is about
// to go.
func (r *run) contentNow(c *journal.Change) ([]byte, error) {
	if _, dead := r.dead[c.Group]; !dead && c.Kind() == journal.Remove {
		return nil, nil
	}
	data, _, err := r.read(c.Path)
	if odd(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReading, err)
	}
	return data, nil
}

// updated computes an index from the contents of changed files. One that somebody has just
// broken has no memories.
func (r *run) updated(index *indexfile.File, changes []*journal.Change, contents [][]byte) (next updatedIndex, err error) {
	only := map[string]bool{}
	var owned []*Memory
	for i, c := range changes {
		for _, side := range [][]byte{c.Before, c.After} {
			records, err := r.parses.records(c.Path, side)
			if err != nil && side != nil {
				return next, err
			}
			for _, m := range records {
				only[m.ID] = true
			}
		}
		if contents[i] == nil {
			continue
		}
		if records, err := r.parses.records(c.Path, contents[i]); err == nil { // else memory check reports it; the entry goes until it is mended
			owned = append(owned, records...)
		}
	}
	next.Updated, err = index.Update(ownedBy(owned, r.lines.of), only, r.extra(), r.j.At)
	return next, err
}

// newIndex lists every memory that belongs to an index that isn't there yet.
func (r *run) newIndex(x *journal.Index) ([]byte, error) {
	index, err := indexfile.New(x.Path, r.j.At)
	if err != nil {
		return nil, err
	}
	below := newScanner(r.root, newRoom())
	var told sync.Map // of each record its line, while its bytes are at hand
	below.derive = func(_ []byte, m *Memory) []byte {
		told.Store(m.Ref.String(), lineOf(m))
		return nil
	}
	if err := below.read(func() { below.dir(path.Dir(x.Path), 0) }, r.parallel, nil); err != nil {
		return nil, err
	}
	below.order()
	if r.unread(below.problems) {
		return nil, fmt.Errorf("%w: see \"memory check\"", errReading)
	}
	here := &Index{File: x.Path}
	byDir := map[string]*Index{path.Dir(x.Path): here}
	for _, other := range below.indexes {
		if !other.Foreign {
			byDir[path.Dir(other.File)] = other
		}
	}
	leaving := map[string]bool{}
	for i := range r.j.Files {
		c := &r.j.Files[i]
		_, dead := r.dead[c.Group]
		leaving[c.Path] = !dead && c.Kind() == journal.Remove
	}
	var owned []*Memory
	for _, group := range [][]*Memory{below.ordered[0].all(), below.ordered[1].all()} {
		for _, m := range group {
			if !leaving[m.File] && nearest(byDir, m.File) == here {
				owned = append(owned, m)
			}
		}
	}
	if len(owned) == 0 {
		return nil, nil
	}
	now, err := index.Update(ownedBy(owned, func(m *Memory) (indexfile.Line, error) {
		if line, ok := told.Load(m.Ref.String()); ok {
			return line.(indexfile.Line), nil
		}
		return lineNow(m)
	}), nil, r.extra(), r.j.At)
	return now.Doc, err
}

// unread reports whether the disk failed to give a file. The first attempt stops
// there; recovery goes on, so that one such file doesn't block everything.
func (r *run) unread(problems []Problem) bool {
	return !r.again && slices.ContainsFunc(problems, func(p Problem) bool { return p.unread })
}

func (r *run) extra() map[string][]indexfile.Field {
	out := make(map[string][]indexfile.Field, len(r.j.Extra))
	for id, fields := range r.j.Extra {
		for _, f := range fields {
			out[id] = append(out[id], indexfile.Field{Key: f.Key, Raw: string(f.Raw)})
		}
	}
	return out
}
