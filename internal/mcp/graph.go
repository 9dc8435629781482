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

type clustersArgs struct {
	ID     string `json:"id,omitempty" jsonschema:"the cluster with this id, or with this memory in it"`
	Scope  string `json:"scope,omitempty" jsonschema:"only clusters of this scope, such as project:shop"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
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

func (r *room) graph(ctx context.Context, args graphArgs) (document.Graph, string, error) {
	result := document.Graph{Edges: []document.Edge{}}
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
	for i := range doc.Edges {
		e := &doc.Edges[i]
		e.Why, e.Reason, e.Quote = document.Short(e.Why, 300), "", "" // why says these
		switch args.ID {
		case e.From:
			e.About = document.Short(says[e.To], 200)
		case e.To:
			e.About = document.Short(says[e.From], 200)
		}
	}
	p, err := paged(doc.Edges, hash(graphArgs{ID: args.ID, Kind: args.Kind}), args.Cursor, 100, func(e document.Edge) int { return len(e.Why) + len(e.About) + 120 })
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

func (r *room) clusters(ctx context.Context, args clustersArgs) (document.Clusters, string, error) {
	result := document.Clusters{Clusters: []document.Cluster{}}
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
	for i := range docs {
		docs[i].Title, docs[i].Common = document.Short(docs[i].Title, 200), nil
	}
	p, err := paged(docs, hash(clustersArgs{ID: args.ID, Scope: args.Scope}), args.Cursor, 50, func(g document.Cluster) int { return len(g.Title) + 100 + 20*len(g.Members) })
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

func (r *room) enrich(ctx context.Context, args consolidateArgs) (document.Run, string, error) {
	asked, err := r.request(args.Scope)
	if err != nil {
		return document.Run{}, "", err
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
