package app

import (
	"context"
	"errors"

	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// firstRequest is a model that answers nothing, and keeps what it was asked first.
type firstRequest struct{ kept *provider.Request }

var errKept = errors.New("a request was kept for a preview")

// Ask implements [provider.Model].
func (f *firstRequest) Ask(_ context.Context, r provider.Request) (provider.Answer, error) {
	f.kept = &r
	return provider.Answer{}, errKept
}

// of is the first request that was made, nil for none.
func (f *firstRequest) of(err error) (*provider.Request, error) {
	if f.kept != nil {
		return f.kept, nil
	}
	return nil, err
}

// FirstOfEnrichment is the first request that an enrichment would send, nil for none. Nothing is sent.
func FirstOfEnrichment(ctx context.Context, store *workspace.FileStore, env func(string) string, snap *memory.Snapshot, set config.Settings) (*provider.Request, error) {
	r := enrich.Request{Settings: set}
	if _, err := Choose(store, env, snap, &r, ModelAuto, 0); err != nil {
		return nil, err
	}
	model, ok := r.Chooser.(*enrich.Model)
	if !ok {
		return nil, nil
	}
	var first firstRequest
	model.Ask = &first
	_, err := PlanEnrichment(ctx, store, snap, r)
	return first.of(err)
}

// FirstOfAnswer is the request by which a model would be asked to answer a query from its hits, nil for none. Nothing is sent.
func FirstOfAnswer(ctx context.Context, set config.Settings, q *recall.Query, hits []recall.Found) (*provider.Request, error) {
	var first firstRequest
	_, _, err := answer.Reason(ctx, &first, question(q, hits), reachOf(set, hits))
	return first.of(err)
}
