package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
)

type graphArgs struct {
	ID     string `json:"id,omitempty" jsonschema:"only edges of this memory"`
	Kind   string `json:"kind,omitempty" jsonschema:"only edges of this kind"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type graphResult struct {
	Edges      []edge `json:"edges"`
	Total      int    `json:"total_edges"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// edge is a link between two memories.
type edge struct {
	From   string `json:"from"`
	Type   string `json:"type"`
	To     string `json:"to"`
	Origin string `json:"origin" jsonschema:"who states it: field of a record, mention in a text, user or model"`
	Why    string `json:"why,omitempty"`
	About  string `json:"about,omitempty" jsonschema:"what the memory at the far end says, in one line; with id"`
}

type clustersArgs struct {
	ID     string `json:"id,omitempty" jsonschema:"the cluster with this id, or with this memory in it"`
	Scope  string `json:"scope,omitempty" jsonschema:"only clusters of this scope, such as project:shop"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

type clustersResult struct {
	Clusters   []group `json:"clusters"`
	Total      int     `json:"total_clusters"`
	Hint       string  `json:"hint,omitempty" jsonschema:"what was asked for and no memory has, and what may be meant"`
	NextCursor string  `json:"next_cursor,omitempty"`
}

// group is a cluster.
type group struct {
	ID        string   `json:"id" jsonschema:"of its summary: get reads it, unless the state is new"`
	Title     string   `json:"title"`
	Scope     string   `json:"scope"`
	State     string   `json:"state" jsonschema:"new: it has no summary yet"`
	Members   []string `json:"memory_ids" jsonschema:"the oldest first"`
	Coherence float64  `json:"coherence"`
}

func addGraph(s *sdk.Server, r *room) {
	add(s, tool{
		name: "graph", title: "How memories are linked", reads: true,
		purpose: "List the edges between memories, of all or of one: what supersedes, depends on, implements, fixes, contradicts or names another one, and who states so.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["id"], 0, 300)
			oneOf(a["kind"], edgefile.Types()...)
		},
	}, r.graph)
	add(s, tool{
		name: "clusters", title: "Memories about one subject", reads: true,
		purpose: "List the groups of memories that are about one subject, or the group of one memory. enrich keeps a summary of each, which get reads by the id of the group.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["id"], 0, 300)
			chars(a["scope"], 0, 300)
		},
	}, r.clusters)
}

func (r *room) graph(ctx context.Context, args graphArgs) (graphResult, string, error) {
	result := graphResult{Edges: []edge{}}
	snap, err := r.loaded(ctx)
	if err != nil {
		return result, "", err
	}
	if args.ID != "" && len(snap.Find(args.ID)) == 0 {
		return result, "", find.Missing(snap, args.ID)
	}
	doc := document.NewGraph(snap, args.ID, args.Kind)
	says := map[string]string{}
	for _, n := range doc.Nodes {
		says[n.ID] = n.Summary
	}
	all := make([]edge, len(doc.Edges))
	for i := range doc.Edges {
		e := &doc.Edges[i]
		all[i] = edge{From: e.From, Type: e.Type, To: e.To, Origin: e.Origin, Why: short(e.Why(), 300)}
		switch args.ID {
		case e.From:
			all[i].About = short(says[e.To], 200)
		case e.To:
			all[i].About = short(says[e.From], 200)
		}
	}
	p, err := paged(all, hash(graphArgs{ID: args.ID, Kind: args.Kind}), args.Cursor, 100, func(e edge) int { return len(e.Why) + len(e.About) + 120 })
	if err != nil {
		return result, "", err
	}
	result.Edges, result.Total, result.NextCursor = p.items, p.total, p.next
	if p.total == 0 {
		return result, "No edges.\n", nil
	}
	var text strings.Builder
	for _, e := range p.items {
		text.WriteString(oneLine("- %s %s %s (%s)", e.From, e.Type, e.To, e.Why))
		if e.About != "" {
			fmt.Fprintf(&text, "%s\n", quoted(e.About))
		}
	}
	return result, text.String() + p.more("edges"), nil
}

func (r *room) clusters(ctx context.Context, args clustersArgs) (clustersResult, string, error) {
	result := clustersResult{Clusters: []group{}}
	request, err := r.request(args.Scope)
	if err != nil {
		return result, "", err
	}
	snap, err := r.loaded(ctx)
	if err != nil {
		return result, "", err
	}
	if args.ID != "" && len(snap.Find(args.ID)) == 0 {
		return result, "", find.Missing(snap, args.ID)
	}
	docs := document.NewClusters(enrich.Clusters(snap, request.Settings, request.Scope))
	if args.ID != "" {
		docs = slices.DeleteFunc(docs, func(d document.Cluster) bool { return d.ID != args.ID && !slices.Contains(d.Members, args.ID) })
	}
	all := make([]group, len(docs))
	for i, d := range docs {
		all[i] = group{d.ID, short(d.Title, 200), d.Scope, string(d.State), d.Members, d.Coherence}
	}
	p, err := paged(all, hash(clustersArgs{ID: args.ID, Scope: args.Scope}), args.Cursor, 50, func(g group) int { return len(g.Title) + 100 + 20*len(g.Members) })
	if err != nil {
		return result, "", err
	}
	result.Clusters, result.Total, result.NextCursor = p.items, p.total, p.next
	if p.total == 0 {
		result.Hint = unknown(snap, app.AskedScope("scope", args.Scope))
		return result, "No clusters: no group of memories is about one subject.\n" + hinted(result.Hint), nil
	}
	var text strings.Builder
	for _, g := range p.items {
		text.WriteString(oneLine("- %s (%s, %s, %s): %s", g.ID, app.Quantity(len(g.Members), "memory"), g.Scope, g.State, g.Title))
		fmt.Fprintf(&text, "  %s\n", app.First(g.Members, 20))
	}
	return result, text.String() + p.more("clusters"), nil
}

func addEnrich(s *sdk.Server, r *room) {
	add(s, tool{
		name: "enrich", title: "Summarise related memories", again: true,
		purpose:   "Plan summaries of groups of memories that are about one subject, and questions about what is out of date. Without apply nothing is written. Show the person the plan; if they agree, call it again with apply set to its plan_id. By rules, without a language model; no other memory is changed.",
		arguments: scopeOnly,
	}, r.enrich)
}

func (r *room) enrich(ctx context.Context, args consolidateArgs) (consolidateResult, string, error) {
	asked, err := r.request(args.Scope)
	if err != nil {
		return consolidateResult{Actions: []action{}}, "", err
	}
	request := enrich.Request{Settings: asked.Settings, Scope: asked.Scope}
	return r.planned(ctx, planTool{"enrich", args.Scope, func(snap *memory.Snapshot) (*memory.Plan, error) {
		planned, _, err := app.Enrich(ctx, r.store, snap, request, true, time.Time{})
		if err != nil {
			return nil, err
		}
		return planned.Plan, nil
	}}, args.Apply, args.Cursor)
}
