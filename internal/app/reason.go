package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// AnswerOf answers a query from its hits, by rules.
func AnswerOf(q *recall.Query, hits []recall.Found) *document.Answer {
	return &document.Answer{Reasoned: answer.FromText(question(q, hits))}
}

// AnswerWith answers by a model that the settings allow (auto), or by the server of a name; by rules where none can be asked, or none is
// wanted. A name whose server can't be asked is an error.
func AnswerWith(ctx context.Context, store *workspace.FileStore, set config.Settings, env func(string) string, name string, q *recall.Query, hits []recall.Found) (*document.Answer, error) {
	if name == ModelNone {
		return AnswerOf(q, hits), nil
	}
	if err := OnlyModel(&set.Model, name); err != nil {
		return nil, err
	}
	models, err := OpenModel(store, set, env, "")
	switch {
	case err != nil:
		return nil, err
	case models == nil && name != ModelAuto:
		return nil, cannotAsk(name, set.Model)
	case models == nil:
		return AnswerOf(q, hits), nil
	}
	a, degraded, err := answer.Reason(ctx, models, question(q, hits), reachOf(set, hits))
	return &document.Answer{Reasoned: a, Degraded: degraded}, err
}

// reachOf says how far hits may travel; of several with one id the narrowest counts.
func reachOf(set config.Settings, hits []recall.Found) func(id string) provider.Reach {
	reach := map[string]provider.Reach{}
	for i := range hits {
		m := hits[i].Memory
		if r, ok := reach[m.ID]; !ok || r > ModelReach(set.Model, m) {
			reach[m.ID] = ModelReach(set.Model, m)
		}
	}
	return func(id string) provider.Reach { return reach[id] }
}

// question is what an answer is sought for, in the hits that still hold: those that are superseded, or seem to be, come only where there are no
// others; one of which a part was replaced holds. What another project says counts only where the question names that project.
func question(q *recall.Query, hits []recall.Found) *answer.Question {
	asked := &answer.Question{Text: q.Text, At: q.At}
	for _, superseded := range []bool{false, true} {
		if superseded && len(asked.Hits) > 0 {
			break
		}
		for i := range hits {
			h := &hits[i]
			m := h.Memory
			if h.Elsewhere && !topicOf(q.Text).words[text.Fold(m.Scope.ID)] {
				continue
			}
			whole := func(n recall.Newer) bool { return !n.Partly }
			if (len(h.SupersededBy) > 0 || slices.ContainsFunc(h.Newer, whole)) == superseded {
				body := m.Text()
				if title := m.Title(); title != "" {
					body = title + "\n" + body
				}
				about := strings.Join(append(slices.Clone(m.Tags), m.Scope.ID), " ")
				asked.Hits = append(asked.Hits, answer.Hit{ID: m.ID, Text: body, About: about, Author: m.CreatedBy, Written: m.CreatedAt.In(q.At.Location()), Score: h.Score})
			}
		}
	}
	return asked
}

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
