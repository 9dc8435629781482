package similarity

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// date is what a text says about a point in time; what it leaves open is zero.
type date struct {
	year, month, day int
	weekday          string
	clock            string // hours[:minutes[:seconds]] as written, or of 24 hours when known
	known            bool   // the half of the day is known: the clock has 24 hours
	other            string // a form whose order of day and month is not known, a day relative to now, a frequency
}

func (d date) key() string {
	var room [64]byte
	key := append(room[:0], "date"...)
	for _, n := range [...]int{d.year, d.month, d.day} {
		key = strconv.AppendInt(append(key, '-'), int64(n), 10)
	}
	return string(append(append(append(key, d.weekday...), d.clock...), d.other...))
}

// parts lists what is known of year, month and day.
func (d date) parts() []int {
	return slices.DeleteFunc([]int{d.year, d.month, d.day}, func(part int) bool { return part == 0 })
}

// sameDate reports whether two dates can mean the same: they say something in common, and agree wherever both speak.
func sameDate(a, b date) bool {
	shared := false
	agree := func(both, equal bool) bool {
		shared = shared || both
		return !both || equal
	}
	return agree(a.year != 0 && b.year != 0, a.year == b.year) &&
		agree(a.month != 0 && b.month != 0, a.month == b.month) &&
		agree(a.day != 0 && b.day != 0, a.day == b.day) &&
		agree(a.weekday != "" && b.weekday != "", a.weekday == b.weekday) &&
		agree(a.clock != "" && b.clock != "", sameClock(a, b)) &&
		agree(a.other != "" && b.other != "", a.other == b.other) && shared && !crossed(a, b) && !crossed(b, a)
}

// crossed reports whether the one date has a day and leaves the year open, and the other the reverse: what stands beside the month is
// another number in each.
func crossed(a, b date) bool { return a.day != 0 && a.year == 0 && b.day == 0 && b.year != 0 }

// sameClock compares two times of day; one up to 12 that leaves the half of the day open can be either.
func sameClock(a, b date) bool {
	if a.clock == b.clock {
		return true
	}
	if a.known == b.known {
		return false
	}
	if a.known {
		a, b = b, a
	}
	return a.halfDay("am").clock == b.clock || a.halfDay("pm").clock == b.clock
}

// halfDay is the date with its time of day in 24 hours, "am" or "pm" being said of it.
func (d date) halfDay(half string) date {
	hours, rest, _ := strings.Cut(d.clock, ":")
	h := atoi(hours)
	if d.known || h < 1 || h > 12 {
		return d
	}
	h %= 12
	if half == "pm" {
		h += 12
	}
	if d.clock = strconv.Itoa(h); rest != "" {
		d.clock += ":" + rest
	}
	d.known = true
	return d
}

// inDate reports whether a bare number is one of the parts of a date.
func inDate(n *token, d date) bool {
	v := atoi(n.num)
	return v != 0 && (v == d.year || v == d.month || v == d.day)
}

var (
	months = sync.OnceValue(func() map[string]int {
		return calendar("january february march april may june july august september october november december",
			"jan feb mar apr may jun jul aug sep oct nov dec", "sept", 9)
	})
	weekdays = sync.OnceValue(func() map[string]int {
		return calendar("monday tuesday wednesday thursday friday saturday sunday", "mon tue wed thu fri sat sun", "tues", 2)
	})
	relative = text.NewSet("today yesterday tomorrow tonight hourly daily nightly weekly fortnightly biweekly monthly quarterly yearly annually")
	seasons  = text.NewSet("spring summer autumn winter")
	// alsoWords are names of the calendar that are ordinary words too, and count only with a capital.
	alsoWords = text.NewSet("may march mar sun sat wed mon dec jan")
)

func calendar(long, short, extra string, extraValue int) map[string]int {
	m := map[string]int{extra: extraValue}
	for _, names := range []string{long, short} {
		for i, n := range strings.Fields(names) {
			m[n] = i + 1
		}
	}
	return m
}

// combineAll makes one token of those that state one fact together: twenty-five, 5 million, 5 ms, 12 March 2026.
func combineAll(tokens []token) []token {
	n := 0
	for i := range tokens {
		if n > 0 && tokens[n-1].combines() && combine(&tokens[n-1], &tokens[i]) {
			continue
		}
		if n < i {
			tokens[n] = tokens[i]
		}
		n++
	}
	out := tokens[:n]
	for i := range out {
		if out[i].kind == kindNumber || out[i].lists&isCalendar != 0 {
			calendarWord(&out[i])
		}
	}
	return out
}

// combines reports whether the token may be one with what follows.
func (t *token) combines() bool {
	return t.kind == kindNumber || t.kind == kindDate || t.lists&isMonth != 0
}

