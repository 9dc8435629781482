package graph

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
)

// fields gives the edges that the fields of a record state. Ids that nobody has are passed over: a check tells of them.
func fields(s *memory.Snapshot, m *memory.Memory, take func(Edge)) {
	add := func(from, kind, to, place string) {
		if len(s.Find(from)) > 0 && len(s.Find(to)) > 0 {
			take(Edge{Name: edgefile.Name{From: from, Type: kind, To: to}, Origin: Field, Place: place})
		}
	}
	for _, id := range m.Supersedes {
		add(m.ID, edgefile.Supersedes, id, "supersedes")
	}
	for _, id := range m.SupersededBy {
		add(id, edgefile.Supersedes, m.ID, "superseded_by")
	}
	for _, id := range m.PromotedTo {
		add(m.ID, edgefile.PromotedTo, id, "promoted_to")
	}
	for _, id := range m.PromotedFrom {
		add(id, edgefile.PromotedTo, m.ID, "promoted_from")
	}
	root := gjson.ParseBytes(m.Raw())
	root.Get("references").ForEach(func(_, v gjson.Result) bool {
		if v.IsObject() {
			add(m.ID, Relation(v.Get("relationship").String()), v.Get("id").String(), "references")
		} else {
			add(m.ID, edgefile.RelatesTo, v.String(), "references")
		}
		return true
	})
	if memory.IsClusterSummary(m) {
		for _, member := range memory.ClusterOf(m).Members {
			add(m.ID, edgefile.SummaryOf, member.ID, "cluster")
		}
	}
}

// Stated lists the edges that the fields of one record state, of an archived memory too, to and from memories that there are.
func Stated(s *memory.Snapshot, m *memory.Memory) (edges []Edge) {
	fields(s, m, func(e Edge) { edges = append(edges, e) })
	return edges
}

// Relation is the type of an edge for what somebody calls a relationship: "depends on", "DEPENDS_ON" and "depends-on" are one. What is none of
// [edgefile.Types] is RELATES_TO.
func Relation(words string) string {
	name := strings.ToUpper(strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "_"))
	for _, kind := range edgefile.Types() {
		if name == kind {
			return kind
		}
	}
	return edgefile.RelatesTo
}
