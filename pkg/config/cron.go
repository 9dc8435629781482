package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// IntervalCron returns the interval trigger as a cron expression, "" when it is
// off: "5m" becomes "@every 5m0s", an expression stays as it is.
func (t Triggers) IntervalCron() string {
	if d, err := ParseDuration(t.Interval); err == nil {
		return "@every " + d.Clock().String()
	}
	return t.Interval
}

// A cronField is one of the five places of a cron expression.
type cronField struct {
	name   string
	lo, hi int
	names  string // three letters each, the first stands for lo
}

var cronFields = []cronField{
	{"minute", 0, 59, ""},
	{"hour", 0, 23, ""},
	{"day of the month", 1, 31, ""},
	{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
	{"day of the week", 0, 6, "sunmontuewedthufrisat"},
}

// checkCron accepts the expressions that every cron parser understands alike:
// five fields with numbers, names, *, ranges, lists and steps, or @hourly,
// @daily, @weekly, @monthly, @yearly. The error says what to write instead.
func checkCron(expression string) error {
	switch expression {
	case "@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually":
		return nil
	}
	fields := strings.Fields(expression)
	if len(fields) != len(cronFields) {
		return errors.New(`write the five fields of cron, such as "0 2 * * *" for every day at 02:00, or "" for never`)
	}
	var sets [5]uint64
	for i, text := range fields {
		set, ok := cronFields[i].parse(text)
		if !ok {
			f := cronFields[i]
			hint := ""
			if f.name == "day of the week" && strings.Contains(text, "7") {
				hint = ", where Sunday is 0"
			}
			return fmt.Errorf("the %s %q is not understood: write *, numbers from %d to %d%s, ranges such as 1-5 or steps such as */2",
				f.name, shorten(text), f.lo, f.hi, hint)
		}
		sets[i] = set
	}
	if fields[4] == "*" && !anyDate(sets[2], sets[3]) {
		return errors.New("no month named has such a day, so it would never run")
	}
	return nil
}

// parse returns the numbers that text stands for, as bits.
func (f cronField) parse(text string) (set uint64, ok bool) {
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		bounds, stepText, hasStep := strings.Cut(part, "/")
		lo, hi := f.lo, f.hi
		if bounds != "*" {
			from, to, isRange := strings.Cut(bounds, "-")
			if lo, ok = f.number(from); !ok {
				return 0, false
			}
			if isRange {
				if hi, ok = f.number(to); !ok || hi < lo {
					return 0, false
				}
			} else if !hasStep {
				hi = lo
			}
		}
		step := 1
		if hasStep {
			var err error
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > f.hi {
				return 0, false
			}
		}
		for n := lo; n <= hi; n += step {
			set |= 1 << n
		}
	}
	return set, true
}

func (f cronField) number(text string) (n int, ok bool) {
	if i := strings.Index(f.names, text); len(text) == 3 && i >= 0 && i%3 == 0 {
		return f.lo + i/3, true
	}
	if text == "" || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.lo && n <= f.hi
}

// anyDate tells whether any of the months has any of the days.
func anyDate(days, months uint64) bool {
	for m := time.January; m <= time.December; m++ {
		last := time.Date(2024, m+1, 0, 0, 0, 0, 0, time.UTC).Day() // 2024 has a 29 February
		if months>>m&1 == 1 && days&(1<<(last+1)-1) != 0 {
			return true
		}
	}
	return false
}
