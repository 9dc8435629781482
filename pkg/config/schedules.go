package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/robfig/cron/v3"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// Schedule is a further time at which to consolidate.
type Schedule struct {
	When  string // cron expression, duration, or days with a time of day ("sun 03:00")
	All   bool   // run after run until nothing is left to do, instead of one run
	Scope string // only memories of this scope ("agent:DEV-001"); "" = all
}

// Cron returns When as a cron expression: "5m" becomes "@every 5m0s", "sun 03:00"
// becomes "0 3 * * sun", an expression stays as it is.
func (s Schedule) Cron() string {
	cron, _ := cronOf(s.When)
	return cron
}

// schedulePrefix begins the keys of the schedules.
const schedulePrefix = "schedules."

// scheduleForms ends a sentence that begins with "write".
const scheduleForms = `a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"`

// cronOf reads the three ways of saying when. The advice is what to write instead.
func cronOf(when string) (cron, advice string) {
	if days, clock, ok := strings.Cut(when, " "); ok && strings.Contains(clock, ":") {
		return cronOfDays(days, strings.TrimSpace(clock))
	}
	if !strings.ContainsAny(when, " *@") {
		if d, err := ParseDuration(when); err == nil && d.Clock() >= time.Minute {
			return "@every " + d.Clock().String(), ""
		}
		return "", "write " + scheduleForms
	}
	if err := checkCron(when); err != nil && len(strings.Fields(when)) != len(cronFields) {
		return "", "write " + scheduleForms
	} else if err != nil {
		return "", err.Error()
	}
	return when, ""
}

// cronOfDays reads days of the week, or "daily", and a time of day.
func cronOfDays(days, clock string) (cron, advice string) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return "", fmt.Sprintf("the time of day %q is not understood: write it from 00:00 to 23:59", shorten(clock))
	}
	days = strings.ToLower(days)
	switch {
	case days == "daily":
		days = "*"
	case !cronField(weekField, days) || strings.ContainsAny(days, "*/"):
		return "", fmt.Sprintf("the days %q are not understood: write daily, days such as sun or mon,thu, or a range such as mon-fri", shorten(days))
	}
	return fmt.Sprintf("%d %d * * %s", at.Minute(), at.Hour(), days), ""
}

// checkSchedule reads a schedule as the TOML decoder gives it: a text that says
// when, or a table. The problem is "", or what is wrong with it, in which field of
// the table.
func checkSchedule(name string, v any) (s Schedule, field, problem string) {
	key := schedulePrefix + plain(name)
	if name == "" || name != strings.TrimSpace(name) || utf8.RuneCountInString(name) > 64 || strings.ContainsFunc(name, unicode.IsControl) {
		return s, "", fmt.Sprintf("%s is not a schedule name: write one of up to 64 characters, without a blank at its ends", quoted(name))
	}
	fields, isTable := v.(map[string]any)
	if !isTable {
		fields = map[string]any{"when": v}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		v, at, advice := fields[field], key, ""
		if isTable {
			at += "." + plain(field)
		}
		ok := true
		switch field {
		case "when":
			if s.When, ok = v.(string); !ok {
				advice = "write " + scheduleForms
			} else {
				_, advice = cronOf(s.When)
			}
		case "all":
			advice = toggle(&s.All).set(v)
		case "scope":
			if s.Scope, ok = v.(string); !ok || !isScope(s.Scope) {
				advice = "write " + scopeForms
			}
		default:
			return s, field, at + " is unknown: a schedule has when, all and scope"
		}
		if advice != "" {
			return s, field, fmt.Sprintf("%s is %s: %s", at, show(v), advice)
		}
	}
	if _, ok := fields["when"]; !ok {
		return s, "", fmt.Sprintf("%s doesn't say when: write when = %s", key, scheduleForms)
	}
	return s, "", ""
}

const scopeForms = `"global", or a kind with a name such as "agent:DEV-001", "team:qa" or "project:web"`

func isScope(text string) bool {
	kind, name, _ := strings.Cut(text, ":")
	switch kind {
	case "global":
		return text == kind
	case "team", "agent", "project", "session":
		return strings.TrimSpace(name) != ""
	}
	return false
}

// schedule reads an entry of [schedules].
func (f *file) schedule(name string, n *tomledit.Node) {
	s, field, problem := checkSchedule(name, n.Value)
	f.checked(schedulePrefix+name, n, s, field, problem)
}

// overrideSchedule takes what text prints.
func (set assignments) overrideSchedule(name, text, origin string) error {
	var v any = text
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		var doc map[string]any
		if err := tomledit.Decode([]byte("schedule = "+text), &doc); err != nil || len(doc) != 1 {
			return fmt.Errorf("%s: %s is %s: write %s", origin, schedulePrefix+plain(name), quoted(text), scheduleForms)
		}
		v = doc["schedule"]
	}
	s, _, problem := checkSchedule(name, v)
	if problem != "" {
		return fmt.Errorf("%s: %s", origin, problem)
	}
	set[schedulePrefix+name] = assignment{s, origin}
	return nil
}

// text writes a schedule as Override takes it: when, or a table if there is more
// to say.
func (s Schedule) text() string {
	if !s.All && s.Scope == "" {
		return s.When
	}
	text := "{when = " + tomledit.Quote(s.When)
	if s.All {
		text += ", all = true"
	}
	if s.Scope != "" {
		text += ", scope = " + tomledit.Quote(s.Scope)
	}
	return text + "}"
}

// WeeklyCron returns the weekly trigger as [Schedule.Cron] has it, "" when it is off.
func (t Triggers) WeeklyCron() string { return Schedule{When: t.Weekly}.Cron() }

// IntervalCron is the same of the interval trigger.
func (t Triggers) IntervalCron() string { return Schedule{When: t.Interval}.Cron() }

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
		return errors.New("write " + scheduleForms)
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

// LocalZone is the time zone of the machine, as a setting.
const LocalZone = "local"

// Zone returns the time zone that schedules are read in; local is that of the
// machine. It fails only for settings that Parse has not seen.
func (t Triggers) Zone(local *time.Location) (*time.Location, error) {
	if t.Timezone == LocalZone {
		return local, nil
	}
	if zone, ok := zones.Load(t.Timezone); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(t.Timezone)
	if err == nil {
		zones.Store(t.Timezone, zone)
	}
	return zone, err
}

var zones sync.Map // *time.Location by name: the names of settings, which are few

// Days returns the time zone in which days are counted and written: that of the setting, or of
// the machine; UTC for a name that Parse has not seen and nobody knows.
func (t Triggers) Days() *time.Location {
	zone, err := t.Zone(time.Local)
	if err != nil {
		return time.UTC
	}
	return zone
}

// timezone is a name of the IANA database, or LocalZone. Its rules are
// those of the machine's copy of the database, else of the program's own.
func timezone(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if strings.EqualFold(s, LocalZone) {
			return LocalZone, ""
		}
		// "" would be UTC, and a file of any name be tried.
		if s == "" || strings.ContainsFunc(s, notInZone) {
			return "", zoneForms
		}
		if _, err := time.LoadLocation(s); err != nil {
			return "", zoneForms
		}
		return s, ""
	}}
}

const zoneForms = `write a name of the time zone database such as "Europe/Berlin", "UTC", or "local" for the machine's`

func notInZone(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/_+-", r))
}
