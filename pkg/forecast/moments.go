package forecast

import (
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

const day = 24 * time.Hour

// moments are the seconds after now at which a condition of the rules on m begins to
// hold.
func (f *forecaster) moments(m *memory.Memory, now time.Time) (all []time.Time) {
	s := f.Settings
	arrival := rules.ArrivalOf(f.Snapshot, s.Archive, m)
	all = reached(all, now, s.Exclude.MinAge, rules.Born(f.Snapshot, s.Archive, m), false)
	for _, begun := range []time.Time{m.Born(), arrival} {
		all = reached(all, now, s.Archive.UnreadAfter, begun, false)
	}
	all = reached(all, now, s.Archive.ArrivalGrace(), arrival, false)
	all = reached(all, now, s.Archive.IdleAfter, arrival, true)
	all = reached(all, now, s.Archive.IdleAfter, m.LastAccessed, true)
	all = reached(all, now, s.Archive.IdleAfter, f.Restored[m.ID], true)
	all = reached(all, now, s.Archive.IdleAfter, f.LastGiven(m).At, true)
	if s.Archive.CountFrom == config.CountFromUse {
		for _, used := range []time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed, f.LastGiven(m).At, arrival} {
			all = reached(all, now, s.Archive.UnreadAfter, used, false)
			all = reached(all, now, s.Archive.IdleAfter, used, true)
		}
	}
	if m.Type == memory.Episodic {
		all = reached(all, now, s.Summarise.MinAge, m.CreatedAt, true)
	}
	switch l := s.Layers; {
	case l.Enabled && m.Type == memory.Working:
		all = reached(all, now, l.WorkingAge, m.Born(), true)
	case l.Enabled && m.Type == memory.Semantic:
		all = reached(all, now, l.SemanticAge, m.Born(), true)
	case l.Enabled && m.Type == memory.Episodic: // then it is no failure any more that counts
		all = reached(all, now, l.EpisodicWindow, m.Born(), false)
	}
	if ttl, _, err := rules.LifetimeOf(m, s); err == nil && ttl.HasSpan {
		all = reached(all, now, ttl.Span, m.CreatedAt, true)
	} else if err == nil && ttl.Until.After(now) {
		all = append(all, ttl.Until)
	}
	return all
}

// reached appends the seconds after now from which on from lies d or more back (more,
// if strictly). Mostly it is one; of calendar months there may be several, since a
// month before 31 March is the 3rd and a month before 1 April the 1st.
func reached(all []time.Time, now time.Time, d config.Duration, from time.Time, strictly bool) []time.Time {
	if from.IsZero() {
		return all
	}
	holds := func(t time.Time) bool {
		back := d.Before(t)
		return back.After(from) || back.Equal(from) && !strictly
	}
	add := func(t time.Time) {
		if t.After(now) && holds(t) && !holds(t.Add(-time.Second)) {
			all = append(all, t)
		}
	}
	// second is the first whole second at t or later, or after it.
	second := func(t time.Time) time.Time {
		whole := t.Truncate(time.Second)
		if whole.Before(t) || strictly {
			whole = whole.Add(time.Second)
		}
		return whole
	}
	near := from.UTC().Add(d.Clock())
	if !strings.HasPrefix(d.String(), "P") { // no months in it
		add(second(near))
		return all
	}
	// Within a day of the calendar, looking back by months moves as the time does.
	slack := 8*day + d.Clock()/1000
	for t := near.Add(-slack).Truncate(day); t.Before(near.Add(slack)); t = t.Add(day) {
		at := t
		if !holds(t) {
			at = second(t.Add(from.Sub(d.Before(t))))
		}
		if at.Before(t.Add(day)) {
			add(at)
		}
	}
	return all
}
