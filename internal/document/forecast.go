package document

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Forecast is a forecast as --json prints it.
type Forecast struct {
	At       string         `json:"at"`
	Memories []Forecasted   `json:"memories"`
	Totals   map[string]int `json:"totals" jsonschema:"by action, over all memories in question"`
	Page
	Listed []forecast.Forecast `json:"-" jsonschema:"what Memories describes"`
}

// Forecasted is what will become of a memory.
type Forecasted struct {
	ID       string `json:"id"`
	File     string `json:"file"`
	JSONPath string `json:"json_path,omitempty"`
	Action   string `json:"action" jsonschema:"merge, promote, summarize, archive; never"`
	At       string `json:"at,omitempty" jsonschema:"absent for never"`
	Rule     string `json:"rule,omitempty"`
	ResultID string `json:"result_id,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Detail   string `json:"detail,omitempty"`

	LastAccessed string `json:"last_accessed,omitempty"`
	LastGiven    string `json:"last_given,omitempty"`
}

// NewForecast describes forecasts, which it sorts. It counts all, and lists
// those until a time, if that is not zero, and at most limit of them, if that is not 0.
func NewForecast(snap *memory.Snapshot, all []forecast.Forecast, at, until time.Time, limit int) Forecast {
	forecast.Sort(all)
	doc := Forecast{At: timestamp.Format(at), Memories: []Forecasted{}, Totals: map[string]int{}}
	for _, f := range all {
		if doc.Totals[cmp.Or(f.Action, "never")]++; until.IsZero() || f.Action != "" && !f.At.After(until) {
			doc.Listed = append(doc.Listed, f)
		}
	}
	if limit > 0 {
		doc.Listed = doc.Listed[:min(limit, len(doc.Listed))]
	}
	doc.Total = len(all)
	for _, f := range doc.Listed {
		doc.Memories = append(doc.Memories, forecastedMemory(snap, f))
	}
	return doc
}

func forecastedMemory(snap *memory.Snapshot, f forecast.Forecast) Forecasted {
	out := Forecasted{ID: f.Memory.ID, File: f.Memory.File, JSONPath: f.Memory.Pointer(), Action: f.Action, Rule: f.Rule, ResultID: f.Result, Detail: f.Detail,
		LastAccessed: stamp(f.Memory.LastAccessed), LastGiven: stamp(snap.LastGiven(f.Memory).At)}
	if f.Action == "" {
		out.Action, out.Reason, out.Detail = "never", f.Never.Reason, f.Never.Detail
		return out
	}
	out.At = timestamp.Format(f.At)
	return out
}

// Receipt is a receipt and what became of it.
type Receipt struct {
	briefing.Receipt
	As   string   `json:"counts_as" jsonschema:"read, given"`
	Read []string `json:"read_since"`
	Gone []string `json:"archived_since"`
}

// Receipts is a list of receipts.
type Receipts struct {
	Receipts []Receipt `json:"receipts" jsonschema:"the oldest first"`
	Page
}

// NewReceipts describes the receipts of a session, or with "" of all, the oldest first.
func NewReceipts(kept []briefing.Receipt, snap *memory.Snapshot, session string) Receipts {
	all := []Receipt{}
	for _, r := range kept {
		if session != "" && r.Session != session {
			continue
		}
		told := Receipt{Receipt: r, As: "given", Read: []string{}, Gone: []string{}}
		if r.CountsAsRead() {
			told.As = "read"
		}
		for _, id := range r.Given {
			found := snap.Find(id)
			if slices.ContainsFunc(found, func(m *memory.Memory) bool { return m.LastAccessed.After(r.At) }) {
				told.Read = append(told.Read, id)
			}
			if !slices.ContainsFunc(found, func(m *memory.Memory) bool { return !m.Archived }) {
				told.Gone = append(told.Gone, id)
			}
		}
		all = append(all, told)
	}
	slices.SortStableFunc(all, func(a, b Receipt) int { return a.At.Compare(b.At) })
	return Receipts{Receipts: all, Page: Page{Total: len(all)}}
}

// Graph is a graph as --json prints it: edges, and the memories at their ends.
type Graph struct {
	Nodes []Node `json:"nodes,omitzero"`
	Edges []Edge `json:"edges"`
	More  bool   `json:"more,omitempty" jsonschema:"nodes were left out"`
	Page         // of its edges
}

// Node is a memory in a graph.
type Node struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Scope    string `json:"scope"`
	Summary  string `json:"summary"`
	Archived bool   `json:"archived,omitempty"`
	Distance int    `json:"distance,omitempty" jsonschema:"edges between it and the memory in question"`
	Cluster  string `json:"cluster,omitempty" jsonschema:"id of the summary that it is a member of"`
	Sums     bool   `json:"sums,omitempty" jsonschema:"it is the summary of a cluster"`
}

// Edge is an edge.
type Edge struct {
	From       string  `json:"from"`
	Type       string  `json:"type"`
	To         string  `json:"to"`
	Origin     string  `json:"origin" jsonschema:"field, user, mention or model"`
	Place      string  `json:"place,omitempty" jsonschema:"of a field: its name; of a mention: id, path or title"`
	By         string  `json:"by,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Quote      string  `json:"quote,omitempty"`
	Changed    bool    `json:"changed,omitempty" jsonschema:"a text has changed since a person stated it"`
	Why        string  `json:"why,omitempty" jsonschema:"where it comes from, in words"`
	About      string  `json:"about,omitempty" jsonschema:"what the memory at the far end says, in one line, where one memory is in question"`
}

