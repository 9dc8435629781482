package temporal

import "time"

// All intervals are built from calendar fields, never by adding hours, so that a
// day with a change of the clock is still one day.

func (p *parser) date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, p.ref.Location())
}

// day is the day n days after the reference's.
func (p *parser) day(n int) reading {
	y, m, d := p.ref.Date()
	return reading{p.date(y, m, d+n), p.date(y, m, d+n+1), grainDay, true}
}

// week is the Monday-to-Sunday week n weeks after the reference's.
func (p *parser) week(n int) reading {
	y, m, d := p.ref.Date()
	d += 7*n - sinceMonday(p.ref)
	return reading{p.date(y, m, d), p.date(y, m, d+7), grainWeek, true}
}

func (p *parser) weekend(n int) reading {
	w := p.week(n)
	y, m, d := w.from.Date()
	return reading{p.date(y, m, d+5), w.to, grainWeekend, true}
}

func (p *parser) month(n int) reading {
	y, m, _ := p.ref.Date()
	return reading{p.date(y, m+time.Month(n), 1), p.date(y, m+time.Month(n)+1, 1), grainMonth, true}
}

func (p *parser) quarterOf(n int) reading {
	y, m, _ := p.ref.Date()
	first := m - (m-1)%3 + time.Month(3*n)
	return reading{p.date(y, first, 1), p.date(y, first+3, 1), grainQuarter, true}
}

func (p *parser) year(n int) reading {
	y := p.ref.Year() + n
	return reading{p.date(y, 1, 1), p.date(y+1, 1, 1), grainYear, true}
}

// moment is the minute or hour that begins n units after the reference.
func (p *parser) moment(n int, unit time.Duration, grain string) reading {
	from := p.ref.Add(time.Duration(n) * unit).Truncate(time.Minute)
	return reading{from, from.Add(unit), grain, true}
}

// weekday is the nearest such day before (-1) or after (+1) the reference's day,
// or (0) the one in the reference's week.
func (p *parser) weekday(day time.Weekday, direction int) reading {
	delta := (int(day)+6)%7 - sinceMonday(p.ref)
	switch {
	case direction < 0 && delta >= 0:
		delta -= 7
	case direction > 0 && delta <= 0:
		delta += 7
	}
	return p.day(delta)
}

// namedMonth is the nearest such month before (-1) or after (+1) the reference's
// month, or (0) the one in the reference's year.
func (p *parser) namedMonth(month time.Month, direction int) reading {
	y, m, _ := p.ref.Date()
	switch {
	case direction < 0 && month >= m:
		y--
	case direction > 0 && month <= m:
		y++
	}
	return reading{p.date(y, month, 1), p.date(y, month+1, 1), grainMonth, true}
}

// shift is the unit that lies n units after the reference's.
func (p *parser) shift(unit string, n int) (reading, bool) {
	switch unit {
	case grainMinute:
		return p.moment(n, time.Minute, grainMinute), n > -maxMinutes && n < maxMinutes
	case grainHour:
		return p.moment(n, time.Hour, grainHour), n > -maxMinutes/60 && n < maxMinutes/60
	case grainDay:
		return p.day(n), true
	case grainWeek:
		return p.week(n), true
	case grainMonth:
		return p.month(n), true
	case grainQuarter:
		return p.quarterOf(n), true
	case grainYear:
		return p.year(n), true
	}
	return reading{}, false
}

// maxMinutes keeps a count of minutes within a time.Duration: a hundred years.
const maxMinutes = 100 * 366 * 24 * 60

// part narrows a day to a part of it.
func (p *parser) part(day reading, name string) reading {
	hours, ok := parts[name]
	if !ok || day.grain != grainDay {
		return day
	}
	y, m, d := day.from.Date()
	at := func(hour int) time.Time { return time.Date(y, m, d, hour, 0, 0, 0, p.ref.Location()) }
	return reading{at(hours[0]), at(hours[1]), grainDaypart, day.relative}
}

var parts = map[string][2]int{
	"morning": {0, 12}, "afternoon": {12, 18}, "evening": {18, 24}, "night": {18, 24},
}

func sinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

var units = map[string]string{
	"minute": grainMinute, "minutes": grainMinute, "hour": grainHour, "hours": grainHour,
	"day": grainDay, "days": grainDay, "week": grainWeek, "weeks": grainWeek, "month": grainMonth, "months": grainMonth,
	"quarter": grainQuarter, "quarters": grainQuarter, "year": grainYear, "years": grainYear,
}

var weekdays = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
}

// weekdayAbbreviations count only when capitalised: "sat" is a verb.
var weekdayAbbreviations = map[string]time.Weekday{
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
}

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12,
}

// monthAbbreviations count only when capitalised: "mar" and "dec" are words too.
var monthAbbreviations = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}
