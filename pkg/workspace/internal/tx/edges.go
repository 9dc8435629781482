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

// edgePatches are the patches of the files of edges.
func edgePatches(r *run) (all []*patch) {
	changes := map[string][]edgefile.Change{}
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; dead {
			continue
		}
		byFile(changes, a.Edges)
	}
	for k, f := range r.j.EdgeFiles {
		if len(changes[f.Path]) == 0 {
			continue
		}
		r.changed = append(r.changed, f.Path)
		all = append(all, &patch{label: journal.EdgesLabel(k), name: f.Path, of: func(doc []byte) ([]byte, error) {
			return orAnew(r, f.Path, doc, func(doc []byte) ([]byte, error) { return edgefile.Patch(doc, changes[f.Path]) })
		}})
	}
	return all
}

// byFile puts changes of edges together by the files that they change.
func byFile(changes map[string][]edgefile.Change, more []edgefile.Change) {
	for _, e := range more {
		changes[e.File] = append(changes[e.File], e)
	}
}

// edgesTake makes sure that the files of edges can take the changes.
func (c *commit) edgesTake() error {
	changes := map[string][]edgefile.Change{}
	for i := range c.tx.Plan.Actions {
		if c.done[i] {
			byFile(changes, c.tx.Plan.Actions[i].Edges)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		doc, _, err := c.root.Read(name, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := edgefile.Patch(doc, changes[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// unlike names the edge of an action that is not as the plan saw it; "" where there is none.
func (c *commit) unlike(a *memory.Action) (string, error) {
	all := map[string][]edgefile.Change{}
	byFile(all, a.Edges)
	for name, changes := range all {
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
