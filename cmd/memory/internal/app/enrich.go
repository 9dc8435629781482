package app

import (
	"context"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/cluster"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Names of models with a meaning of their own.
const (
	ModelAuto = "auto" // the one that the settings name, if any
	ModelNone = "none"
)

// Chooser is who chooses in an enrichment: nil for the rules. A model that is asked for by its name must be there.
func Chooser(_ config.Settings, model string) (enrich.Chooser, error) {
	switch model {
	case "", ModelAuto, ModelNone:
		return nil, nil
	}
	return nil, fmt.Errorf("no model is called %q: write %s, or %s for the rules alone", model, ModelAuto, ModelNone)
}

// Enrich plans an enrichment and, unless dry, commits it: the result is nil if there was nothing to do, or nothing was to be done.
func Enrich(ctx context.Context, store RunStore, snap *memory.Snapshot, r enrich.Request, dry bool, started time.Time) (*enrich.Result, *workspace.Result, error) {
	r.Memo, r.LogHead = readMemo(store, memoFile), store.LogHead()
	planned, err := enrich.Plan(ctx, snap, r)
	if err != nil {
		return nil, nil, err
	}
	_ = store.SaveCatalog()
	if dry || planned.Plan.Empty() {
		return planned, nil, nil
	}
	var result *workspace.Result
	persisted := enrich.Stage(r, enrich.StagePersist, func(e *enrich.Event) {
		e.Seen = len(planned.Plan.Actions)
		if result, err = store.Commit(ctx, &workspace.Tx{Plan: planned.Plan, Started: started}); err == nil {
			e.Made, e.Skipped = result.Applied, len(result.Skipped)
		}
	})
	planned.Events = append(planned.Events, persisted)
	return planned, result, err
}

// EnrichDocument is an enrichment as --json prints it.
type EnrichDocument struct {
	*PlanDocument
	Clusters    []ClusterDocument   `json:"clusters"`
	Stale       []enrich.Stale      `json:"stale_summaries"` // that are out of date and stay as they are
	Transitions []enrich.Transition `json:"transitions"`
	Edges       map[string]int      `json:"edges"`
	Stages      []enrich.Event      `json:"stages"`
	Degraded    string              `json:"degraded,omitempty"`
}

// NewEnrichDocument describes an enrichment; result is nil where nothing was applied.
func NewEnrichDocument(r *enrich.Result, result *workspace.Result) *EnrichDocument {
	return &EnrichDocument{
		PlanDocument: NewPlanDocument(r.Plan, result), Clusters: NewClusterDocuments(r.Clusters), Stale: append([]enrich.Stale{}, r.Stale...),
		Transitions: append([]enrich.Transition{}, r.Transitions...), Edges: r.Edges, Stages: append([]enrich.Event{}, r.Events...), Degraded: r.Degraded,
	}
}

// ClusterDocument is a cluster as --json prints it.
type ClusterDocument struct {
	ID        string           `json:"id"` // of its summary, of the one to be if the state is new
	Scope     string           `json:"scope"`
	State     enrich.State     `json:"state"`
	Title     string           `json:"title"`
	Members   []string         `json:"members"` // the oldest first
	Coherence float64          `json:"coherence"`
	Common    []cluster.Common `json:"common"`
	Edited    bool             `json:"edited,omitempty"` // somebody has edited the summary
}

// NewClusterDocuments describes clusters.
func NewClusterDocuments(all []enrich.Cluster) []ClusterDocument {
	docs := make([]ClusterDocument, len(all))
	for i, c := range all {
		d := ClusterDocument{ID: c.ID, Scope: c.Scope.String(), State: c.State, Title: c.Title(), Members: []string{}, Coherence: float64(int(c.Coherence*1000+.5)) / 1000, Common: append([]cluster.Common{}, c.Common...)}
		for _, m := range c.Members {
			d.Members = append(d.Members, m.ID)
		}
		d.Edited = c.Summary != nil && enrich.Edited(c.Summary)
		docs[i] = d
	}
	return docs
}
