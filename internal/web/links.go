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
	*neighbourhood
	Focus  string
	Depth  int
	Known  bool // whether there is a memory of that id
	Recent []row
}

// neighbourhood is what is linked around one memory.
type neighbourhood struct {
	Nodes []node `json:"nodes"`
	Edges []edge `json:"edges"`
	More  bool   `json:"more"` // nodes were left out
}

type node struct {
	ID       string `json:"id"`
	Line     string `json:"line"`
	Type     string `json:"type"`
	Distance int    `json:"distance"`
	Archived bool   `json:"archived"`
	Summary  bool   `json:"summary"` // of a cluster
	Cluster  string `json:"cluster"` // id of the summary that it is a member of; "" for none
}

// edge is a link as it is drawn. What origins there are, package graph says; a pair that waits for a decision has the origin "review".
type edge struct {
	From   string `json:"from"`
	To     string `json:"to"`
	How    string `json:"how"` // in words, such as "depends on"
	Origin string `json:"origin"`
	Why    string `json:"why"`
}

// toReview is how two memories are linked of which a person is asked, and the origin of that.
const (
	toReview     = "to review"
	originReview = "review"
)

// Limits of the graph.
const (
	maxDepth = 3
	maxNodes = 300
)

// linked are the edges of a workspace by the memories at their ends.
type linked map[string][]edge

func (l linked) add(e edge) {
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
		doc := document.Edge{Origin: e.Origin, Place: e.Place, By: e.By, Confidence: e.Confidence, Reason: e.Reason, Quote: e.Quote, Changed: e.Changed}
		all.add(edge{e.From, e.To, strings.ToLower(strings.ReplaceAll(e.Type, "_", " ")), e.Origin, doc.Why()})
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
		all.add(edge{p.A, p.B, toReview, originReview, app.Reason(p.Reason)})
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
func around(snap *memory.Snapshot, edges linked, id string, depth int) *neighbourhood {
	out, distance := &neighbourhood{Nodes: []node{}, Edges: []edge{}}, map[string]int{id: 0}
	queue := []string{id}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		out.Nodes = append(out.Nodes, newNode(snap, at, distance[at], edges[at]))
		if distance[at] == depth {
			continue
		}
		for _, e := range edges[at] {
			other := e.other(at)
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
			if _, there := distance[e.other(n.ID)]; there && e.From == n.ID {
				out.Edges = append(out.Edges, e)
			}
		}
	}
	return out
}

func (e edge) other(end string) string {
	if e.From == end {
		return e.To
	}
	return e.From
}

func newNode(snap *memory.Snapshot, id string, distance int, edges []edge) node {
	n := node{ID: id, Distance: distance}
	if found := snap.Find(id); len(found) > 0 {
		m := found[0]
		n.Line, n.Type, n.Archived, n.Summary = summaryOf(m), m.Type, m.Archived, memory.IsClusterSummary(m)
	}
	for _, e := range edges {
		if e.To == id && e.How == strings.ToLower(edgefile.SummaryOf) {
			n.Cluster = e.From
		}
	}
	return n
}

func (s *Server) neighbourhoodOf(r *http.Request) (*memory.Snapshot, *linksBody, error) {
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
		body.neighbourhood = around(snap, edges, body.Focus, body.Depth)
		return snap, body, nil
	}
	body.neighbourhood = &neighbourhood{Nodes: []node{}, Edges: []edge{}}
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

func (s *Server) linksPage(r *http.Request) (*reply, error) {
	snap, body, err := s.neighbourhoodOf(r)
	if err != nil {
		return nil, err
	}
	return &reply{page: &page{Template: "links", Title: "Links", At: snap.At, Body: body}}, nil
}
