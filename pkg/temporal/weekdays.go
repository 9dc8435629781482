package temporal

import "time"

// weekdays reads a weekday with or without what pins it down: Friday, on Friday the
// 26th, Tue, 10 January, Wednesday next week, Monday of last week, Monday after next.
func (p *parser) weekdays(i int) (when, int) {
	t := p.at(i)
	if t.word.weekday == 0 || t.word.plural || p.recurs(i) {
		return when{}, 0
	}
	j := i + 1
	if t.word.short && p.marked(j, '.') {
		j++
	}
	k := p.comma(j)
	if p.at(k).mark == '(' {
		k++ // Friday (June 15
	}
	if w, n := p.namedDate(k); n > 0 && w.day > 0 && p.at(k).sep != sepBreak {
		w.weekday = t.word.weekday
		return w, p.closing(k, k+n) - i
	}
	if w, n := p.iso(k); n > 0 && w.day > 0 && p.at(k).sep != sepBreak {
		return w, p.closing(k, k+n) - i
	}
	if w, n := p.shortDate(k, t.word.weekday); n > 0 && p.at(k).sep != sepBreak {
		w.weekday = t.word.weekday
		return w, p.closing(k, k+n) - i
	}
	if d, n, ord := p.dayAt(p.skip(k, "the")); n > 0 && ord && !p.counts(p.skip(k, "the")+n) {
		return when{day: d, weekday: t.word.weekday}, p.skip(k, "the") + n - i
	}
	l := p.skip(p.comma(j), "of", "in", "on", "from")
	if w, n := p.nested((*parser).lastThisNext, l); n > 0 && w.grain == GrainWeek {
		return p.dayOfWeek(w, t.word.weekday), l + n - i
	}
	switch side, anchor := p.next(j), p.next(j+1); {
	case side == "after" && anchor == "next":
		first, _ := p.span(week, p.ref, 2, 1)
		if t.word.weekday <= isoWeekday(p.ref) { // this week's is over
			return p.dayOfWeek(when{from: first}, t.word.weekday).likely(), j + 2 - i
		}
		return p.dayOfWeek(when{from: first.AddDate(0, 0, -7)}, t.word.weekday).likely(), j + 2 - i
	case side == "before" && anchor == "last":
		y, m, d := p.weekdayStep(t.word.weekday, -1, "last").from.Date()
		w := p.exactDay(p.date(y, m, d-7))
		w.relative = true
		return w.likely(), j + 2 - i
	}
	if t.word.short && !p.shortWeekday(i, j) {
		return when{}, 0
	}
	return when{weekday: t.word.weekday, confidence: Likely}, 1
}

// recurs reports whether what begins at i is said of every such time.
func (p *parser) recurs(i int) bool {
	w := p.word(p.before(i))
	return w == "every" || w == "each" || w == "any"
}

// closing steps over the parenthesis that opened before the token k.
func (p *parser) closing(k, end int) int {
	if p.at(k-1).mark == '(' && p.marked(end, ')') {
		return end + 1
	}
	return end
}

// shortDate reads 15.6. or 6/15 beside the weekday that decides its order.
func (p *parser) shortDate(i, weekday int) (when, int) {
	if w, n := p.numeric(i); n > 0 {
		return w, n
	}
	a, b := p.at(i), p.at(i+2)
	if a.digits == 0 || a.digits > 2 || !p.marked(i+1, '.', '-', '/') || b.sep != sepNone || b.digits == 0 || b.digits > 2 ||
		p.at(i+1).mark == '-' || p.at(i+3).sep == sepNone && p.at(i+3).digits > 0 {
		return when{}, 0
	}
	for _, sep := range []rune{'.', '/'} {
		w := p.ordered(a.value, b.value, 0, sep)
		if w.month > 0 && isoWeekday(p.date(p.ref.Year(), time.Month(w.month), w.day)) == weekday {
			return w.likely(), 3
		}
	}
	w := p.ordered(a.value, b.value, 0, p.at(i+1).mark)
	if w.month == 0 {
		return w, 0
	}
	return w.likely(), 3
}

