package document

import (
	"github.com/memoryd/memoryd/pkg/cluster"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Enrichment is an enrichment as --json prints it.
type Enrichment struct {
	*Plan
	Clusters    []Cluster           `json:"clusters"`
	Stale       []enrich.Stale      `json:"stale_summaries"` // that are out of date and stay as they are
	Transitions []enrich.Transition `json:"transitions"`
	Edges       map[string]int      `json:"edges"`
	Stages      []enrich.Event      `json:"stages"`
	Model       *oplog.ModelUse     `json:"model,omitempty"` // what asking models came to
}

// NewEnrichment describes an enrichment; result is nil where nothing was applied.
func NewEnrichment(r *enrich.Result, result *workspace.Result) *Enrichment {
	return &Enrichment{
		Plan: NewPlan(r.Plan, result), Clusters: NewClusters(r.Clusters), Stale: append([]enrich.Stale{}, r.Stale...),
		Transitions: append([]enrich.Transition{}, r.Transitions...), Edges: r.Edges, Stages: append([]enrich.Event{}, r.Events...), Model: r.Plan.Model,
	}
}

// Cluster is a cluster as --json prints it.
type Cluster struct {
	ID        string           `json:"id"` // of its summary, of the one to be if the state is new
	Scope     string           `json:"scope"`
	State     enrich.State     `json:"state"`
	Title     string           `json:"title"`
	Members   []string         `json:"members"` // the oldest first
	Coherence float64          `json:"coherence"`
	Common    []cluster.Common `json:"common"`
	Edited    bool             `json:"edited,omitempty"` // somebody has edited the summary
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
