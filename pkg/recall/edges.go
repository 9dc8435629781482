package recall

import (
	"slices"
	"strings"
)

// edge says that a memory is replaced by another, as a document tells.
type edge struct {
	newer string // its id
	owner uint32 // the document that tells
}

// supersede notes that one memory replaces another, as a document tells.
func (ix *Index) supersede(older, newer string, owner uint32) {
	if older != newer {
		older = strings.Clone(older)
		ix.edges[older] = append(ix.edges[older], edge{strings.Clone(newer), owner})
	}
}

// linkEdges finds the documents that an edge starts at. Few are superseded, and it is asked
// of many.
func (ix *Index) linkEdges() {
	ix.superseded = make(set, len(ix.dead))
	for older := range ix.edges {
		if d := ix.find(older); d != none {
			ix.superseded.add(d)
		}
	}
}

// successors lists the documents that replace a document, sorted by id, each once.
func (ix *Index) successors(d uint32) (list []uint32) {
	if !ix.superseded.has(d) {
		return nil
	}
	for _, e := range ix.edges[ix.docs[d].id] {
		if newer := ix.find(e.newer); newer != none && !ix.dead.has(e.owner) {
			list = append(list, newer)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(ix.docs[a].id, ix.docs[b].id) })
	return slices.Compact(list)
}
