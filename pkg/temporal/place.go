package temporal

import "time"

// settle finds the interval of a reading whose context decides it, and sets the
// time of day on it.
func (p *parser) settle(w when, i, n int) when {
	if w.grain == "" && w.day+w.month+w.year+w.weekday > 0 {
		d := silent
		if w.year == 0 {
			d = p.direction(i, i+n)
		}
		w = p.place(w, d)
	}
	return p.timed(w)
}

// timed sets the time of day on the day of a reading; on the reference's, if it
// names none.
func (p *parser) timed(w when) when {
	switch {
	case w.clock.set && w.grain == "" && w.day+w.month+w.year+w.weekday == 0:
		today := p.around(day, 0)
		return p.on(w.in(today), w.clock)
	case w.clock.set && w.grain == GrainDay:
		return p.on(w, w.clock)
	case w.clock.part != "" && !w.clock.set:
		return p.narrow(w, w.clock.part)
	}
	return w
}

// place puts a date of which only some fields are said on the calendar.
func (p *parser) place(w when, d cue) when {
	y, m, _ := p.ref.Date()
	on := func(year, month int) when {
		if w.day > 0 {
			return p.exact(year, time.Month(month), w.day)
		}
		return p.unitFrom(monthOrYear(month), p.date(year, time.Month(max(month, 1)), 1), 0)
	}
	switch {
	case w.year > 0:
		return w.in(on(w.year, w.month))
	case w.month > 0:
		return w.in(p.nearest(w, d, func(k int) when { return on(y+k, w.month) })).likely()
	case w.day > 0:
		w.relative = true
		return w.in(p.nearest(w, d, func(k int) when {
			first := p.date(y, m+time.Month(k), 1)
			return on(first.Year(), int(first.Month()))
		})).likely()
	case w.weekday > 0:
		w.relative = true
		return w.in(p.weekdayNear(w.weekday, d)).likely()
	}
	return w
}

func monthOrYear(m int) unit {
	if m > 0 {
		return month
	}
	return year
}

// in takes the interval of r.
func (w when) in(r when) when {
	w.from, w.to, w.grain = r.from, r.to, r.grain
	return w
}

// nearest picks among the candidates at(k), k units from the reference, the
// nearest one in the given direction, the one that holds the reference
// included; without a direction the nearest of all. A weekday that was said too
// must fit, if it fits any of those around the reference.
func (p *parser) nearest(w when, d cue, at func(k int) when) when {
	const leap = 8 // years between leap days at most, and months between Fridays the 13th
	var best when
	pick := func(far int, fits bool) {
		for k := -far; k <= far; k++ {
			r := at(k)
			if r.grain == "" || d == past && r.from.After(p.ref) || d == future && !r.to.After(p.ref) {
				continue
			}
			if fits && isoWeekday(r.from) != w.weekday {
				continue
			}
			if best.grain == "" || p.distance(r) < p.distance(best) {
				best = r
			}
		}
	}
	switch {
	case w.weekday > 0 && w.month == 0:
		pick(leap, true)
	case w.weekday > 0:
		pick(1, true) // else the weekday is a slip
	}
	if best.grain == "" {
		pick(1, false)
	}
	if best.grain == "" {
		pick(leap, false)
	}
	return best
}

// distance is how far an interval is from the reference, 0 if it holds it.
func (p *parser) distance(w when) time.Duration {
	switch {
	case w.from.After(p.ref):
		return w.from.Sub(p.ref)
	case w.to.After(p.ref):
		return 0
	}
	return 2 * p.ref.Sub(w.to) // what is to come is named without its year more often
}

func isoWeekday(t time.Time) int { return int(t.Weekday()+6)%7 + 1 }

// weekdayNear is the nearest such day in the given direction, today included;
// without a direction the coming one.
func (p *parser) weekdayNear(weekday int, d cue) when {
	delta := weekday - isoWeekday(p.ref)
	switch {
	case d == past && delta > 0:
		delta -= 7
	case d != past && delta < 0:
		delta += 7
	}
	return p.around(day, delta)
}
