package temporal

import "time"

// All intervals are built from calendar fields, never by adding hours, so that a
// day with a change of the clock is still one day.

// calendar counts from the moment of reference, in its location.
type calendar struct{ ref time.Time }

func (c calendar) date(y int, m time.Month, d int) time.Time {
	return time.Date(y, m, d, 0, 0, 0, 0, c.ref.Location())
}

// span is the interval of n units of the calendar that begins k units after
// the one that holds t.
func (c calendar) span(u unit, t time.Time, k, n int) (from, to time.Time) {
	y, m, d := t.Date()
	switch u {
	case second, minute, hour:
		step := clockUnits[u]
		from = t.Add(time.Duration(k) * step).Truncate(min(step, time.Minute))
		return from, from.Add(time.Duration(n) * max(step, time.Minute))
	case day:
		return c.date(y, m, d+k), c.date(y, m, d+k+n)
	case week, fortnight:
		if u == fortnight {
			k, n = 2*k, 2*n
		}
		d -= int(t.Weekday()+6) % 7
		return c.date(y, m, d+7*k), c.date(y, m, d+7*(k+n))
	case month:
		return c.date(y, m+time.Month(k), 1), c.date(y, m+time.Month(k+n), 1)
	case quarter:
		m -= (m - 1) % 3
		return c.date(y, m+time.Month(3*k), 1), c.date(y, m+time.Month(3*(k+n)), 1)
	}
	size := map[unit]int{year: 1, decade: 10, century: 100}[u]
	y -= y % size
	return c.date(y+size*k, 1, 1), c.date(y+size*(k+n), 1, 1)
}

var clockUnits = [...]time.Duration{second: time.Second, minute: time.Minute, hour: time.Hour}

var grains = [...]string{second: GrainMinute, minute: GrainMinute, hour: GrainHour, day: GrainDay, week: GrainWeek,
	fortnight: GrainWeek, month: GrainMonth, quarter: GrainQuarter, year: GrainYear, decade: GrainDecade, century: GrainCentury}

// unitFrom is the unit that lies k units after the one that holds t.
func (c calendar) unitFrom(u unit, t time.Time, k int) when {
	from, to := c.span(u, t, k, 1)
	return when{from: from, to: to, grain: grains[u]}
}

// around is the unit that lies k units after the one of the reference.
func (c calendar) around(u unit, k int) when {
	w := c.unitFrom(u, c.ref, k)
	w.relative = true
	return w
}

// weekend is the Saturday and Sunday of the week k weeks after that of t.
func (c calendar) weekend(t time.Time, k int) when {
	_, to := c.span(week, t, k, 1)
	y, m, d := to.Date()
	return when{from: c.date(y, m, d-2), to: to, grain: GrainWeekend, relative: true}
}

// season is the season that begins in the month first of a year: three months
// of the meteorological calendar of the northern hemisphere.
func (c calendar) season(y, first int) when {
	return when{from: c.date(y, time.Month(first), 1), to: c.date(y, time.Month(first)+3, 1), grain: GrainSeason}
}

// exact is a day of the calendar; empty and without grain if there is no such day.
func (c calendar) exact(y int, m time.Month, d int) when {
	if from := c.date(y, m, d); from.Month() == m && d > 0 {
		return when{from: from, to: c.date(y, m, d+1), grain: GrainDay}
	}
	return when{}
}

// daypart is a named part of a day, in hours.
type daypart struct {
	name     string
	from, to int
}

var dayparts = []daypart{
	{"morning", 0, 12}, {"afternoon", 12, 18}, {"evening", 18, 24}, {"night", 18, 24}, {"nite", 18, 24},
	{"lunchtime", 12, 14},
}

// narrow is the part of a day.
func (c calendar) narrow(w when, name string) when {
	if w.grain != GrainDay {
		return w
	}
	for _, part := range dayparts {
		if part.name == name {
			day := w.from
			w.from, w.to, w.grain = c.hour(day, 60*part.from), c.hour(day, 60*part.to), GrainDaypart
			break
		}
	}
	return w
}

// hour is the moment that many minutes after midnight by the clock on the wall.
func (c calendar) hour(day time.Time, minutes int) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, minutes/60, minutes%60, 0, 0, c.ref.Location())
}
