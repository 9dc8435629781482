package app

import (
	"context"

	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ReasonedDocument is the answer to a question, as --json prints it.
type ReasonedDocument struct {
	answer.Answer
	Degraded string `json:"degraded,omitempty"` // why no model answered
}

// AnswerOf answers a query from its hits, by rules.
func AnswerOf(q *recall.Query, hits []recall.Found) *ReasonedDocument {
	return &ReasonedDocument{Answer: answer.FromText(question(q, hits))}
}

// AnswerWith answers by a model that the settings allow, by rules where none can be asked.
func AnswerWith(ctx context.Context, store *workspace.FileStore, set config.Settings, env func(string) string, q *recall.Query, hits []recall.Found) (*ReasonedDocument, error) {
	models, err := OpenModel(store, set, env, "")
	if err != nil {
		return nil, err
	}
	if models == nil {
		return AnswerOf(q, hits), nil
	}
	reach := map[string]provider.Reach{}
	for i := range hits {
		m := hits[i].Memory
		if r, ok := reach[m.ID]; !ok || r > ModelReach(set.Model, m) { // of several with one id the narrowest
			reach[m.ID] = ModelReach(set.Model, m)
		}
	}
	a, degraded, err := answer.Reason(ctx, models, question(q, hits), func(id string) provider.Reach { return reach[id] })
	return &ReasonedDocument{a, degraded}, err
}

// question is what an answer is sought for, in the hits that still hold: those that are superseded come only where there are no others.
func question(q *recall.Query, hits []recall.Found) *answer.Question {
	asked := &answer.Question{Text: q.Text, At: q.At}
	for _, superseded := range []bool{false, true} {
		if superseded && len(asked.Hits) > 0 {
			break
		}
		for i := range hits {
			if h := &hits[i]; len(h.SupersededBy) > 0 == superseded {
				m := h.Memory
				text := m.Text()
				if title := m.Title(); title != "" {
					text = title + "\n" + text
				}
				asked.Hits = append(asked.Hits, answer.Hit{ID: m.ID, Text: text, Author: m.CreatedBy, Written: m.CreatedAt.In(q.At.Location()), Score: h.Score})
			}
		}
	}
	return asked
}
