package document

import (
	"github.com/memoryd/memoryd/pkg/cluster"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Enrichment is an enrichment as --json prints it.
type Enrichment struct {
	*Run
	Clusters    []Cluster           `json:"clusters"`
	Stale       []enrich.Stale      `json:"stale_summaries" jsonschema:"that are out of date and stay as they are"`
	Transitions []enrich.Transition `json:"transitions"`
	Edges       map[string]int      `json:"edges"`
	Stages      []enrich.Event      `json:"stages"`
}

// NewEnrichment describes an enrichment; result is nil where nothing was applied.
func NewEnrichment(r *enrich.Result, result *workspace.Result) *Enrichment {
	doc := &Enrichment{
		Run: NewPlan(r.Plan, result), Clusters: NewClusters(r.Clusters), Stale: append([]enrich.Stale{}, r.Stale...),
		Transitions: append([]enrich.Transition{}, r.Transitions...), Edges: r.Edges, Stages: append([]enrich.Event{}, r.Events...),
	}
	doc.Model = r.Plan.Model
	return doc
}

// Cluster is a cluster as --json prints it.
type Cluster struct {
	ID        string           `json:"id" jsonschema:"of its summary, of the one to be if the state is new"`
	Scope     string           `json:"scope"`
	State     enrich.State     `json:"state"`
	Title     string           `json:"title"`
	Members   []string         `json:"members" jsonschema:"the oldest first"`
	Coherence float64          `json:"coherence"`
	Common    []cluster.Common `json:"common,omitempty"`
	Edited    bool             `json:"edited,omitempty" jsonschema:"somebody has edited the summary"`
}

// Clusters is a list of clusters.
type Clusters struct {
	Clusters []Cluster `json:"clusters"`
	Hint     string    `json:"hint,omitempty" jsonschema:"what was requested and no memory has, and what may be meant"`
	Page
}

// NewClusters describes clusters.
func NewClusters(all []enrich.Cluster) []Cluster {
	docs := make([]Cluster, len(all))
	for i, c := range all {
		d := Cluster{ID: c.ID, Scope: c.Scope.String(), State: c.State, Title: c.Title(), Members: []string{}, Coherence: float64(int(c.Coherence*1000+.5)) / 1000, Common: append([]cluster.Common{}, c.Common...)}
		for _, m := range c.Members {
			d.Members = append(d.Members, m.ID)
		}
		d.Edited = c.Summary != nil && enrich.Edited(c.Summary)
		docs[i] = d
	}
	return docs
}
