package watch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Defaults of a Watcher.
const (
	Debounce = 200 * time.Millisecond
	Full     = 5 * time.Minute
	Poll     = time.Second
)

const (
	longest   = 2 * time.Second        // changes that don't end are looked at after this, or twice what that took
	watchdog  = 30 * time.Second       // how often the wall clock is looked at
	echo      = time.Second            // for the events of a run that has ended
	grace     = 300 * time.Millisecond // for work that can be given up
	firstWait = time.Second            // after work that failed
	lastWait  = 30 * time.Second
)

// Watcher watches a workspace.
type Watcher struct {
	Store    *workspace.FileStore // its Progress is taken over
	Settings func() (config.Settings, error)
	Log      *slog.Logger
	Env      func(string) string // gives the keys of models; nil: none is asked
	Zone     *time.Location      // that of the machine
	Debounce time.Duration       // changes are looked at when there was none for so long
	Full     time.Duration       // between two full comparisons
	Poll     time.Duration       // between two looks at the files where there are no events
	Polling  string              // why there are none; "" to try
	Metrics  *metrics.Metrics

	// For tests; nil for the real ones.
	follow func(ctx context.Context, emit func(change))
	doRun  func(ctx context.Context, l *loop, d trigger.Due) (oplog.Stats, int, error)
}

// loop owns what is known.
type loop struct {
	*Watcher
	alarm    *alarm
	finished chan func() // the outcome of work
	busy     bool
	writing  *atomic.Bool // the work under way is not to be given up

	dirty       map[string]bool // changed since the last comparison
	all         bool            // or anything
	full        bool            // as far as no event has told
	first, last time.Time       // of these changes
	changed     time.Time       // the last change that doesn't come of a run
	running     bool            // a run is under way
	ours        time.Time       // until then changes are taken for those of a run
	nextFull    time.Time
	took        time.Duration // by the last comparison
	comparing   backoff
	storing     backoff

	inventory *workspace.Inventory // what was compared; of the work under way
	later     map[string]bool      // to be looked at again
	again     time.Time            // then; zero for nothing
	still     backoff              // of indexes that stand still

	settings      config.Settings
	complaint     string         // about the settings, told once
	sighted       *sighted       // of sessions, when last looked for; of the work under way
	blind         string         // why nothing is known of sessions, told once
	facts         *trigger.Facts // nil before the first comparison
	state, stored trigger.State
	due           []trigger.Due
	since         map[string]time.Time // since when heavy runs are due
	nextLook      time.Time
	nextSpool     time.Time // ends that hooks left are looked for then
	spooling      backoff

	report  Report
	news    bool // that the report doesn't tell yet
	nextRep time.Time
}

// Run watches until the context ends, which is not an error. Another process that
// watches is a [workspace.ErrWatched].
func (w *Watcher) Run(ctx context.Context) (err error) {
	release, err := w.Store.Ops().LockWatch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.Store.Progress = func(int, int) error { return ctx.Err() }
	now := time.Now()
	l := &loop{
		Watcher: w, alarm: newAlarm(), finished: make(chan func(), 1), writing: &atomic.Bool{},
		dirty: map[string]bool{}, inventory: workspace.NewInventory(w.Store), later: map[string]bool{}, since: map[string]time.Time{},
		nextFull: now.Add(w.Full), changed: now,
		report: Report{Version: trigger.Version, PID: os.Getpid(), Started: now.UTC(), Invalid: []Invalid{}},
	}
	if err := l.readState(); err != nil {
		return err
	}
	changes := make(chan change)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.follower()(ctx, func(c change) {
			select {
			case changes <- c:
			case <-ctx.Done():
			}
		})
	}()
	w.Log.Info("watching", "workspace", w.Store.Dir(), "pid", os.Getpid())
	err = l.until(ctx, changes)
	cancel()
	<-ended
	err = errors.Join(err, l.alarm.stop())
	l.settle()
	w.Log.Info("stopped")
	return err
}

func (w *Watcher) follower() func(context.Context, func(change)) {
	if w.follow != nil {
		return w.follow
	}
	return func(ctx context.Context, emit func(change)) {
		f := &follower{store: w.Store, dir: w.Store.Dir(), poll: w.Poll, why: w.Polling, rewalk: w.Full, emit: emit}
		f.follow(ctx)
	}
}

