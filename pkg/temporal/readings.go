package temporal

import "time"

// partOfDay is a part of the day that lies k days from the reference's.
func (m *match) partOfDay(k int, part string) when {
	w := m.around(day, k)
	w.clock.part = part
	return w
}

// dayOf is a day of a month that is counted from the reference.
func (p *parser) dayOf(w when, d int) when {
	r := p.exact(w.from.Year(), w.from.Month(), d)
	r.relative, r.confidence = true, w.confidence
	return r
}

func weekdayOfWeek(m *match, _ int) when {
	if m.period.grain != GrainWeek {
		return when{}
	}
	return m.dayOfWeek(m.period, m.weekday)
}

// dayOfThisMonth is "on the 17th": of this month or the next to it.
func dayOfThisMonth(m *match, _ int) when {
	the := m.parser.word(m.start) == "the"
	if m.number > 31 || m.at(m.last).digits == 0 || m.counts(m.end) || m.next(m.end) == "of" ||
		!the && !m.preceded(m.start, "on") || !m.preceded(m.start, "on", "by", "until", "till", "since", "from", "before", "after", "between") {
		return when{}
	}
	return when{day: m.number, confidence: Likely}
}

// shift is the reading of a moment that lies an amount from the reference. A
// single unit keeps its grain: nobody who says "two years ago" means a day.
func (p *parser) shift(a amount, sign int) when {
	w := when{}
	switch u := a.coarse; {
	case !a.single && u >= day, u == fortnight:
		w = p.exactDay(a.after(p.ref, sign))
	case u < day:
		g := u
		if !a.single {
			g = minute
		}
		w = when{grain: grains[g]}
		w.from, w.to = p.span(minute, a.after(p.ref, sign), 0, 1)
		if g == hour {
			w.to = w.from.Add(clockUnits[hour])
		}
	case u > year:
		w = p.around(year, sign*a.months/12)
	default:
		w = p.around(u, sign*a.count)
	}
	w.relative = true
	if a.vague || !a.single && a.coarse > day {
		w = w.likely()
	}
	return w
}

// estimate lowers the confidence of what is counted from an amount with a bound before
// it ("more than two years ago"), and drops what is part of a larger one.
func (m *match) estimate(w when) when {
	switch m.bounded(m.start) {
	case 2:
		return when{}
	case 1:
		return w.likely()
	}
	if first := m.parser.word(m.start); m.amount.coarse < hour && (first == "a" || first == "an") { // "a minute ago" is soon after
		return w.likely()
	}
	return w
}

// ago reads two weeks ago, and a week ago Friday.
func ago(m *match, _ int) when {
	w := m.shift(m.amount, -1)
	if anchor := m.period; anchor.grain != "" {
		if m.amount.coarse < week {
			m.end -= m.length
			return m.estimate(w)
		}
		w = m.exactDay(m.amount.after(anchor.from, -1))
		w.relative, w.confidence = true, anchor.confidence
	}
	return m.estimate(w)
}

// narrated reads "a week later", "the day before": counted from the time of the narrative.
func narrated(m *match, _ int) when {
	sign := 1
	switch m.word {
	case "before", "prior":
		if sign = -1; m.at(m.end).lower != "" && !m.edge(m.end) {
			return when{}
		}
	case "after", "following":
		if m.at(m.end).lower != "" && !m.edge(m.end) {
			return when{}
		}
	case "earlier":
		sign = -1
	}
	if m.amount.coarse == 0 {
		m.oneUnit()
	}
	return m.estimate(m.shift(m.amount, sign)).guess()
}

// oneUnit makes the amount one of the unit: the day before.
func (m *match) oneUnit() {
	m.amount.add(100, m.unit)
	m.amount.single, m.amount.count = true, 1
}

// fromDate reads 3 days after January 12, a week from Friday, the day after Christmas.
func fromDate(m *match, _ int) when {
	if m.amount.coarse == 0 {
		m.oneUnit()
	}
	today := m.next(m.last) == "today"
	switch {
	case m.word == "from" && m.preceded(m.start, "for"): // "for 10 days from May 3": a length
		return when{}
	case today && m.amount.single && m.length == 1:
		return m.estimate(m.shift(m.amount, m.sign()))
	}
	w := m.exactDay(m.amount.after(m.period.from, m.sign()))
	w.relative, w.confidence = m.period.relative, m.period.confidence
	return m.estimate(w)
}