// NewGraph describes the edges of a memory ("": of all) that have a type ("": any).
func NewGraph(s *memory.Snapshot, id, kind string) *Graph {
	g := graph.Of(s)
	edges := g.Edges
	if id != "" {
		edges = g.About(id)
	}
	doc := &Graph{Nodes: []Node{}, Edges: []Edge{}}
	met := map[string]bool{}
	for _, e := range edges {
		if kind != "" && !strings.EqualFold(e.Type, kind) {
			continue
		}
		doc.Edges = append(doc.Edges, NewEdge(e))
		for _, end := range []string{e.From, e.To} {
			if !met[end] {
				met[end] = true
				doc.Nodes = append(doc.Nodes, node(s, end))
			}
		}
	}
	doc.Total = len(doc.Edges)
	return doc
}

func node(s *memory.Snapshot, id string) Node {
	m := s.Find(id)[0]
	line, _ := m.Summary()
	return Node{ID: id, Type: m.Type, Scope: m.Scope.String(), Summary: line, Archived: m.Archived}
}

// NewEdge describes an edge.
func NewEdge(e graph.Edge) Edge {
	doc := Edge{From: e.From, Type: e.Type, To: e.To, Origin: e.Origin, Place: e.Place, By: e.By, Confidence: e.Confidence, Reason: e.Reason, Quote: e.Quote, Changed: e.Changed}
	doc.Why = doc.why()
	return doc
}

// why says where an edge comes from, in words.
func (e *Edge) why() string {
	switch e.Origin {
	case graph.Field:
		return "field " + e.Place
	case graph.Mention:
		return "names its " + e.Place + ": " + e.Quote
	case graph.Person:
		why := cmp.Or(e.Reason, "stated by "+e.By)
		if e.Changed {
			why += " (a text has changed since)"
		}
		return why
	}
	return e.By + ": " + cmp.Or(e.Reason, e.Quote)
}

// Dot writes the graph in the language of Graphviz.
func (d *Graph) Dot() string {
	var b strings.Builder
	b.WriteString("digraph memories {\n  node [shape=box];\n")
	for _, n := range d.Nodes {
		label := n.ID
		if n.Summary != "" {
			label += "\n" + n.Summary
		}
		b.WriteString("  " + dotQuote(n.ID) + " [label=" + dotQuote(label) + "];\n")
	}
	for _, e := range d.Edges {
		b.WriteString("  " + dotQuote(e.From) + " -> " + dotQuote(e.To) + " [label=" + dotQuote(e.Type) + "];\n")
	}
	b.WriteString("}\n")
	return b.String()
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")

func dotQuote(s string) string { return `"` + dotEscape.Replace(s) + `"` }
