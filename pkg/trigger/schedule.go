package trigger

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
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

// Following is [Schedule.Following] of what it is due by; none where that is no schedule.
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
