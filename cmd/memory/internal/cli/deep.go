package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// deepen asks models about pairs of memories, and says what came of it.
func (c *call) deepen(r rules.Request, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, error) {
	progress := c.progress("asking a model")
	refined, report, err := app.Deepen(c.ctx, c.store, c.env, r, snap, plan)
	progress.end()
	if err != nil {
		return nil, err
	}
	if len(report.Degraded) > 0 && report.Requests == 0 && c.flags.Bool("require-model") {
		return nil, withHint(errors.New("no model could be asked: "+strings.Join(report.Degraded, "; ")), "without --require-model the run goes by the rules alone")
	}
	for _, why := range report.Degraded {
		c.note("without a model: %s", why)
	}
	if report.Unsent > 0 {
		c.note("%s may be sent to no model", quantity(report.Unsent, "pair"))
	}
	if report.Pairs > 0 {
		c.note("%s", deepText(&report))
	}
	return refined, nil
}

func deepText(r *refine.Report) string {
	text := fmt.Sprintf("a model was asked about %s: %s judged, %s applied, %s put to a person; %s, %s tokens", quantity(r.Pairs, "pair"),
		thousands(r.Judged), thousands(r.Applied), thousands(r.Flagged), quantity(r.Requests, "answer"), thousands(r.Tokens))
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %s left out, with an id or a number that isn't there", quantity(r.Dropped, "verdict"))
	}
	if r.Cost > 0 {
		text += fmt.Sprintf("; cost %.4f", r.Cost)
	}
	return text
}

// judgedText is a verdict in one line.
func judgedText(a *oplog.Action) string {
	text := strings.ReplaceAll(a.Verdict, "_", " ")
	if a.ResultID != "" {
		text += ", " + a.ResultID + " stays"
	}
	if a.Confidence != nil {
		text += fmt.Sprintf(" (%.2f sure)", *a.Confidence)
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text + " [" + a.By + "]"
}

// judgedPair is what a model said about a pair; nil for nothing.
func (c *call) judgedPair(snap *memory.Snapshot, p review.Pair) *oplog.Action {
	if a, ok := c.judged.OfPair(snap, p); ok {
		return &a
	}
	return nil
}
