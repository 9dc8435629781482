package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// readState reads what was done before. One that is broken says nothing.
func (l *loop) readState() error {
	doc, err := l.Store.Read(ops.TriggersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", ops.TriggersFile, err)
	}
	if l.stored, err = trigger.ParseState(doc); err != nil {
		l.Log.Warn("starting anew: no trigger is owed anything from before", "file", ops.TriggersFile, "error", err)
	}
	l.state = l.stored
	return nil
}

// look finds out what is due.
func (l *loop) look(now time.Time) {
	l.due = nil
	settings, err := l.Settings()
	if err != nil {
		l.complain(err)
		return
	}
	l.settings = settings
	zone, err := settings.Triggers.Zone(l.Zone)
	if err != nil {
		l.complain(err)
		return
	}
	due, state, err := trigger.Look(settings, l.state, *l.facts, now, zone)
	l.complain(errors.Join(err, l.alarm.setTo(settings, zone)))
	l.due, l.state = due, state
	since := map[string]time.Time{}
	for _, d := range due {
		if since[d.Key()] = l.since[d.Key()]; since[d.Key()].IsZero() {
			since[d.Key()] = time.Now()
			l.Log.Info("due", "trigger", d.Trigger, "reason", d.Reason, "attempt", d.Attempt)
		}
	}
	l.since = since
}

// complain says once what is wrong with the settings.
func (l *loop) complain(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != l.complaint {
		l.Log.Error("triggers", "error", text)
	}
	l.complaint = text
}

// ready is when the first run that is due may start; zero for none. One that need
// not wait comes before those that do.
func (l *loop) ready(now time.Time) time.Time {
	best := -1
	var at time.Time
	for i, d := range l.due {
		ready := now
		if d.Heavy() {
			ready = trigger.Ready(l.settings.Triggers, l.since[d.Key()], l.changed)
		} else if d.After.After(now) {
			ready = d.After
		}
		if best < 0 || ready.Before(at) && at.After(now) {
			best, at = i, ready
		}
	}
	if best > 0 {
		l.due[0], l.due[best] = l.due[best], l.due[0]
	}
	return at
}

// store is the work of storing what was done before.
func (l *loop) store() func(context.Context) func() {
	state := l.state
	return func(ctx context.Context) func() {
		err := l.save(ctx, state)
		return func() {
			if err != nil {
				l.failed(&l.storing, "storing the state of the triggers", err)
				return
			}
			l.stored, l.storing = state, backoff{}
		}
	}
}

func (l *loop) save(ctx context.Context, state trigger.State) error {
	doc, err := state.Marshal()
	if err != nil {
		return err
	}
	l.writing.Store(true)
	defer l.writing.Store(false)
	return l.Store.Ops().WriteState(ctx, ops.TriggersFile, doc)
}

// guarded marks transactions as work that is not to be given up.
type guarded struct {
	*workspace.FileStore
	writing *atomic.Bool
}

func (g guarded) Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error) {
	g.writing.Store(true)
	defer g.writing.Store(false)
	return g.FileStore.Commit(ctx, tx)
}

