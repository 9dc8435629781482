package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// edgeFiles are the files in which actions change edges, by name.
func edgeFiles(actions []journal.Action) []string {
	names := map[string]bool{}
	for i := range actions {
		for _, e := range actions[i].Edges {
			names[e.File] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// edges are the patches of the files of edges.
func (r *run) edges() (all []*patch) {
	changes := map[string][]edgefile.Change{}
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; dead {
			continue
		}
		for _, e := range a.Edges {
			changes[e.File] = append(changes[e.File], e)
		}
	}
	for k, f := range r.j.EdgeFiles {
		if len(changes[f.Path]) == 0 {
			continue
		}
		r.changed = append(r.changed, f.Path)
		all = append(all, &patch{label: journal.EdgesLabel(k), name: f.Path, of: func(doc []byte) ([]byte, error) {
			if exact, ok := r.exact(f.Path, doc); ok {
				return exact, nil
			}
			next, err := edgefile.Patch(doc, changes[f.Path])
			if err != nil && doc != nil { // broken by hand a moment ago: begun anew
				if err := r.keepBroken(f.Path, doc); err != nil {
					return nil, err
				}
				return edgefile.Patch(nil, changes[f.Path])
			}
			return next, err
		}})
	}
	return all
}

// edgesTake makes sure that the files of edges can take the changes.
func (c *commit) edgesTake() error {
	byFile := map[string][]edgefile.Change{}
	for i := range c.tx.Plan.Actions {
		for _, e := range c.tx.Plan.Actions[i].Edges {
			if c.done[i] {
				byFile[e.File] = append(byFile[e.File], e)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		doc, _, err := c.root.Read(name, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := edgefile.Patch(doc, byFile[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// unlike names the edge of an action that is not as the plan saw it; "" where there is none.
func (c *commit) unlike(a *memory.Action) (string, error) {
	byFile := map[string][]edgefile.Change{}
	for _, e := range a.Edges {
		byFile[e.File] = append(byFile[e.File], e)
	}
	for name, changes := range byFile {
		doc, _, err := c.root.Read(name, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if edge, ok := edgefile.Unlike(doc, changes); ok {
			return edge.String(), nil
		}
	}
	return "", nil
}
