package cli

import (
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// checkReason checks the flags about answers.
func checkReason(c *call, q *recall.Query) error {
	conf, err := c.settings()
	if err != nil {
		return err
	}
	chain := conf.Model
	if err := app.OnlyModel(&chain, c.flags.String("model")); err != nil {
		return fail.Usagef("--model: %w", err)
	}
	if c.flags.Bool("answer") && strings.TrimSpace(q.Text) == "" {
		return fail.WithHint(fail.Usagef("--answer: there is no question to answer"), `memory recall "when did we move the cache" --answer`)
	}
	return nil
}

// answers reports whether a query is to be answered.
func answers(c *call, q *recall.Query) bool {
	return c.flags.Bool("answer") || answer.AsksWhen(q.Text)
}

// reasonLimit is how many memories are sought: more than are printed, if an answer may stand in them.
func reasonLimit(c *call, q *recall.Query) int {
	if answers(c, q) {
		return max(q.Limit, answer.MaxHits)
	}
	return q.Limit
}

// reasoned answers a query, if that is wanted: by a model only with --answer.
func reasoned(c *call, store *workspace.FileStore, q *recall.Query, hits []recall.Found) (*document.Answer, error) {
	if !answers(c, q) {
		return nil, nil
	}
	if !c.flags.Bool("answer") {
		return app.AnswerOf(q, hits), nil
	}
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	progress := c.Progress("asking a model")
	doc, err := app.AnswerWith(c.ctx, store, conf.Settings, c.env, c.flags.String("model"), q, hits)
	progress.End()
	if err != nil {
		return nil, err
	}
	if doc.Degraded != "" {
		c.Note("without a model: %s", doc.Degraded)
	}
	return doc, nil
}