// until goes round until the context ends or the workspace is gone.
func (l *loop) until(ctx context.Context, changes <-chan change) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-changes:
			if c.err != nil {
				return c.err
			}
			l.take(c)
		case <-l.alarm.ring:
			l.nextLook = time.Time{}
		case take := <-l.finished:
			l.busy = false
			take()
		case <-timer.C:
		}
		if ctx.Err() != nil {
			return nil
		}
		timer.Reset(time.Until(l.next(ctx)))
	}
}

func (l *loop) take(c change) {
	now := time.Now()
	if c.note != "" {
		l.Log.Info(c.note)
		l.report.Following, l.news = c.note, true
	} else {
		l.report.LastEvent, l.news = now.UTC(), true
		l.Metrics.Event(now)
		if !l.running && now.After(l.ours) {
			l.changed = now
		}
	}
	l.mark(now)
	if c.all {
		l.all = true
	} else {
		l.dirty[c.path] = true
	}
}

// mark notes that there is something to compare.
func (l *loop) mark(now time.Time) {
	if l.first.IsZero() {
		l.first = now
	}
	l.last = now
}

// compareAt is when what has changed is to be looked at; zero for nothing.
func (l *loop) compareAt() time.Time {
	if l.first.IsZero() {
		return time.Time{}
	}
	return earlier(l.last.Add(l.Debounce), l.first.Add(max(longest, 2*l.took)))
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// next starts what is to be done now, and tells when to come back.
func (l *loop) next(ctx context.Context) time.Time {
	now := time.Now()
	l.Metrics.Pending(len(l.dirty), len(l.due))
	if l.busy {
		return now.Add(watchdog) // its end wakes the loop
	}
	if !now.Before(l.nextFull) {
		l.all, l.full, l.nextFull = true, l.first.IsZero(), now.Add(l.Full)
		l.mark(now.Add(-l.Debounce))
	}
	if !l.again.IsZero() && !now.Before(l.again) {
		maps.Copy(l.dirty, l.later)
		clear(l.later)
		l.again = time.Time{}
		l.mark(now.Add(-l.Debounce))
	}
	compareAt := l.compareAt()
	if !compareAt.IsZero() && compareAt.Before(l.comparing.until) {
		compareAt = l.comparing.until
	}
	if !compareAt.IsZero() && !now.Before(compareAt) {
		l.begin(ctx, l.compare())
		return now.Add(watchdog)
	}
	if l.facts == nil {
		return earlier(compareAt, l.nextFull)
	}
	compareAt = earlier(compareAt, l.again)
	// The watchdog: after sleep the clock on the wall has gone on without timers,
	// and after it was set it may show anything.
	if wall := now.Round(0); !wall.Before(l.nextLook) || wall.Add(watchdog).Before(l.nextLook) {
		l.look(wall)
		l.nextLook = wall.Add(watchdog)
	}
	ready := l.ready(now)
	switch {
	case now.Before(l.storing.until):
		return earlier(compareAt, l.storing.until)
	case !l.state.Equal(l.stored):
		l.begin(ctx, l.store())
	case len(l.due) > 0 && !now.Before(ready):
		d := l.due[0]
		l.due = nil
		l.begin(ctx, l.run(d))
	case !now.Before(l.nextSpool):
		l.begin(ctx, l.settleSpool())
	case l.news && !now.Before(l.nextRep) || now.Sub(l.report.Alive) >= heartbeat:
		l.begin(ctx, l.tell())
	default:
		at := earlier(earlier(compareAt, l.nextFull), earlier(ready, earlier(l.nextSpool, now.Add(watchdog))))
		if l.news {
			at = earlier(at, l.nextRep)
		}
		return at
	}
	return now.Add(watchdog)
}

// begin lets the other goroutine work. What it returns is done by the loop.
func (l *loop) begin(ctx context.Context, work func(context.Context) func()) {
	l.busy = true
	go func() { l.finished <- work(ctx) }()
}

// settle waits for work that must not be given up.
func (l *loop) settle() {
	if !l.busy {
		return
	}
	select {
	case <-l.finished:
	case <-time.After(grace):
		// Planning changes nothing, and the end of the context keeps it from more.
		if l.writing.Load() {
			<-l.finished
		}
	}
}
