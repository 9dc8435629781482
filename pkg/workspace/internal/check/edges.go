package check

import (
	"fmt"
	"path"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// edges looks through the files of judged edges: whether they can be read, and whether both ends of each edge exist. What is no JSON the
// snapshot tells.
func (c *checker) edges() {
	for _, name := range c.snap.Files {
		if path.Base(name) != memory.EdgesFile {
			continue
		}
		doc, _, err := c.root.Read(name, durable.MaxSize)
		if err != nil {
			continue // the snapshot says so
		}
		edges, err := edgefile.Parse(doc)
		if err != nil {
			c.add(memory.Error, name, "", "", "holds no edges: "+err.Error(), "mend it, or move it away: its edges count for nothing until then")
		}
		for _, e := range edges {
			for _, id := range []string{e.From, e.To} {
				if c.first(id) == nil {
					c.add(memory.Warning, name, "", id, fmt.Sprintf("the edge %s names %s, which doesn't exist", e.Name, id), fmt.Sprintf("remove it with \"memory unlink %s %s %s\"", e.From, e.Type, e.To))
				}
			}
		}
	}
}