func (m *match) sign() int {
	if m.word == "before" || m.word == "prior" {
		return -1
	}
	return 1
}

// ahead reads "in three days", where it is a point in time and not the measure
// of a task: nothing before it is in the past tense.
func ahead(m *match, _ int) when {
	word, context := m.parser.word(m.start), m.tenseBefore(m.start)
	end := m.end
	if word == "after" && (m.amount.coarse < day || !m.starts(m.start)) { // retry after a day
		return when{}
	}
	if context == past || m.amount.coarse == second && m.counts(end) || m.marked(end, '\'', '’') {
		return when{}
	}
	if m.amount.coarse == second { // try again in 30 seconds
		return when{}
	}
	switch m.next(end) {
	case "after", "from", "since", "or", "ago", "straight", "flat", "total", "later", "earlier", "before", "to", "of":
		return when{}
	}
	w := m.shift(m.amount, 1)
	switch {
	case word == "after":
		w = w.guess()
	case word == "within", context == silent, m.amount.article: // "24 hours in a day", "in a minute"
		w = w.likely()
	}
	if word == "within" {
		w.to = m.amount.after(m.ref, 1)
		w.from, _ = m.span(minute, m.ref, 0, 1)
		w.shape, w.grain = Range, GrainRange
	}
	return w
}

// window reads the last two weeks, the next 5 days.
func window(m *match, _ int) when {
	first := m.next(m.last)
	if m.k == 0 || m.parser.word(m.last-1) == "following" || m.next(m.end) == "of" || first == "a" || first == "the" {
		return when{}
	}
	return m.rolling(m.k, m.amount, m.amount.coarse)
}

// rolling is the span of time of an amount, or of one unit, up to now or from
// now on.
func (p *parser) rolling(k int, a amount, u unit) when {
	if k == 0 {
		return when{}
	}
	if a.coarse == 0 {
		a.add(100, u)
	}
	w := when{grain: GrainRange, shape: Range, relative: true, confidence: Likely}
	from, to := p.span(day, p.ref, 0, 1)
	switch {
	case u < day && k < 0:
		w.from, w.to = a.after(p.ref, -1), p.ref
	case u < day:
		w.from, w.to = p.ref, a.after(p.ref, 1)
	case k < 0:
		w.from, w.to = a.after(from, -1), to
	default:
		w.from, w.to = to, a.after(to, 1)
	}
	return w
}

// present reads now where it is one end of a range, or stands alone: in running text
// it is mostly a particle.
func present(m *match, _ int) when {
	now := m.parser.word(m.end-1) == "now"
	switch {
	case m.counts(m.end):
		return when{}
	case m.ranged:
		return m.around(minute, 0).likely()
	case now && !m.alone(m.start, m.end):
		return when{}
	}
	return m.around(minute, 0).guess()
}

// loose reads a part of the day, or the weekend, without a day.
func loose(m *match, _ int) when {
	if m.preceded(m.start, "good", "every", "each", "all", "any") {
		return when{}
	}
	if m.part != "" {
		w := m.around(day, 0)
		w.clock.part = m.part
		return w.guess()
	}
	if m.parser.word(m.start) == "a" || m.preceded(m.start, "a") { // once a weekend
		return when{}
	}
	k := 0
	if m.direction(m.start, m.end) == past && isoWeekday(m.ref) < 6 {
		k = -1
	}
	return m.weekend(m.ref, k).guess()
}

// third is the first (0), middle (1) or last (2) part of a period: ten days of a month, four months of a year, and
// three days of a week, of which the ends have what the middle leaves.
func third(m *match, which int) when {
	w := m.period
	if m.part != "" && w.grain == GrainDay { // early tomorrow morning
		w = m.narrow(w, m.part)
	}
	y, mo, d := w.from.Date()
	var a, b time.Time // where the middle begins and ends
	switch w.grain {
	case GrainMonth:
		a, b = m.date(y, mo, 11), m.date(y, mo, 21)
	case GrainYear:
		a, b = m.date(y, 5, 1), m.date(y, 9, 1)
	case GrainQuarter, GrainSeason:
		a, b = m.date(y, mo+1, 1), m.date(y, mo+2, 1)
	case GrainHalf:
		a, b = m.date(y, mo+2, 1), m.date(y, mo+4, 1)
	case GrainDecade:
		a, b = m.date(y+4, 1, 1), m.date(y+7, 1, 1)
	case GrainCentury:
		a, b = m.date(y+33, 1, 1), m.date(y+67, 1, 1)
	case GrainWeek:
		a, b = m.date(y, mo, d+3), m.date(y, mo, d+4)
	case GrainDay:
		a, b = m.hour(w.from, 9*60), m.hour(w.from, 17*60)
	case GrainDaypart:
		a = w.from.Add(w.to.Sub(w.from) / 2)
		b = a
	default:
		return when{}
	}
	switch which {
	case 0:
		w.to = a
	case 1:
		w.from, w.to = a, b
	case 2:
		w.from = b
	}
	w.grain = GrainRange
	if !w.to.After(w.from) {
		return when{}
	}
	return w.likely()
}

