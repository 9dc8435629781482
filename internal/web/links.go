package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// linksBody is what the template of the links is given.
type linksBody struct {
	*document.Graph
	Focus  string
	Depth  int
	Known  bool // whether there is a memory of that id
	Recent []row
}

// A pair that waits for a decision is an edge too, of a type and an origin of its own.
const (
	toReview     = "TO_REVIEW"
	originReview = "review"
)

// how says in words how two memories are linked, such as "depends on".
func how(kind string) string { return strings.ToLower(strings.ReplaceAll(kind, "_", " ")) }

// Limits of the graph.
const (
	maxDepth = 3
	maxNodes = 300
)

// linked are the edges of a workspace by the memories at their ends.
type linked map[string][]document.Edge

func (l linked) add(e document.Edge) {
	l[e.From] = append(l[e.From], e)
	if e.To != e.From {
		l[e.To] = append(l[e.To], e)
	}
}

// edgesOf collects all edges: what fields of live and archived records state, what texts name, what people and models have judged, and pairs
// that wait. An edge that both of its records state is one.
func edgesOf(snap *memory.Snapshot) linked {
	all, met := linked{}, map[edgefile.Name]bool{}
	take := func(e graph.Edge) {
		if met[e.Name] || e.From == e.To {
			return
		}
		met[e.Name] = true
		all.add(document.NewEdge(e))
	}
	for _, e := range graph.Of(snap).Edges {
		take(e)
	}
	for _, m := range snap.Archived() {
		for _, e := range graph.Stated(snap, m) {
			take(e)
		}
	}
	for _, p := range snap.Open() {
		all.add(document.Edge{From: p.A, To: p.B, Type: toReview, Origin: originReview, Why: app.Reason(p.Reason)})
	}
	return all
}

// graphs keeps the edges of the last snapshot: they cost a reading of all texts.
type graphs struct {
	mu    sync.Mutex
	of    signs
	pairs []review.Pair
	edges linked
}

func (g *graphs) get(snap *memory.Snapshot, judged string) linked {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := signs{snap.Memories(), snap.Archived(), map[string]string{"edges": judged}}
	samePairs := func(a, b review.Pair) bool { return a.ID() == b.ID() }
	if g.edges == nil || g.of.files["edges"] != judged || len(g.of.differing(now)) > 0 || !slices.EqualFunc(g.pairs, snap.Open(), samePairs) {
		g.of, g.pairs, g.edges = now, snap.Open(), edgesOf(snap)
	}
	return g.edges
}

// judgedSign tells one state of the judged edges from another.
func judgedSign(snap *memory.Snapshot) string {
	if snap.Edges == nil {
		return ""
	}
	var b strings.Builder
	for _, e := range snap.Edges() {
		b.WriteString(e.JSON())
	}
	return b.String()
}

// around collects what is linked to a memory within so many steps, the nearest first.
func around(snap *memory.Snapshot, edges linked, id string, depth int) *document.Graph {
	out, distance := &document.Graph{Nodes: []document.Node{}, Edges: []document.Edge{}}, map[string]int{id: 0}
	queue := []string{id}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		out.Nodes = append(out.Nodes, newNode(snap, at, distance[at], edges[at]))
		if distance[at] == depth {
			continue
		}
		for _, e := range edges[at] {
			other := otherEnd(&e, at)
			if _, ok := distance[other]; ok {
				continue
			}
			if len(distance) == maxNodes {
				out.More = true
				continue
			}
			distance[other] = distance[at] + 1
			queue = append(queue, other)
		}
	}
	for _, n := range out.Nodes {
		for _, e := range edges[n.ID] {
			if _, there := distance[otherEnd(&e, n.ID)]; there && e.From == n.ID {
				out.Edges = append(out.Edges, e)
			}
		}
	}
	out.Total = len(out.Edges)
	return out
}

func otherEnd(e *document.Edge, end string) string {
	if e.From == end {
		return e.To
	}
	return e.From
}

func newNode(snap *memory.Snapshot, id string, distance int, edges []document.Edge) document.Node {
	n := document.Node{ID: id, Distance: distance}
	if found := snap.Find(id); len(found) > 0 {
		m := found[0]
		n.Summary, n.Type, n.Scope, n.Archived, n.Sums = summaryOf(m), m.Type, m.Scope.String(), m.Archived, memory.IsClusterSummary(m)
	}
	for _, e := range edges {
		if e.To == id && e.Type == edgefile.SummaryOf {
			n.Cluster = e.From
		}
	}
	return n
}

func neighbourhoodOf(s *Server, r *http.Request) (*memory.Snapshot, *linksBody, error) {
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, nil, err
	}
	body := &linksBody{Focus: r.FormValue("id"), Depth: 1}
	if text := r.FormValue("depth"); text != "" {
		if body.Depth, err = strconv.Atoi(text); err != nil || body.Depth < 1 || body.Depth > maxDepth {
			return nil, nil, badRequest("depth: write 1 to %d", maxDepth)
		}
	}
	if body.Known = len(snap.Find(body.Focus)) > 0; !body.Known && body.Focus != "" {
		return nil, nil, notFound("no memory has the id %s", shown(body.Focus))
	}
	edges := s.graphs.get(snap, judgedSign(snap))
	if body.Known {
		body.Graph = around(snap, edges, body.Focus, body.Depth)
		return snap, body, nil
	}
	body.Graph = &document.Graph{Nodes: []document.Node{}, Edges: []document.Edge{}}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} { // offer those that have links
		for _, m := range ms {
			if len(body.Recent) < 30 && len(edges[m.ID]) > 0 {
				body.Recent = append(body.Recent, row{Memory: m, Line: summaryOf(m)})
			}
		}
	}
	slices.SortStableFunc(body.Recent, func(a, b row) int { return len(edges[b.ID]) - len(edges[a.ID]) })
	return snap, body, nil
}

func linksPage(s *Server, r *http.Request) (*reply, error) {
	snap, body, err := neighbourhoodOf(s, r)
	if err != nil {
		return nil, err
	}
	return &reply{page: &page{Template: "links", Title: "Links", At: snap.At, Body: body}}, nil
}
