package app

import (
	"cmp"
	"strings"

	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
)

// GraphDocument is a graph as --json prints it: edges, and the memories at their ends.
type GraphDocument struct {
	Nodes []NodeDocument `json:"nodes"`
	Edges []EdgeDocument `json:"edges"`
}

// NodeDocument is a memory in a graph.
type NodeDocument struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Scope    string `json:"scope"`
	Summary  string `json:"summary"`
	Archived bool   `json:"archived,omitempty"`
}

// EdgeDocument is an edge.
type EdgeDocument struct {
	From       string  `json:"from"`
	Type       string  `json:"type"`
	To         string  `json:"to"`
	Origin     string  `json:"origin"`          // field, user, mention or model
	Place      string  `json:"place,omitempty"` // of a field: its name; of a mention: id, path or title
	By         string  `json:"by,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Quote      string  `json:"quote,omitempty"`
	Changed    bool    `json:"changed,omitempty"` // a text has changed since a person stated it
}

// NewGraphDocument describes the edges of a memory ("": of all) that have a type ("": any).
func NewGraphDocument(s *memory.Snapshot, id, kind string) *GraphDocument {
	g := graph.Of(s)
	edges := g.Edges
	if id != "" {
		edges = g.About(id)
	}
	doc := &GraphDocument{Nodes: []NodeDocument{}, Edges: []EdgeDocument{}}
	met := map[string]bool{}
	for _, e := range edges {
		if kind != "" && !strings.EqualFold(e.Type, kind) {
			continue
		}
		doc.Edges = append(doc.Edges, EdgeDocument{e.From, e.Type, e.To, e.Origin, e.Place, e.By, e.Confidence, e.Reason, e.Quote, e.Changed})
		for _, end := range []string{e.From, e.To} {
			if !met[end] {
				met[end] = true
				doc.Nodes = append(doc.Nodes, node(s, end))
			}
		}
	}
	return doc
}

func node(s *memory.Snapshot, id string) NodeDocument {
	m := s.Find(id)[0]
	line, _ := m.Summary()
	return NodeDocument{ID: id, Type: m.Type, Scope: m.Scope.String(), Summary: line, Archived: m.Archived}
}

// Why says where an edge comes from, in words.
func (e *EdgeDocument) Why() string {
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
func (d *GraphDocument) Dot() string {
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