// piece is a piece of a period by its number: the first Monday of May, the last 3 days
// of July. A week belongs to the period that has its Thursday, a weekend to that of its
// Saturday.
func piece(m *match, _ int) when {
	n, count, what := m.number, max(1, m.count/100), m.piece
	if n == 0 {
		n = -1 // the last
	}
	period := m.period
	r := when{}
	if what.weekday == 0 && what.unit != week && what.unit != 0 {
		if r.from, r.to = m.span(what.unit, period.from, n-1, count); n < 0 {
			r.from, _ = m.span(what.unit, period.to.AddDate(0, 0, -1), 1-count, 1)
			r.to = period.to
		}
		r.grain = grains[what.unit]
	} else {
		target := what.weekday
		if what.unit == week {
			target = 4
		} else if target == 0 {
			target = 6
		}
		y, mo, d := period.from.Date()
		first := m.date(y, mo, d+(target-isoWeekday(period.from)+7)%7+7*(n-1))
		if n < 0 {
			end := period.to.AddDate(0, 0, -1)
			first = end.AddDate(0, 0, -(isoWeekday(end)-target+7)%7-7*(count-1))
		}
		if !first.Before(period.to) || first.Before(period.from) {
			return when{}
		}
		switch r = m.exactDay(first); {
		case what.unit == week:
			r.from, r.to = m.span(week, first, 0, count)
			r.grain = GrainWeek
		case what.weekday == 0:
			r = m.weekend(first, 0)
		}
	}
	if n > 53 || r.from.Before(period.from.AddDate(0, 0, -6)) || !r.from.Before(period.to) {
		return when{}
	}
	if count > 1 {
		r.grain, r.shape = GrainRange, Range
	}
	if m.weekday > 0 && r.grain == GrainWeek {
		r = m.dayOfWeek(r, m.weekday)
	}
	r.relative, r.confidence = period.relative, period.confidence
	return r
}

// weekOf is a week of ISO 8601: the one with the year's first Thursday is the first.
func (p *parser) weekOf(year, n int) when {
	w := p.unitFrom(week, p.date(year, 1, 4), n-1)
	if in, _ := w.from.AddDate(0, 0, 3).ISOWeek(); in != year || n < 1 {
		return when{}
	}
	return w
}

// pieceOfYear is a quarter or a half.
func (m *match) pieceOfYear(y int) when {
	size := 12 / m.pieces
	w := when{from: m.date(y, time.Month(1+size*(m.number-1)), 1), to: m.date(y, time.Month(1+size*m.number), 1), grain: GrainQuarter}
	if m.pieces == 2 {
		w.grain = GrainHalf
	}
	return w
}

// quarterOf reads a quarter or a half with its year, or the one that the tense means.
func quarterOf(m *match, _ int) when {
	switch {
	case m.year > 0:
		return m.pieceOfYear(m.year)
	case m.period.grain != "":
		return m.inYear(m.pieceOfYear(m.period.from.Year()))
	case m.marked(m.end, '.') && m.at(m.end+1).digits > 0:
		return when{}
	}
	w := m.pieceOfYear(m.ref.Year())
	if d := m.direction(m.start, m.end); d != silent {
		w = m.nearest(when{}, d, func(k int) when { return m.pieceOfYear(m.ref.Year() + k) })
	}
	return w.likely()
}

// inYear makes a part of a year that is counted from the reference relative.
func (m *match) inYear(w when) when {
	w.relative = true
	return w
}

// yearAlone reads a number of four digits that the context makes a year.
func yearAlone(m *match, _ int) when {
	i := m.start
	if m.edition(i) {
		return when{year: m.year, confidence: Guess}
	}
	if m.year >= 1500 && m.year < 2100 {
		if like, c := m.yearLike(i); like {
			return when{year: m.year, confidence: c}
		}
	}
	return when{}
}
