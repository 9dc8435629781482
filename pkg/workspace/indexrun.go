package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// indexes updates the indexes whose turn it is; with adding, by what was created alone.
func (r *run) indexes(adding bool) error {
	for _, k := range r.turns.order {
		x := &r.j.Indexes[k]
		if !slices.Contains(r.turns.of[k], adding) && (adding || r.listed[x.Path] == len(r.dead)+1) {
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
			if err != nil && !errors.Is(err, errReading) {
				return nil, fmt.Errorf("%w: %w", errLeave, err)
			}
			return next, err
		}})
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

// updatedIndex computes the index numbered k from the files as they are now. What is about
// to be deleted counts as gone already.
func (r *run) updatedIndex(k int, doc []byte, adding bool) ([]byte, error) {
	x := &r.j.Indexes[k]
	want := indexfile.Want{Extra: r.extra()}
	var err error
	if doc == nil {
		want.Lines, err = r.linesBelow(path.Dir(x.Path))
	} else {
		want.Lines, want.Only, err = r.changedLines(r.concerning(k, adding))
	}
	if err != nil {
		return nil, err
	}
	next, err := indexfile.Update(x.Path, doc, want, r.j.At)
	return next.Doc, err
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

// changedLines gives the lines of the memories in changed files as they are now, and the ids
// of those that were in them before and will be afterwards. A file that somebody has just
// broken has no memories: memory check reports it.
func (r *run) changedLines(changes []*journal.Change) (lines []indexfile.Line, ids map[string]bool, err error) {
	ids = map[string]bool{}
	for _, c := range changes {
		for _, side := range [][]byte{c.Before, c.After} {
			records, err := readRecords(c.Path, side)
			if err != nil && side != nil {
				return nil, nil, err
			}
			for _, m := range records {
				ids[m.ID] = true
			}
		}
		content, err := r.contentNow(c)
		if err != nil {
			return nil, nil, err
		}
		if records, err := readRecords(c.Path, content); content != nil && err == nil {
			for _, m := range records {
				lines = append(lines, lineOf(m))
			}
		}
	}
	return lines, ids, nil
}

// linesBelow gives the lines of every memory that belongs to the index of a directory that has
// none yet.
func (r *run) linesBelow(dir string) ([]indexfile.Line, error) {
	var told sync.Map // of each record its line, while its bytes are at hand
	disk := catalog.Disk{Root: r.root, Readers: r.parallel, Each: func(m *Memory) { told.Store(m.Ref.String(), lineOf(m)) }}
	below, err := disk.ScanDir(dir)
	if err != nil {
		return nil, err
	}
	if r.unread(below.Problems()) {
		return nil, fmt.Errorf("%w: see \"memory check\"", errReading)
	}
	here := &Index{}
	byDir := map[string]*Index{dir: here}
	for _, f := range below.Files {
		if f.Kind == catalog.Index {
			byDir[path.Dir(f.Name)] = &Index{File: f.Name}
		}
	}
	leaving := map[string]bool{}
	for i := range r.j.Files {
		c := &r.j.Files[i]
		_, dead := r.dead[c.Group]
		leaving[c.Path] = !dead && c.Kind() == journal.Remove
	}
	live, archived := below.Memories()
	var lines []indexfile.Line
	for _, group := range [][]*Memory{live, archived} {
		for _, m := range group {
			if leaving[m.File] || nearest(byDir, m.File) != here {
				continue
			}
			line, ok := told.Load(m.Ref.String())
			if !ok {
				now, err := lineNow(m)
				if err != nil {
					return nil, err
				}
				line = now
			}
			lines = append(lines, line.(indexfile.Line))
		}
	}
	return lines, nil
}

// unread reports whether the disk failed to give a file. The first attempt stops
// there; recovery goes on, so that one such file doesn't block everything.
func (r *run) unread(problems []Problem) bool {
	return !r.again && slices.ContainsFunc(problems, func(p Problem) bool { return p.Unread })
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
