package watch

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// soon is when a file is looked at again that is half written.
const soon = 50 * time.Millisecond

// compare is the work of bringing the indexes into line with what has changed, or
// with everything.
func (l *loop) compare() func(context.Context) func() {
	names, all, full, first := slices.Sorted(maps.Keys(l.dirty)), l.all, l.full, l.first
	l.dirty, l.all, l.full, l.first, l.last = map[string]bool{}, false, false, time.Time{}, time.Time{}
	if slices.Contains(names, memory.ConfigFile) {
		l.nextLook = time.Time{}
	}
	return func(ctx context.Context) func() {
		begun := time.Now()
		look := func(ctx context.Context, at time.Time) (*workspace.Refreshed, error) {
			return l.inventory.Update(ctx, at, names)
		}
		if all {
			look = l.inventory.Compare
		}
		l.writing.Store(true)
		done, err := look(ctx, begun.UTC().Truncate(time.Second))
		l.writing.Store(false)
		ended := time.Now()
		if err != nil {
			return func() {
				l.all, l.full = true, full
				l.mark(time.Now())
				l.failed(&l.comparing, "comparison", err)
			}
		}
		facts, unsighted := l.taken(begun, names, all)
		problems, census := l.inventory.Problems(), metrics.Census{}
		if l.Metrics != nil {
			census = metrics.Count(l.inventory.Kinds())
		}
		return func() {
			now := time.Now()
			l.comparing, l.took = backoff{}, now.Sub(begun)
			l.invalid(problems, now)
			l.facts, l.nextLook = &facts, time.Time{}
			l.unsighted(unsighted)
			l.standing(done, now)
			l.observe(metrics.Comparison{Begun: begun, Ended: ended, First: first, All: all}, full, done.Written, census)
			for _, r := range done.Written {
				l.Log.Info("index updated", "file", r.File, "differences", len(r.Changes), "took", l.took.Round(time.Millisecond))
			}
			if full && len(done.Written) > 0 {
				l.Log.Warn("the full comparison found what no event had told")
			}
			l.report.Compared, l.news = now.UTC(), true
			if all {
				l.report.Full = now.UTC()
			}
		}
	}
}

// standing sees to what could not be updated: what may be half written is
// looked at again soon, what can't be read ever more seldom.
func (l *loop) standing(done *workspace.Refreshed, now time.Time) {
	for _, name := range done.Later {
		l.later[name] = true
	}
	l.again = time.Time{}
	if len(l.later) > 0 {
		l.again = now.Add(soon)
	}
	if done.Standing == nil {
		l.still = backoff{}
		return
	}
	if l.still.until.IsZero() || !now.Before(l.still.until) {
		l.failed(&l.still, "bringing indexes along", done.Standing)
	}
	l.again = earlier(l.again, l.still.until)
}

// taken counts what the triggers ask for, as [FactsOf] does, from the inventory.
// What is known of sessions holds while nothing has changed that may tell of one.
func (l *loop) taken(at time.Time, names []string, all bool) (facts trigger.Facts, err error) {
	indexes, live, working := l.inventory.Counts()
	maps.DeleteFunc(indexes, func(file string, _ int) bool { return path.Dir(file) == memory.ArchiveDir })
	if known := l.sighted; known != nil && !all && working == known.facts.Working && !slices.ContainsFunc(names, known.concerns) {
		facts = known.facts
		if facts.Begun, _, err = l.Store.Ops().Sessions(ops.SessionsDir); err != nil {
			facts.Sessions = nil
		}
	} else {
		snap := l.inventory.Working(at)
		facts, err = l.factsOf(snap)
		facts.Working = working
		if l.sighted = sightedBy(facts, snap); len(snap.Memories()) != working {
			l.sighted = nil // a file was half written: when it is whole, it counts as many as before
		}
	}
	if err != nil {
		l.sighted = nil
	}
	facts.Indexes, facts.Memories = indexes, live // the snapshot above holds working memories only
	return facts, err
}

// invalid says once which files can't be read, and once that they can be again.
func (l *loop) invalid(problems []memory.Problem, now time.Time) {
	was := map[string]Invalid{}
	for _, i := range l.report.Invalid {
		was[i.File] = i
	}
	list := []Invalid{}
	for _, p := range problems {
		i, before := was[p.File]
		delete(was, p.File)
		if !before || i.Message != p.Message {
			l.Log.Warn("invalid file", "file", p.File, "problem", p.Message)
			i.File, i.Message = p.File, p.Message
			l.news, l.nextRep = true, now
		}
		if !before {
			i.Since = now.UTC()
		}
		list = append(list, i)
	}
	for _, file := range slices.Sorted(maps.Keys(was)) {
		l.Log.Info("mended", "file", file)
		l.news, l.nextRep = true, now
	}
	l.report.Invalid = list
}
