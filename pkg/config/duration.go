package config

import (
	"fmt"
	"strings"
	"time"
)

// A Duration is a span of time as people write it in settings and in the ttl of
// a memory; see [ParseDuration]. Months and years are those of the calendar, so
// a Duration has no length of its own until it is counted from a point in time.
//
// The zero Duration is no time at all. Durations may be compared with ==.
type Duration struct {
	months, days int
	clock        time.Duration // whole milliseconds
}

const (
	day = 24 * time.Hour
	// longest keeps every Duration well inside time.Duration (292 years).
	longest = 100 * 366 * day
)

// Before returns t minus d. Months go first, then days, each as
// [time.Time.AddDate] counts them in t's location, then the clock part. As with
// AddDate a day that a month doesn't have runs over: one month before 31 March
// is 3 March ("31 February"), or 2 March in a leap year.
func (d Duration) Before(t time.Time) time.Time {
	return t.AddDate(0, -d.months, -d.days).Add(-d.clock)
}

// Clock returns the length of d for a timer, where the calendar plays no part: a
// day is 24 hours, a month 30 days, a year 365 days.
func (d Duration) Clock() time.Duration {
	days := d.months/12*365 + d.months%12*30 + d.days
	return time.Duration(days)*day + d.clock
}

// String returns the shortest form that [ParseDuration] reads back as d: "7d",
// "1d12h", "100ms", "0s", or ISO 8601 where months are involved.
func (d Duration) String() string {
	var b strings.Builder
	part := func(n int64, unit string) {
		if n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit)
		}
	}
	ms := d.clock.Milliseconds()
	hours, minutes, seconds := ms/3_600_000, ms/60_000%60, ms/1000%60
	if d.months > 0 {
		b.WriteByte('P')
		part(int64(d.months/12), "Y")
		part(int64(d.months%12), "M")
		part(int64(d.days), "D")
		if ms > 0 {
			b.WriteByte('T')
			part(hours, "H")
			part(minutes, "M")
			if ms%1000 > 0 {
				fmt.Fprintf(&b, "%d.%03dS", seconds, ms%1000)
			} else {
				part(seconds, "S")
			}
		}
		return b.String()
	}
	part(int64(d.days), "d")
	part(hours, "h")
	part(minutes, "m")
	part(seconds, "s")
	part(ms%1000, "ms")
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}

// MarshalText returns the same as String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [ParseDuration] reads.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
