package trigger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Facts are what a workspace holds.
type Facts struct {
	Indexes map[string]int // entries, by the index's file
	Working int            // working memories
}

// FactsOf counts what the triggers ask for.
func FactsOf(s *workspace.Snapshot) Facts {
	f := Facts{Indexes: map[string]int{}}
	for _, x := range s.Indexes {
		if path.Dir(x.File) != workspace.ArchiveDir { // what is there is done with
			f.Indexes[x.File] = len(x.Owned)
		}
	}
	for _, m := range s.Memories {
		if m.Type == workspace.Working {
			f.Working++
		}
	}
	return f
}

// Due is a run that should happen.
type Due struct {
	Trigger  string
	Schedule string // of triggers by the clock
	Slot     string // the wall clock's reading that it is for; "" after a span of time
	Index    string // the file of the index that overflows
	Count    int    // of what was counted
	Attempt  int    // 1 for the first
	Reason   string // for people
}

// Heavy runs wait for a quiet workspace.
func (d Due) Heavy() bool { return d.Trigger == rules.Weekly || d.Trigger == rules.IndexOverflow }

// Key tells this run from others that may be due with it.
func (d Due) Key() string { return d.Trigger + " " + d.of() }

func (d Due) of() string {
	if d.Index == "" && d.Schedule == "" {
		return "working"
	}
	return d.Index
}

// Next is when a trigger fires next, or on what condition.
type Next struct {
	Trigger string
	On      string    // the schedule or the condition
	At      time.Time // zero: when the condition holds
}

const (
	slotForm = "2006-01-02T15:04"
	// wrongClock: a stored time this far ahead is of a clock that was wrong. Time
	// zones lie 26 hours apart at most.
	wrongClock = 26 * time.Hour
	forward    = 24 * time.Hour
)

// clockTriggers lists the triggers that go by the clock.
func clockTriggers(t config.Triggers) []Mark {
	return []Mark{{Schedule: t.Weekly, Slot: rules.Weekly}, {Schedule: t.IntervalCron(), Slot: rules.Interval}}
}

// Look tells which runs are due, the most comprehensive first, and what to
// remember from now on: the state must be stored before anything else is made of
// it. What waits to be tried again is not due. An error is of one schedule; the
// others are looked at all the same.
func Look(t config.Triggers, s State, f Facts, now time.Time, loc *time.Location) (due []Due, _ State, err error) {
	s = s.clone()
	for _, c := range clockTriggers(t) {
		name := c.Slot
		if c.Schedule == "" {
			delete(s.Clock, name)
			continue
		}
		schedule, bad := ParseSchedule(c.Schedule)
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("trigger %s: %w", name, bad))
			continue
		}
		d, mark := schedule.look(name, c.Schedule, s.Clock[name], now, loc)
		s.Clock[name] = mark
		if d != nil {
			due = append(due, *d)
		}
	}
	overflow := limits{t.IndexOverflow, t.IndexOverflowStep, t.IndexOverflowRepeat.Clock()}
	for key := range s.Crossed {
		if _, ok := f.Indexes[key]; !ok && key != "working" {
			delete(s.Crossed, key)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(f.Indexes)) {
		if n := f.Indexes[file]; overflow.over(s.Crossed, file, n, now) {
			due = append(due, Due{Trigger: rules.IndexOverflow, Index: file, Count: n, Reason: fmt.Sprintf("%s has %d entries, more than %d", file, n, t.IndexOverflow)})
		}
	}
	if working := (limits{t.ThresholdWorking - 1, t.ThresholdWorking, t.IndexOverflowRepeat.Clock()}); !t.Threshold {
		delete(s.Crossed, "working")
	} else if working.over(s.Crossed, "working", f.Working, now) {
		due = append(due, Due{Trigger: rules.Threshold, Count: f.Working, Reason: fmt.Sprintf("%d working memories, the limit is %d", f.Working, t.ThresholdWorking)})
	}
	return s.ripe(due, now), s, err
}

// ripe numbers the attempts, forgets failures of what is no longer due, and keeps
// back what waits for its time.
func (s State) ripe(due []Due, now time.Time) (ripe []Due) {
	wanted := map[string]bool{}
	for _, d := range due {
		failed := s.Failed[d.Key()]
		wanted[d.Key()] = true
		d.Attempt = failed.Times + 1
		// A clock that was set back doesn't make it wait for longer.
		if failed.Times == 0 || !now.Before(failed.Again) || now.Before(failed.Last) {
			ripe = append(ripe, d)
		}
	}
	maps.DeleteFunc(s.Failed, func(key string, _ Failure) bool { return !wanted[key] })
	return ripe
}

