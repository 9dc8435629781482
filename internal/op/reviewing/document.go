package reviewing

import (
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// NewReview describes groups of pairs that wait.
func NewReview(snap *memory.Snapshot, groups []Group) document.Review {
	doc := document.Review{Pairs: []document.Pair{}}
	for _, g := range groups {
		for _, p := range g.Pairs {
			doc.Pairs = append(doc.Pairs, NewPair(snap, g, p))
		}
	}
	doc.Total = len(doc.Pairs)
	return doc
}

// NewPair describes a pair of a group.
func NewPair(snap *memory.Snapshot, g Group, p review.Pair) document.Pair {
	doc := document.NewPair(snap, p)
	if doc.Group = g.ID; len(g.Pairs) > 1 {
		doc.Alike = len(g.Pairs)
	}
	return doc
}

// Document describes what was decided.
func (d *Decided) Document() document.Review {
	doc := document.Review{Decided: d.Pairs, Settled: d.Settled, RunIDs: d.RunIDs(), Page: document.Page{Total: d.Left}}
	for _, r := range d.Results {
		doc.Notes = append(doc.Notes, r.Warnings...)
	}
	return doc
}
