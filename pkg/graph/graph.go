package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Origins of edges, those that count more first.
const (
	Field   = "field"   // a field of a record states it
	Person  = "user"    // a person has stated it
	Mention = "mention" // a text names the other memory
	Judged  = "model"   // a model has stated it
)

// Edge is a link from one memory to another.
type Edge struct {
	edgefile.Name
	Origin     string
	Place      string // field: its name; mention: id, path or title
	By         string // judged ones: who
	Confidence float64
	Reason     string
	Quote      string // the sentence that shows it
	Changed    bool   // a person has stated it, and one of the two has changed since
}

// Graph is the edges between memories.
type Graph struct {
	Edges    []Edge          // sorted
	Rejected []edgefile.Edge // that nobody is to propose again
	Old      []edgefile.Edge // judged by a model of texts that have changed: they count for nothing

	byID map[string][]int
}

// Of reads the graph of a workspace: of its live memories, and of archived ones that fields name.
func Of(s *memory.Snapshot) *Graph {
	g := &Graph{byID: map[string][]int{}}
	found := map[edgefile.Name]Edge{}
	take := func(e Edge) {
		if e.From == e.To {
			return
		}
		if old, ok := found[e.Name]; !ok || rank(e) < rank(old) {
			found[e.Name] = e
		}
	}
	hidden := g.judgeAll(s, take)
	for _, m := range s.Memories() {
		fields(s, m, take)
	}
	for e := range mentions(s.Memories()) {
		if !hidden[e.Name] {
			take(e)
		}
	}
	return g.fill(found)
}

// Kept is the graph of what people and models have stated alone. It reads those memories only.
func Kept(s *memory.Snapshot) *Graph {
	g := &Graph{byID: map[string][]int{}}
	found := map[edgefile.Name]Edge{}
	g.judgeAll(s, func(e Edge) { found[e.Name] = e })
	return g.fill(found)
}

// judgeAll takes the judged edges that count, and lists what they hide.
func (g *Graph) judgeAll(s *memory.Snapshot, take func(Edge)) (hidden map[edgefile.Name]bool) {
	hidden = map[edgefile.Name]bool{}
	if s.Edges != nil {
		for _, e := range s.Edges() {
			g.judge(s, e, take, hidden)
		}
	}
	return hidden
}

// fill puts the edges into their order.
func (g *Graph) fill(found map[edgefile.Name]Edge) *Graph {
	for _, e := range found {
		g.Edges = append(g.Edges, e)
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int { return a.Compare(b.Name) })
	for i, e := range g.Edges {
		g.byID[e.From] = append(g.byID[e.From], i)
		g.byID[e.To] = append(g.byID[e.To], i)
	}
	return g
}

// rank orders edges of one name, those that count more first.
func rank(e Edge) int { return slices.Index([]string{Field, Person, Mention, Judged}, e.Origin) }

// judge takes a judged edge, if it counts.
func (g *Graph) judge(s *memory.Snapshot, e edgefile.Edge, take func(Edge), hidden map[edgefile.Name]bool) {
	from, to := s.Live(e.From), s.Live(e.To)
	fresh := from != nil && to != nil && Digests(from, to) == e.Digests
	switch {
	case e.Rejected:
		hidden[e.Name] = true
		g.Rejected = append(g.Rejected, e)
	case from == nil || to == nil: // nothing to link
	case e.By == edgefile.User:
		take(Edge{e.Name, Person, "", e.By, e.Confidence, e.Reason, e.Quote, !fresh})
	case fresh:
		take(Edge{e.Name, Judged, "", e.By, e.Confidence, e.Reason, e.Quote, false})
	default:
		g.Old = append(g.Old, e)
	}
}

// Digests are those of two memories, with which a judged edge is compared.
func Digests(from, to *memory.Memory) [2]string {
	return [2]string{from.ContentDigest(), to.ContentDigest()}
}

// About lists the edges from and to a memory.
func (g *Graph) About(id string) (edges []Edge) {
	for _, i := range g.byID[id] {
		edges = append(edges, g.Edges[i])
	}
	return edges
}

// Links lists the memories that a memory has edges to, sorted, without summaries and those that it stands for, and without edges that only
// a model states: these come from clusters, and don't make any.
func (g *Graph) Links(id string) (ids []string) {
	for _, e := range g.About(id) {
		if e.From == id && e.Type != edgefile.SummaryOf && e.Origin != Judged {
			ids = append(ids, e.To)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Find is the edge with a name, if there is one.
func (g *Graph) Find(n edgefile.Name) (Edge, bool) {
	i, ok := slices.BinarySearchFunc(g.Edges, n, func(e Edge, n edgefile.Name) int { return e.Compare(n) })
	if !ok {
		return Edge{}, false
	}
	return g.Edges[i], true
}

// Best lists at most n edges of a memory, the most telling first: typed ones before those that merely relate, what is stated before what a
// model says.
func (g *Graph) Best(id string, n int, may func(other string) bool) []Edge {
	edges := slices.DeleteFunc(g.About(id), func(e Edge) bool {
		other := e.From
		if other == id {
			other = e.To
		}
		return e.Type == edgefile.SummaryOf || e.Type == edgefile.PromotedTo || !may(other)
	})
	vague := func(e Edge) int {
		if e.Type == edgefile.RelatesTo {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(vague(a), vague(b)), cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Confidence, a.Confidence))
	})
	return edges[:min(len(edges), n)]
}

// fields gives the edges that the fields of a record state. Ids that nobody has are passed over: "memory check" reports them.
func fields(s *memory.Snapshot, m *memory.Memory, take func(Edge)) {
	add := func(from, kind, to, place string) {
		if len(s.Find(from)) > 0 && len(s.Find(to)) > 0 {
			take(Edge{Name: edgefile.Name{From: from, Type: kind, To: to}, Origin: Field, Place: place})
		}
	}
	stated := memory.Stated(m)
	for _, id := range stated.Supersedes {
		add(m.ID, edgefile.Supersedes, id, "supersedes")
	}
	for _, id := range stated.SupersededBy {
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