// look compares a schedule with how far it is done with.
func (s *Schedule) look(name, text string, mark Mark, now time.Time, loc *time.Location) (*Due, Mark) {
	first := mark.Schedule != text
	if s.every > 0 {
		if first || mark.At.After(now) { // the clock was set back
			return nil, Mark{Schedule: text, At: now.UTC()}
		}
		if now.Sub(mark.At) < s.every {
			return nil, mark
		}
		return &Due{Trigger: name, Schedule: text, Reason: fmt.Sprintf("%s have passed", s.every)}, mark
	}
	latest := s.latest(now, loc)
	done, err := time.Parse(slotForm, mark.Slot)
	if first || err != nil || done.After(wall(now, loc).Add(wrongClock)) {
		if latest.IsZero() { // none in five years: the next one counts
			latest = wall(now, loc)
		}
		return nil, Mark{Schedule: text, Slot: latest.Format(slotForm), At: now.UTC()}
	}
	if !latest.After(done) {
		return nil, mark
	}
	slot := latest.Format(slotForm)
	reason := "it is " + slot
	if now.Sub(reached(latest, loc)) > time.Minute {
		reason = "missed: " + slot
	}
	return &Due{Trigger: name, Schedule: text, Slot: slot, Reason: reason}, mark
}

// limits are when a count is too high, and when it is again.
type limits struct {
	limit, step int
	repeat      time.Duration
}

// over reports whether a count has crossed the limit, or has again, and notes the
// smallest count since.
func (l limits) over(crossed map[string]Crossing, key string, n int, now time.Time) bool {
	c, before := crossed[key]
	if n <= l.limit {
		delete(crossed, key)
		return false
	}
	if !before {
		return true
	}
	if c.At.After(now.Add(forward)) { // of a clock that was wrong
		c.At = now.UTC()
	}
	due := n >= c.Count+l.step || now.Sub(c.At) >= l.repeat
	c.Count = min(c.Count, n)
	crossed[key] = c
	return due
}

// Ready is when a heavy run may start that has been due since then: when nothing
// changed for a while, but not after too long.
func Ready(t config.Triggers, since, lastChange time.Time) time.Time {
	quiet, longest := lastChange.Add(t.QuietTime.Clock()), since.Add(t.QuietMax.Clock())
	if quiet.Before(since) {
		return since
	}
	if quiet.After(longest) {
		return longest
	}
	return quiet
}

// Upcoming tells what fires when, the soonest first, conditions last. A run that
// is due now is among them with that time.
func Upcoming(t config.Triggers, s State, f Facts, now time.Time, loc *time.Location) ([]Next, error) {
	due, s, err := Look(t, s, f, now, loc)
	var next []Next
	late := map[string]bool{}
	for _, d := range due {
		late[d.Trigger] = true
		next = append(next, Next{d.Trigger, d.Reason, now})
	}
	for _, c := range clockTriggers(t) {
		name := c.Slot
		schedule, bad := ParseSchedule(c.Schedule)
		if c.Schedule == "" || bad != nil {
			continue
		}
		at := schedule.after(s.Clock[name], now, loc)
		if failed, ok := s.Failed[Due{Trigger: name, Schedule: c.Schedule}.Key()]; ok && !late[name] {
			at = failed.Again
		}
		if !at.IsZero() {
			next = append(next, Next{name, c.Schedule, at})
		}
	}
	slices.SortStableFunc(next, func(a, b Next) int { return a.At.Compare(b.At) })
	next = append(next, Next{Trigger: rules.IndexOverflow, On: fmt.Sprintf("an index with more than %d entries", t.IndexOverflow)})
	if t.Threshold {
		next = append(next, Next{Trigger: rules.Threshold, On: fmt.Sprintf("%d working memories", t.ThresholdWorking)})
	}
	return next, err
}

// after is the next time that lies ahead.
func (s *Schedule) after(mark Mark, now time.Time, loc *time.Location) time.Time {
	if s.every > 0 {
		at := mark.At.Add(s.every)
		if !at.After(now) {
			at = now.Add(s.every)
		}
		return at
	}
	slot, err := time.Parse(slotForm, mark.Slot)
	if latest := s.latest(now, loc); err != nil || latest.After(slot) {
		slot = latest
	}
	return s.next(cmp.Or(slot, wall(now, loc)), loc)
}
