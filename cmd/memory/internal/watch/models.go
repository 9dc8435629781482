package watch

import (
	"context"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// enrich does what the schedule "enrich" asks for.
func (l *loop) enrich(ctx context.Context, runner *app.Runner, request rules.Request) (did oplog.Stats, runs int, err error) {
	snap, err := runner.Load()
	if err != nil {
		return did, 0, err
	}
	result, use, err := app.EnrichOnSchedule(ctx, l.Store, runner.Store, l.Env, snap, request.Settings, request.Scope, runner.Started())
	l.asked(use)
	if err != nil || result == nil {
		return did, 0, err
	}
	runner.Result(result)
	if result.Entry != nil {
		did = result.Entry.Stats
	}
	return did, 1, nil
}

// deepen lets models judge pairs, as the schedule "deep" asks for; the rules decide alone where none can be asked.
func (l *loop) deepen(request rules.Request) func(context.Context, *memory.Snapshot, *memory.Plan) (*memory.Plan, error) {
	return func(ctx context.Context, snap *memory.Snapshot, plan *memory.Plan) (*memory.Plan, error) {
		if l.Env == nil {
			return plan, nil
		}
		refined, report, err := app.Deepen(ctx, l.Store, l.Env, request, snap, plan)
		if err != nil {
			return nil, err
		}
		if refined.Model == nil {
			l.asked(&oplog.ModelUse{Degraded: report.Degraded})
		}
		l.asked(refined.Model)
		return refined, nil
	}
}

// asked logs what asking models came to.
func (l *loop) asked(use *oplog.ModelUse) {
	if use == nil {
		return
	}
	if use.Requests+use.Cached > 0 {
		l.Log.Info("asked models", "requests", use.Requests, "cached", use.Cached, "tokens", use.TokensIn+use.TokensOut, "deferred", use.Deferred)
	}
	for _, why := range use.Degraded {
		l.Log.Warn("without a model", "because", why)
	}
}
