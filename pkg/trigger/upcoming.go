package trigger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Next is when a trigger fires next, or on what condition.
type Next struct {
	Due
	On string    // the schedule or the condition
	At time.Time // zero: when the condition holds
}

// Upcoming tells what fires when, the soonest first, conditions last. A run that
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
