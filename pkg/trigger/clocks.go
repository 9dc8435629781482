package trigger

import (
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
)

// clocks lists the triggers that go by the clock, the most comprehensive first.
func clocks(c config.Settings) []Due {
	all := []Due{{Trigger: rules.Weekly, Schedule: c.Triggers.Weekly}}
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
