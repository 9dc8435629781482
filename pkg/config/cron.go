package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// IntervalCron returns the interval trigger as a cron expression, "" when it is
// off: "5m" becomes "@every 5m0s", an expression stays as it is.
func (t Triggers) IntervalCron() string {
	if d, err := ParseDuration(t.Interval); err == nil {
		return "@every " + d.Clock().String()
	}
	return t.Interval
}

// cronFields are the five fields of a cron expression with their bounds.
var cronFields = []struct {
	name   string
	lo, hi int
}{{"minute", 0, 59}, {"hour", 0, 23}, {"day of the month", 1, 31}, {"month", 1, 12}, {"day of the week", 0, 6}}

// weekField is the last of them.
const weekField = 4

// everywhere are the forms of a field that every cron parser understands alike: numbers,
// names, *, ranges, lists and steps.
var everywhere = lazyregexp.New(`^(?i)((\*|(\d\d?|[a-z]{3})(-(\d\d?|[a-z]{3}))?)(/\d\d?)?(,|$))+$`)

// cronField reports whether text may be a field of a cron expression.
func cronField(i int, text string) bool {
	for part := range strings.SplitSeq(text, ",") {
		_, step, _ := strings.Cut(part, "/")
		if n, err := strconv.Atoi(step); err == nil && n > cronFields[i].hi {
			return false // the parser would take it for "once"
		}
	}
	fields := slices.Repeat([]string{"*"}, len(cronFields))
	fields[i] = text
	_, err := cron.ParseStandard(strings.Join(fields, " "))
	return err == nil && everywhere.MatchString(text) && !strings.HasSuffix(text, ",")
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
	for i, text := range fields {
		if cronField(i, text) {
			continue
		}
		f, hint := cronFields[i], ""
		if i == weekField && strings.Contains(text, "7") {
			hint = ", where Sunday is 0"
		}
		return fmt.Errorf("the %s %q is not understood: write *, numbers from %d to %d%s, ranges such as 1-5 or steps such as */2",
			f.name, shorten(text), f.lo, f.hi, hint)
	}
	schedule, err := cron.ParseStandard(strings.Join(fields, " "))
	if err != nil {
		return err
	}
	if schedule.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() { // 2024 has a 29 February
		return errors.New("no month named has such a day, so it would never run")
	}
	return nil
}
