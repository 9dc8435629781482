package trigger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Schedule is when something is due by the clock: at the slots of a cron
// expression, or a span of time after the last run.
type Schedule struct {
	slots cron.Schedule // asked in UTC, which stands for the wall clock
	every time.Duration
	apart time.Duration // slots that follow the last one more closely are passed over
}

// schedule reads the expression by which it is due.
func (d Due) schedule() (*Schedule, error) {
	s, err := ParseSchedule(d.Schedule)
	if err != nil {
		return nil, err
	}
	s.apart = d.Apart
	if s.every > 0 {
		s.every = max(s.every, d.Apart)
	}
	return s, nil
}

// earliest is the moment after which the slot comes that follows one.
func (s *Schedule) earliest(slot time.Time) time.Time {
	return slot.Add(max(s.apart-1, 0))
}

// Following is [Schedule.Following] of what it is due by; none where that is not a schedule.
func (d Due) Following(after time.Time, loc *time.Location, n int) []time.Time {
	s, err := d.schedule()
	if err != nil {
		return nil
	}
	return s.Following(after, loc, n)
}

// ParseSchedule reads a cron expression of five fields, a macro such as @daily, or
// "@every 5m0s". Time zones in an expression are refused.
func ParseSchedule(text string) (*Schedule, error) {
	if strings.Contains(text, "TZ=") { // some of them make the parser panic
		return nil, fmt.Errorf("schedule %q: it may not name a time zone", text)
	}
	slots, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", text, err)
	}
	if every, ok := slots.(cron.ConstantDelaySchedule); ok {
		return &Schedule{every: every.Delay}, nil
	}
	return &Schedule{slots: slots}, nil
}

