package config

import (
	"errors"
	"fmt"
	"strconv"
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

// After returns t plus d, by the calendar, too.
func (d Duration) After(t time.Time) time.Time {
	return t.AddDate(0, d.months, d.days).Add(d.clock)
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

// ParseDuration reads a duration in one of two notations.
//
// Short: numbers with a unit, the larger unit first, each at most once: w
// (weeks), d (days), h, m (minutes), s, ms; "7d", "2w", "1d12h", "90m", "100ms".
//
// ISO 8601: "P7D", "PT4H", "P1M" (a calendar month), "P1Y6M", "P2W". The units are
// upper case.
//
// Hours and smaller units may have a fraction ("1.5h", "PT0.5S") that comes to
// whole milliseconds. Negative durations, a number without a unit and more than
// 100 years are errors; the error quotes s and says what to write.
func ParseDuration(s string) (Duration, error) { return ParseDurationIn(Days, s) }

// A Unit is one in which durations of a kind are usually written.
type Unit string

const (
	Days    Unit = "d"
	Hours   Unit = "h"
	Minutes Unit = "m"
	Seconds Unit = "s"
	Millis  Unit = "ms"
)

var unitNames = map[Unit]string{Days: "days", Hours: "hours", Minutes: "minutes", Seconds: "seconds", Millis: "milliseconds"}

// usualUnit is the unit of what is usually as long as d. What is usually no time at all may be minutes.
func usualUnit(d Duration) Unit {
	switch length := d.Clock(); {
	case length >= day:
		return Days
	case length >= time.Hour:
		return Hours
	case length >= time.Minute || length == 0:
		return Minutes
	case length >= time.Second:
		return Seconds
	}
	return Millis
}

// ParseDurationIn is [ParseDuration] of what is usually written in a unit: the error about a number without one says so.
func ParseDurationIn(usual Unit, s string) (Duration, error) {
	d, fault := readDuration(usual, s)
	if fault != nil {
		return Duration{}, fmt.Errorf("%s %s: %s", quoted(s), fault.what, fault.advice)
	}
	return d, nil
}

// A fault is what is wrong with the text of a duration, and what to write.
type fault struct{ what, advice string }

// durationForms ends a sentence that begins with "write a duration".
const durationForms = `such as "7d", "2w", "12h", "90m", "30s", "100ms", or "P1M" for a calendar month`

var (
	notDuration = &fault{"is not a duration", "write a duration " + durationForms}
	tooLong     = &fault{"is too long", "a duration is at most 100 years"}
	notClock    = &fault{"has a fraction", "only h, m, s and ms may have one"}
	tooFine     = &fault{"is too fine", "a duration is a whole number of milliseconds"}
)

// readDuration is parseDuration with advice for the commonest slips.
func readDuration(usual Unit, s string) (Duration, *fault) {
	d, wrong := parseDuration(s)
	if wrong != notDuration {
		return d, wrong
	}
	for _, other := range []string{strings.ToLower(s), strings.ToUpper(s)} {
		if _, wrong := parseDuration(other); wrong == nil {
			return Duration{}, &fault{notDuration.what, fmt.Sprintf("write %q", other)}
		}
	}
	if _, err := strconv.ParseUint(s, 10, 32); err == nil {
		return Duration{}, &fault{"has no unit", fmt.Sprintf("write %q for %s", s+string(usual), unitNames[usual])}
	}
	return Duration{}, notDuration
}

// A unit is a number of months, of days, or a clock time.
type unit struct {
	name         string
	months, days int
	clock        time.Duration
}

var (
	shortUnits = []unit{
		{name: "w", days: 7}, {name: "d", days: 1},
		{name: "h", clock: time.Hour}, {name: "m", clock: time.Minute},
		{name: "s", clock: time.Second}, {name: "ms", clock: time.Millisecond},
	}
	isoDateUnits = []unit{{name: "Y", months: 12}, {name: "M", months: 1}, {name: "W", days: 7}, {name: "D", days: 1}}
	isoTimeUnits = []unit{{name: "H", clock: time.Hour}, {name: "M", clock: time.Minute}, {name: "S", clock: time.Second}}
)

func parseDuration(s string) (d Duration, wrong *fault) {
	iso, isISO := strings.CutPrefix(s, "P")
	if !isISO {
		wrong = d.add(s, shortUnits)
		return d, wrong
	}
	date, clock, hasClock := strings.Cut(iso, "T")
	if date != "" || !hasClock {
		wrong = d.add(date, isoDateUnits)
	}
	if hasClock && wrong == nil {
		wrong = d.add(strings.ReplaceAll(clock, ",", "."), isoTimeUnits)
	}
	return d, wrong
}

// add adds the amounts in s, which must come in the order of units.
func (d *Duration) add(s string, units []unit) *fault {
	if s == "" {
		return notDuration
	}
	for s != "" {
		number := s[:prefixLen(s, "0123456789.")]
		s = s[len(number):]
		end := strings.IndexAny(s, "0123456789.")
		if end < 0 {
			end = len(s)
		}
		i := indexUnit(units, s[:end])
		if i < 0 {
			return notDuration
		}
		if wrong := d.addAmount(number, units[i]); wrong != nil {
			return wrong
		}
		units, s = units[i+1:], s[end:]
	}
	return nil
}

func (d *Duration) addAmount(number string, u unit) *fault {
	whole, fraction, hasFraction := strings.Cut(number, ".")
	n, err := strconv.ParseUint(whole, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return tooLong
	case err != nil || hasFraction && !isDigits(fraction):
		return notDuration
	case hasFraction && u.clock == 0:
		return notClock
	case len(fraction) > 9:
		return tooFine
	}
	one := Duration{u.months, u.days, u.clock}.Clock()
	if n > uint64(longest/one) {
		return tooLong
	}
	d.months += int(n) * u.months
	d.days += int(n) * u.days
	d.clock += time.Duration(n) * u.clock
	if hasFraction {
		f, err := strconv.ParseInt(fraction, 10, 64)
		if err != nil { // digits, few enough
			return notDuration
		}
		scale := int64(1)
		for range fraction {
			scale *= 10
		}
		ms := f * u.clock.Milliseconds()
		if ms%scale != 0 {
			return tooFine
		}
		d.clock += time.Duration(ms/scale) * time.Millisecond
	}
	if d.Clock() > longest {
		return tooLong
	}
	return nil
}

func isDigits(s string) bool { return s != "" && prefixLen(s, "0123456789") == len(s) }

func indexUnit(units []unit, name string) int {
	for i, u := range units {
		if u.name == name {
			return i
		}
	}
	return -1
}

func prefixLen(s, chars string) int {
	return len(s) - len(strings.TrimLeft(s, chars))
}