// shortWeekday reports whether an abbreviation is meant as a weekday: "sat" and
// "sun" are words, so it takes a preposition before it or the line for itself.
func (p *parser) shortWeekday(i, j int) bool {
	switch p.word(p.before(i)) {
	case "on", "by", "until", "till", "since", "from", "due", "to", "thru", "through", "before", "after", "every":
		return p.at(i).capital || p.word(p.before(i)) == "on"
	}
	if b := p.before(i); p.word(b) == "or" || p.word(b) == "and" || p.at(b).mark == '/' || p.at(b).mark == '&' {
		if w := p.at(b - 1).word; w.weekday > 0 || w.part != "" {
			return true // "Friday night or sat"
		}
	}
	if p.alone(i, j) {
		return true
	}
	if !p.at(i).capital || p.at(i).lower == "sun" || p.at(i).lower == "sat" {
		return false
	}
	k := p.skip(j, "at")
	_, n := p.clockPoint(k)
	return n > 0 || p.known(j).part != ""
}

// dayOfWeek is the weekday of the week w.
func (p *parser) dayOfWeek(w when, weekday int) when {
	y, m, d := w.from.Date()
	r := p.exactDay(p.date(y, m, d+weekday-1))
	r.relative, r.confidence = true, w.confidence
	return r
}

// thenWithin reads a period and what lies in it: next week Tuesday, this week on
// Friday, last week's Monday, next month on the 3rd, last year's Christmas.
func (p *parser) thenWithin(i int) (when, int) {
	w, n := p.lastThisNext(i)
	if n == 0 {
		return when{}, 0
	}
	j := i + n
	if p.marked(j, '\'', '’') && p.at(j+1).lower == "s" && p.at(j+1).sep == sepNone {
		j += 2
	} else {
		j = p.skip(p.comma(j), "on")
	}
	r, end := when{}, 0
	switch w.grain {
	case GrainWeek:
		if p.weekdayName(j) {
			r, end = p.dayOfWeek(w, p.at(j).word.weekday), j+1
		}
	case GrainMonth:
		k := p.skip(j, "the")
		if d, m, ordinal := p.dayAt(k); ordinal && p.word(j-1) == "on" && !p.counts(k+m) {
			r, end = p.exact(w.from.Year(), w.from.Month(), d), k+m
		}
	case GrainYear:
		if on, m := p.holidayName(j); m > 0 && j > i+n {
			month, d := on(w.from.Year())
			r, end = p.exact(w.from.Year(), month, d), j+m
		}
	}
	if r.grain == "" {
		return when{}, 0
	}
	r.relative, r.confidence = true, w.confidence
	return r, end - i
}

// dayOfMonth reads "on the 17th", "the 3rd": of this month or the next to it.
func (p *parser) dayOfMonth(i int) (when, int) {
	j := p.skip(i, "the")
	d, n, ordinal := p.dayAt(j)
	if n > 0 && p.next(j+n) == "of" {
		if w, m := p.whole(j + n + 1); m > 0 && w.grain == GrainMonth && w.relative { // of next month
			r := p.exact(w.from.Year(), w.from.Month(), d)
			r.relative, r.confidence = true, w.confidence
			return r, j + n + 1 + m - i
		}
	}
	if n == 0 || !ordinal || p.at(j).digits == 0 || j > i && p.at(j).sep != sepBlank || p.counts(j+n) {
		return when{}, 0
	}
	switch p.word(p.before(i)) {
	case "on", "by", "until", "till", "since", "from", "before", "after", "between":
	default:
		return when{}, 0
	}
	if p.next(j+n) == "of" || p.word(p.before(i)) != "on" && j == i {
		return when{}, 0
	}
	return when{day: d, confidence: Likely}, j + n - i
}
