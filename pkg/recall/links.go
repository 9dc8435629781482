package recall

import (
	"slices"
	"strings"
)

// supersede notes that one memory replaces another, as a document tells.
func (ix *Index) supersede(older, newer string, owner uint32) {
	if older == newer {
		return
	}
	from, to := ix.symbols.add("\x00"+older), ix.symbols.add("\x00"+newer)
	ix.edges[from] = append(ix.edges[from], edge{to, owner})
}

// superseded are the documents that some document may say to replace. Few are, and it is asked
// of many.
func (ix *Index) superseded() set {
	if known := ix.older.Load(); known != nil {
		return *known
	}
	all := make(set, (ix.size()+63)/64)
	ix.eachEdge(func(older uint32, _ edge) {
		if d := ix.linked(older); d != none {
			all.add(d)
		}
	})
	ix.older.Store(&all)
	return all
}

// linked is the document that the end of an edge names. Where bytes are damaged its symbol may be
// of anything.
func (ix *Index) linked(symbol uint32) uint32 {
	if id, ok := strings.CutPrefix(ix.symbols.at(symbol), "\x00"); ok {
		return ix.find(id)
	}
	return none
}

// successors lists the documents that replace a document, sorted by id, each once.
func (ix *Index) successors(d uint32) (list []uint32) {
	if !ix.superseded().has(d) {
		return nil
	}
	from, ok := ix.symbols.find("\x00" + ix.ids.at(d))
	if !ok {
		return nil
	}
	for _, e := range append(ix.base.edges(from), ix.edges[from]...) {
		if ix.isDead(e.owner) {
			continue
		}
		if newer := ix.linked(e.newer); newer != none {
			list = append(list, newer)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(ix.ids.at(a), ix.ids.at(b)) })
	return slices.Compact(list)
}

// eachEdge calls yield for the edges that living documents tell of.
func (ix *Index) eachEdge(yield func(older uint32, e edge)) {
	for b := ix.base.edge; len(b) > 0; b = b[edgeSize:] {
		if e := (edge{le.Uint32(b[4:]), le.Uint32(b[8:])}); !ix.isDead(e.owner) && e.owner < ix.size() {
			yield(le.Uint32(b), e)
		}
	}
	for older, list := range ix.edges {
		for _, e := range list {
			if !ix.isDead(e.owner) {
				yield(older, e)
			}
		}
	}
}
