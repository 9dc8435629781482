package rules

import (
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
)

const day = 24 * time.Hour

// moment is a time at which a condition begins to hold: when from lies span or more back, or more than
// that; or at a time that is known.
type moment struct {
	span config.Duration
	from time.Time // zero: never
	more bool      // more than span
	at   time.Time
}

// seconds appends the seconds after now of some moments.
func seconds(all []time.Time, now time.Time, of []moment) []time.Time {
	for _, m := range of {
		if m.at.After(now) {
			all = append(all, m.at)
		}
		all = reached(all, now, m.span, m.from, m.more)
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