// run is the work of a consolidation.
func (l *loop) run(d trigger.Due) func(context.Context) func() {
	settings, state := l.settings, l.state
	do := l.consolidate
	if l.doRun != nil {
		do = func(ctx context.Context, d trigger.Due, _ config.Settings) (oplog.Stats, int, error) {
			return l.doRun(ctx, l, d)
		}
	}
	l.running = true
	l.Log.Info("run begins", "trigger", d.Trigger, "reason", d.Reason, "attempt", d.Attempt)
	return func(ctx context.Context) func() {
		begun := time.Now()
		sum, runs, err := do(ctx, d, settings)
		if ctx.Err() != nil && err != nil {
			return func() {} // it will be due again
		}
		now, givenUp := time.Now(), false
		if err == nil {
			state = state.Done(d, now)
		} else {
			state, givenUp = state.Fail(d, settings.Triggers.Retries, now)
		}
		saved := l.save(ctx, state)
		return func() {
			l.running, l.ours = false, time.Now().Add(echo)
			l.state, l.nextLook = state, time.Time{}
			if saved != nil {
				l.failed(&l.storing, "storing the state of the triggers", saved)
			} else {
				l.stored = state
			}
			took, outcome := now.Sub(begun).Round(time.Millisecond), metrics.Done
			l.report.LastRun = fmt.Sprintf("%s %s: ", begun.UTC().Format(time.RFC3339), d.Trigger)
			switch {
			case givenUp:
				outcome = metrics.GivenUp
				l.Log.Error("run failed, given up", "trigger", d.Trigger, "error", err, "attempts", d.Attempt)
				l.report.LastRun += "failed, given up: " + err.Error()
			case err != nil:
				outcome = metrics.Failed
				l.Log.Error("run failed", "trigger", d.Trigger, "error", err, "again_at", state.Failed[d.Key()].Again)
				l.report.LastRun += "failed: " + err.Error()
			default:
				l.Log.Info("run ended", "trigger", d.Trigger, "runs", runs, "merged_away", sum.MemoriesMerged, "promoted", sum.MemoriesPromoted,
					"summarised", sum.MemoriesSummarized, "archived", sum.MemoriesArchived, "flagged", sum.MemoriesFlagged, "took", took)
				l.report.LastRun += "done"
			}
			l.Metrics.Ran(d.Trigger, outcome, begun, now, sum)
			if err != nil {
				l.Metrics.Failed("run")
			}
			l.news, l.nextRep = true, now
		}
	}
}

// consolidate does what the trigger asks for: everything, run after run, for a
// weekly one and schedules that say so; duplicates and then what they became for
// working memories; else one run.
func (l *loop) consolidate(ctx context.Context, d trigger.Due, settings config.Settings) (oplog.Stats, int, error) {
	secret, err := app.SecretRules(l.Store, settings)
	if err != nil {
		return oplog.Stats{}, 0, err
	}
	runner := l.runner()
	if d.Trigger == rules.SessionEnd {
		return l.settleEnded(ctx, runner, d, settings)
	}
	request := rules.Request{Trigger: d.Trigger, Index: d.Index, Settings: settings, Secrets: secret}
	if request.Scope, err = d.Only(); err != nil {
		return oplog.Stats{}, 0, err
	}
	switch d.Task() {
	case trigger.Enrich:
		return l.enrich(ctx, runner, request)
	case trigger.Deep:
		runner.Refine, runner.Reserve = l.deepen(request), app.RoomForDeferred(l.Store)
	}
	most := 1
	if d.All || d.Trigger == rules.Weekly || d.Trigger == rules.Threshold {
		most = app.MaxRuns
	}
	return runner.UntilEmpty(ctx, request, most)
}

// unsighted says once why nothing is known of sessions.
func (l *loop) unsighted(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != l.blind {
		l.Log.Error("sessions can't be looked for", "error", text)
	}
	l.blind = text
}

// tell is the work of writing the report.
func (l *loop) tell() func(context.Context) func() {
	now := time.Now()
	l.report.Alive, l.news, l.nextRep = now.UTC(), false, now.Add(seldom)
	report := l.report
	return func(ctx context.Context) func() {
		doc, err := report.marshal()
		if err == nil {
			l.writing.Store(true)
			err = l.Store.Ops().WriteState(ctx, ops.WatchFile, doc)
			l.writing.Store(false)
		}
		debug.FreeOSMemory() // a comparison took the whole workspace, the waiting takes little
		return func() {
			if err != nil {
				l.news = true
				l.failed(&l.storing, "writing the report", err)
				return
			}
			l.storing = backoff{}
		}
	}
}

// seldom is how often a report is written of what can wait.
const seldom = 30 * time.Second

// backoff is how long work that fails is put off.
type backoff struct {
	failures int
	until    time.Time
	told     string // what was said of it
}

// failed puts work off, and says why when that is new. That the context has ended
// is not a failure.
func (l *loop) failed(b *backoff, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	l.Metrics.Failed(what)
	wait := min(firstWait<<min(b.failures, 5), lastWait)
	b.failures, b.until = b.failures+1, time.Now().Add(wait)
	if text := err.Error(); text != b.told {
		b.told = text
		l.Log.Error(what+" failed, and is tried again", "error", err)
	}
}

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