// wall is what a clock in loc shows at t, as if it were UTC.
func wall(t time.Time, loc *time.Location) time.Time {
	l := t.In(loc)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// reached is when a clock in loc first shows w or more.
func reached(w time.Time, loc *time.Location) time.Time {
	t := w.Add(-26 * time.Hour).In(loc) // earlier in every zone
	for {
		start, end := t.ZoneBounds()
		_, offset := t.Zone()
		at := w.Add(-time.Duration(offset) * time.Second)
		if end.IsZero() || at.Before(end) {
			if at.Before(start) { // skipped by the change
				at = start
			}
			return at.In(loc)
		}
		t = end
	}
}

// spans are how far back a slot is looked for. Each is searched only if the one
// before it holds none, so that there are never many slots to go through.
var spans = []time.Duration{
	time.Hour, 26 * time.Hour, 8 * 24 * time.Hour, 32 * 24 * time.Hour, 367 * 24 * time.Hour, 5 * 366 * 24 * time.Hour,
}

// latest is the last slot that the clock has reached at now; zero for none.
func (s *Schedule) latest(now time.Time, loc *time.Location) (slot time.Time) {
	shown := wall(now, loc)
	for _, span := range spans {
		for next := s.slots.Next(shown.Add(-span)); !next.IsZero() && !reached(next, loc).After(now); next = s.slots.Next(next) {
			slot = next
		}
		if !slot.IsZero() {
			return slot
		}
	}
	return time.Time{}
}

// next is when the clock reaches the first slot behind slot; zero for never.
func (s *Schedule) next(slot time.Time, loc *time.Location) time.Time {
	next := s.slots.Next(s.earliest(slot))
	if next.IsZero() {
		return time.Time{}
	}
	return reached(next, loc)
}

// Following lists the next n times after a moment at which it is due, with the change of the clock
// included. A span of time counts from that moment. It is shorter where the expression is never due again.
func (s *Schedule) Following(after time.Time, loc *time.Location, n int) (all []time.Time) {
	if s.every > 0 {
		for i := range n {
			all = append(all, after.Add(time.Duration(i+1)*s.every))
		}
		return all
	}
	slot := wall(after, loc)
	for i := range 2 * n { // in autumn the clock reaches a slot once more than it is due
		if i > 0 {
			slot = s.earliest(slot)
		}
		if slot = s.slots.Next(slot); slot.IsZero() || len(all) == n {
			break
		}
		if at := reached(slot, loc); at.After(after) && (len(all) == 0 || at.After(all[len(all)-1])) {
			all = append(all, at)
		}
	}
	return all
}

// clocks lists the triggers that go by the clock, the most comprehensive first.
func clocks(c config.Settings) []Due {
	all := []Due{{Trigger: rules.Weekly, Schedule: c.Triggers.WeeklyCron()}}
	for _, name := range slices.Sorted(maps.Keys(c.Schedules)) {
		all = append(all, Named(c, name, c.Schedules[name]))
	}
	all = append(all, Due{Trigger: rules.Interval, Schedule: c.Triggers.IntervalCron()})
	slices.SortStableFunc(all, func(a, b Due) int { return rank(a) - rank(b) })
	return slices.DeleteFunc(all, func(d Due) bool { return d.Schedule == "" })
}

// Named is what a schedule of the settings makes due. One that may ask a model does one run, and passes over
// slots that come sooner than triggers.model_interval says.
func Named(c config.Settings, name string, s config.Schedule) Due {
	d := Due{Trigger: rules.Interval, Name: name, Schedule: s.Cron(), All: s.All, Scope: s.Scope}
	if d.Task() != Consolidate {
		d.All, d.Apart = false, c.Triggers.ModelInterval.Clock()
	}
	return d
}

// Clocks lists what becomes due by the clock: each with its schedule, and with a key that tells it
// from the others.
func Clocks(c config.Settings) []Due { return clocks(c) }

// Schedules lists the expressions by which something may become due.
func Schedules(c config.Settings) []string {
	var all []string
	for _, d := range clocks(c) {
		if _, err := ParseSchedule(d.Schedule); err == nil {
			all = append(all, d.Schedule)
		}
	}
	return all
}

func rank(d Due) int {
	switch {
	case d.Trigger == rules.Weekly:
		return 0
	case d.All && d.Scope == "":
		return 1
	case d.Scope == "":
		return 2
	}
	return 3
}

// Next is when a trigger fires next, or on what condition.
type Next struct {
	Due
	On string    // the schedule or the condition
	At time.Time // zero: when the condition holds
}

// Upcoming lists what fires when, the soonest first, conditions last. A run that
// is due now is among them with that time.
func Upcoming(c config.Settings, s State, f Facts, now time.Time, loc *time.Location) ([]Next, error) {
	due, s, err := Look(c, s, f, now, loc)
	if Held(c, f.Memories) != "" {
		return nil, err
	}
	var next []Next
	late := map[string]bool{}
	for _, d := range due {
		late[d.Key()] = true
		next = append(next, Next{d, d.Reason, latestOf(now, d.After)})
	}
	for _, d := range clocks(c) {
		schedule, bad := d.schedule()
		if bad != nil {
			continue
		}
		at := schedule.after(s.Clock[d.clock()], now, loc)
		if failed, ok := s.Failed[d.Key()]; ok && !late[d.Key()] {
			at = failed.Again
		}
		if at.IsZero() {
			continue
		}
		on := d.Schedule
		if d.Name != "" {
			on = d.Name + ": " + c.Schedules[d.Name].When
		}
		next = append(next, Next{d, on, at})
	}
	slices.SortStableFunc(next, func(a, b Next) int { return a.At.Compare(b.At) })
	t := c.Triggers
	next = append(next,
		Next{Due: Due{Trigger: rules.IndexOverflow}, On: fmt.Sprintf("an index with more than %d entries", t.IndexOverflow)},
		Next{Due: Due{Trigger: rules.SessionEnd}, On: fmt.Sprintf("a session that ends, or rests for %s", t.SessionIdle)},
	)
	if t.Threshold {
		next = append(next,
			Next{Due: Due{Trigger: rules.Threshold}, On: fmt.Sprintf("more than %d working memories", t.ThresholdWorking)},
			Next{Due: Due{Trigger: rules.Threshold}, On: fmt.Sprintf("%d messages in a session", t.ThresholdMessages)},
		)
	}
	return next, err
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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
	if latest := s.latest(now, loc); err != nil || latest.After(s.earliest(slot)) {
		slot = latest
	}
	return s.next(cmp.Or(slot, wall(now, loc)), loc)
}
