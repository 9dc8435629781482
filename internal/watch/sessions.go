package watch

import (
	"context"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/sessionfile"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// FactsOf finds out what the triggers ask for. The error says what could not be read of sessions; the rest holds
// all the same.
func FactsOf(store *workspace.FileStore, snap *memory.Snapshot, t config.Triggers) (trigger.Facts, error) {
	begun, _, err := store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return trigger.FactsOf(snap, nil, nil), err
	}
	files, err := app.SessionFiles(store, snap, snap.At.Add(-t.SessionIdle.Clock()))
	if err != nil {
		return trigger.FactsOf(snap, nil, nil), err
	}
	return trigger.FactsOf(snap, files, begun), nil
}

// factsOf is FactsOf for work that knows no settings yet.
func (w *Watcher) factsOf(snap *memory.Snapshot) (trigger.Facts, error) {
	settings, err := w.Settings()
	if err != nil { // said by look
		settings = config.Default()
	}
	return FactsOf(w.Store, snap, settings.Triggers)
}

// sighted is what was found out about sessions.
type sighted struct {
	facts trigger.Facts
	files map[string]bool // that hold working memories
}

func sightedBy(facts trigger.Facts, snap *memory.Snapshot) *sighted {
	files := map[string]bool{}
	for _, m := range snap.Memories() {
		files[m.File] = true
	}
	return &sighted{facts, files}
}

// concerns reports whether a change of a file or directory may tell of a session.
func (s *sighted) concerns(name string) bool {
	return path.Ext(name) != ".json" || s.files[name] || sessionfile.Tells(name)
}

// settleEnded settles a session that has ended by itself: duplicates first, then
// what they became. The files are looked at once more: if it goes on, it is left
// alone.
func (l *loop) settleEnded(ctx context.Context, runner *app.Runner, d trigger.Due, settings config.Settings) (oplog.Stats, int, error) {
	snap, err := runner.Load()
	if err != nil {
		return oplog.Stats{}, 0, err
	}
	facts, err := FactsOf(l.Store, snap, settings.Triggers)
	if err != nil {
		return oplog.Stats{}, 0, err
	}
	ending, ok := facts.Ending(settings.Triggers, d.Session, time.Now())
	if !ok {
		return oplog.Stats{}, 0, nil
	}
	return runner.UntilEmpty(ctx, rules.Request{Trigger: d.Trigger, Scope: ending.Session.Scope(), Settings: settings, Ending: ending}, app.MaxRuns)
}

// orphaned is how long the end of a session that a hook has told of is left to the
// process that the hook has started. Both at once would do no harm.
const orphaned = 15 * time.Second

// settleSpool is the work of settling the ends that hooks have told of and nobody
// has settled.
func (l *loop) settleSpool() func(context.Context) func() {
	settings, held := l.settings, trigger.Held(l.settings, l.facts.Memories) != ""
	l.nextSpool, l.running = time.Now().Add(watchdog), true
	return func(ctx context.Context) func() {
		begun := time.Now()
		sum, settled, err := l.leftEnds(ctx, settings, held)
		return func() {
			now := time.Now()
			l.running = false
			if settled > 0 {
				l.ours = now.Add(echo)
				l.Log.Info("sessions settled whose end was left", "sessions", settled, "merged_away", sum.MemoriesMerged,
					"promoted", sum.MemoriesPromoted, "archived", sum.MemoriesArchived, "took", now.Sub(begun).Round(time.Millisecond))
				l.Metrics.Ran(rules.SessionEnd, metrics.Done, begun, now, sum)
				l.report.LastRun = begun.UTC().Format(time.RFC3339) + " " + rules.SessionEnd + ": done"
				l.news, l.nextRep, l.nextLook = true, now, time.Time{}
			}
			if err == nil {
				l.spooling = backoff{}
			} else if ctx.Err() == nil {
				l.failed(&l.spooling, "settling the end of a session", err)
				l.nextSpool = l.spooling.until
			}
		}
	}
}

// leftEnds settles what waits in the spool for long, the oldest first. What fails
// stays there, as does what comes after it. With held no run starts by itself: then the ends
// are only noted.
func (l *loop) leftEnds(ctx context.Context, settings config.Settings, held bool) (sum oplog.Stats, settled int, err error) {
	if _, err := l.Store.Ops().SpoolAbandoned(time.Now(), settings.Triggers.SessionIdle.Clock()); err != nil {
		return sum, 0, err
	}
	ends, unread, err := l.Store.Ops().Sessions(ops.SpoolDir)
	if err != nil {
		return sum, 0, err
	}
	for _, name := range unread {
		l.Log.Warn("it tells of no session: removed", "file", name)
		if err := l.Store.Ops().Unspool(name); err != nil {
			return sum, 0, err
		}
	}
	slices.SortStableFunc(ends, func(a, b memory.Session) int { return a.At.Compare(b.At) })
	for _, end := range ends {
		if time.Since(end.At).Abs() < orphaned {
			continue
		}
		s, err := l.settleEnd(ctx, end, settings, held)
		app.AddStats(&sum, s)
		if err != nil {
			return sum, settled, err
		}
		settled++
	}
	return sum, settled, nil
}

// settleEnd settles one end, as "memory session end --spooled" does.
func (l *loop) settleEnd(ctx context.Context, end memory.Session, settings config.Settings, held bool) (sum oplog.Stats, err error) {
	begun, _, err := l.Store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return sum, err
	}
	ending, goesOn := trigger.Ended(end, begun, settings.Triggers.SessionIdle.Clock(), time.Now())
	if !goesOn {
		secret, err := app.SecretRules(l.Store, settings)
		if err != nil {
			return sum, err
		}
		request := rules.Request{Trigger: rules.SessionEnd, Scope: end.Scope(), Settings: settings, Secrets: secret, Ending: ending}
		if !held {
			if sum, _, err = l.runner().UntilEmpty(ctx, request, app.MaxRuns); err != nil {
				return sum, err
			}
		}
		if err := l.Store.Ops().ForgetSession(end); err != nil {
			return sum, err
		}
	}
	return sum, l.Store.Ops().Unspool(end.File)
}

// runner makes the runs of this process.
func (l *loop) runner() *app.Runner {
	now := func() time.Time { return time.Now().UTC().Truncate(time.Second) }
	return &app.Runner{
		Store: guarded{l.Store, l.writing}, Started: time.Now, Loaded: func(*memory.Snapshot) {},
		Load: func() (*memory.Snapshot, error) {
			runtime.GC() // the last one, and what the run before has left, needn't be in memory next to it
			return l.Store.Load(now())
		},
		Reload: func(from *memory.Snapshot, written []string) *memory.Snapshot {
			return l.Store.Reload(now(), from, written)
		},
		Result: func(r *workspace.Result) {
			for _, w := range r.Warnings {
				l.Log.Warn(w)
			}
		},
	}
}
