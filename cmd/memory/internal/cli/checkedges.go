package cli

import (
	"fmt"
	"path"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// fixEdges takes over the edges of copies of _edges.json that the file lacks. Of two with one name the file's stays.
func (c *call) fixEdges() (fixed []workspace.Fixed, err error) {
	store, snap, err := c.load()
	if err != nil {
		return nil, err
	}
	var actions []memory.Action
	for _, name := range snap.Files {
		file := path.Join(path.Dir(name), memory.EdgesFile)
		if !memory.IsCopyName(name, file) {
			continue
		}
		doc, err := store.Read(name)
		if err != nil {
			return nil, fmt.Errorf("fix: %w", err)
		}
		theirs, err := edgefile.Parse(doc)
		if err != nil {
			continue // "memory check" says what it is
		}
		met := map[edgefile.Name]bool{}
		for _, e := range snap.Edges() {
			met[e.Name] = met[e.Name] || e.File == file
		}
		n := len(actions)
		for _, e := range theirs {
			if !met[e.Name] {
				actions = append(actions, graph.Adopt(e, file))
			}
		}
		if n = len(actions) - n; n > 0 {
			fixed = append(fixed, workspace.Fixed{File: file, What: fmt.Sprintf("took %s over from %s", quantity(n, "edge"), path.Base(name))})
		}
	}
	return fixed, c.commitFix(snap, actions)
}