// combine extends prev by t when both state one fact.
func combine(prev, t *token) bool {
	comma := t.gap == gapClause
	if t.gap == gapSentence || comma && !(prev.kind == kindDate || prev.lists&isMonth != 0) {
		return false
	}
	ok := false
	switch {
	case prev.kind == kindNumber && t.kind == kindNumber:
		ok = compound(prev, t) || measure(prev, t)
	case prev.kind == kindNumber && t.kind != kindDate && t.lists&isMonth != 0:
		ok = prev.day() > 0 && !(t.lists&isAlsoWord != 0 && !t.capital)
		if ok {
			prev.setDate(date{month: months()[t.key], day: prev.day()})
		}
	case prev.kind == kindNumber:
		ok = measure(prev, t)
	case prev.kind == kindWord && t.kind == kindNumber && prev.lists&isMonth != 0:
		m := months()[prev.key]
		d := date{month: m, day: t.day()}
		if d.day == 0 {
			d.year = t.year()
		}
		ok = !(prev.lists&isAlsoWord != 0 && !prev.capital) && (d.day > 0 && !comma || d.year > 0)
		if ok {
			prev.setDate(d)
		}
	case prev.kind == kindDate && prev.date.year == 0 && prev.date.month > 0 && t.kind == kindNumber && t.year() > 0:
		d := *prev.date
		d.year = t.year()
		prev.setDate(d)
		ok = true
	case prev.kind == kindDate && prev.date.clock != "" && (t.key == "am" || t.key == "pm") && !comma:
		prev.setDate(prev.date.halfDay(t.key))
		ok = true
	}
	if ok {
		prev.end = t.end
	}
	return ok
}

// compound adds a digit word to tens, and tens to hundreds: two hundred twenty-five.
func compound(prev, t *token) bool {
	high, low := atoi(prev.num), atoi(t.num)
	tens := high < 1000 && 20 <= high%100 && high%10 == 0 && low < 10
	hundreds := 100 <= high && high < 1000 && high%100 == 0 && low < 100
	if !(tens || hundreds) || low == 0 || prev.unit != "" || !prev.spelt || !t.spelt {
		return false
	}
	prev.setNumber(strconv.Itoa(high+low), t.unit)
	return true
}

// maxDigits is where magnitudes stop being multiplied in: million million million … is no number.
const maxDigits = 40

// measure gives a number its magnitude or unit.
func measure(prev, t *token) bool {
	if t.lists&isMeasure == 0 && !t.spelt {
		return false
	}
	key := t.key
	if t.spelt && key == numberKey("2", ordinal) {
		key = "second"
	}
	if p, ok := magnitudes[key]; ok && prev.unit != ordinal && len(prev.num) < maxDigits {
		prev.setNumber(shift(prev.num, p), prev.unit)
		prev.spelt = true
	} else if u, ok := units()[key]; ok && prev.unit == "" {
		prev.setNumber(prev.num, u.name)
	} else {
		return false
	}
	return true
}

// calendarWord makes a date of the bare name of a month or weekday, of words like yesterday, and of a full hour like 5 pm.
func calendarWord(t *token) {
	if t.kind == kindNumber && (t.unit == "am" || t.unit == "pm") {
		if d := (date{clock: t.num}).halfDay(t.unit); d.known {
			t.setDate(d)
		}
		return
	}
	if t.kind != kindWord || t.lists&isCalendar == 0 || t.lists&isAlsoWord != 0 && !(t.capital && t.gap != gapSentence) {
		return
	}
	switch {
	case months()[t.key] > 0:
		t.setDate(date{month: months()[t.key]})
	case weekdays()[t.key] > 0:
		t.setDate(date{weekday: strconv.Itoa(weekdays()[t.key])})
	case relative.Has(t.key), seasons.Has(t.key) && !t.capital:
		t.setDate(date{other: t.key})
	}
}

func (t *token) setDate(d date) {
	t.kind, t.value, t.lists = kindDate, valueOf(d), 0
	t.setKey(d.key())
}

func valueOf(d date) *value {
	both := &struct {
		value
		day date
	}{day: d}
	both.date = &both.day
	return &both.value
}

func (t *token) setNumber(num, unit string) {
	t.value, t.lists = &value{num: num, unit: unit}, 0
	t.setKey(numberKey(num, unit))
}

// digits reports whether a number was written in digits.
func (t *token) digits() bool { return len(t.num) == t.end-t.start }

// day is the value of a number that stands for a day beside a month, else 0. Calendars are not checked: a wrong day is a day.
func (t *token) day() int {
	if n := atoi(t.num); n < 100 && (t.unit == "" || t.unit == ordinal) {
		return n
	}
	return 0
}

// year is the value of a number that can be a year, else 0.
func (t *token) year() int {
	if n := atoi(t.num); 1900 <= n && n < 2100 && t.unit == "" {
		return n
	}
	return 0
}
