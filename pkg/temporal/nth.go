package temporal

// nth reads a piece of a period by its number: the first Monday of May, last
// weekend of July, the first week of 2021, the third month of 2021, the last 3 days of May.
func (p *parser) nth(i int) (when, int) {
	j := p.skip(i, "the")
	n, k := p.ordinal(j)
	last := p.word(j) == "last"
	if last {
		n, k = -1, 1
	}
	if k == 0 || n > 53 || j > i && p.at(j).sep == sepBreak {
		return when{}, 0
	}
	j += k
	count := 1
	if c, m, _ := p.count(j); m > 0 && p.at(j).sep != sepBreak && c >= 100 && c < 100_00 {
		count, j = c/100, j+m
	}
	what, name := p.known(j), p.next(j)
	if name == "" || what.weekday == 0 && what.unit < day && name != "weekend" && name != "wkend" {
		return when{}, 0
	}
	j++
	of := p.skip(j, "of", "in")
	if of == j && !(p.at(j).digits == 4 || p.monthAt(j) > 0) {
		return when{}, 0
	}
	w, m := p.whole(of)
	if m == 0 || w.grain == "" {
		return when{}, 0
	}
	r, ok := p.nthOf(w, n, count, what)
	if !ok {
		return when{}, 0
	}
	end := of + m
	r.relative, r.confidence = w.relative, w.confidence
	if d := p.skip(p.comma(p.dot(end)), "on"); r.grain == GrainWeek && count == 1 && p.known(d).weekday > 0 && !p.known(d).plural {
		c := r.confidence
		r = p.dayOfWeek(r, p.known(d).weekday)
		r.relative, r.confidence, end = w.relative, c, d+1
	}
	return r, end - i
}

// nthOf is the nth piece of a period, or the last one if n is -1. A week belongs
// to the period that has its Thursday, a weekend to that of its Saturday.
func (p *parser) nthOf(w when, n, count int, what *word) (when, bool) {
	r := when{}
	switch {
	case what.weekday > 0 || what.unit == week || what.unit == 0:
		target := map[bool]int{true: 4, false: 6}[what.unit == week]
		if what.weekday > 0 {
			target = what.weekday
		}
		y, m, d := w.from.Date()
		if n < 0 {
			y, m, d = w.to.AddDate(0, 0, -1).Date()
			back := (isoWeekday(p.date(y, m, d)) - target + 7) % 7
			r = p.exactDay(p.date(y, m, d-back-7*(count-1)))
		} else {
			r = p.exactDay(p.date(y, m, d+(target-isoWeekday(w.from)+7)%7+7*(n-1)))
		}
		if !r.from.Before(w.to) || r.from.Before(w.from) {
			return r, false
		}
		if what.unit == week {
			r.from, _ = p.span(week, r.from, 0, 1)
			_, r.to = p.span(week, r.from, 0, count)
			r.grain = GrainWeek
		} else if what.unit == 0 && what.weekday == 0 {
			r = p.weekend(r.from, 0)
		}
	case n < 0:
		end := w.to.AddDate(0, 0, -1)
		r.from, _ = p.span(what.unit, end, 1-count, 1)
		r.to, r.grain = w.to, grains[what.unit]
	default:
		r.from, r.to = p.span(what.unit, w.from, n-1, count)
		r.grain = grains[what.unit]
	}
	if count > 1 {
		r.grain, r.shape = GrainRange, Range
	}
	return r, !r.from.Before(w.from.AddDate(0, 0, -6)) && r.from.Before(w.to)
}

// weeks reads "week 23 (of 2018)", "the week of April 10", "the month of April".
func (p *parser) weeks(i int) (when, int) {
	j := p.skip(i, "the")
	u := p.known(j)
	if j == i {
		u = p.at(j).word
	}
	if u.plural || u.unit < week || u.unit > year || u.unit == fortnight {
		return when{}, 0
	}
	if n := p.at(j + 1); u.unit == week && n.sep == sepBlank && n.digits > 0 && n.digits <= 2 && j == i {
		end, y, c := j+2, p.ref.Year(), Likely
		of := p.skip(p.comma(end), "of", "in")
		if t := p.at(of); t.digits == 4 && t.sep != sepBreak && plausible(t.value) {
			y, end, c = t.value, of+1, Sure
		}
		w, ok := p.weekOf(y, n.value)
		w.confidence = c
		return w, tokensIf(ok, end-i)
	}
	from := p.next(j + 1)
	starts := from == "starting" || from == "beginning" || from == "commencing"
	if from != "of" && !starts {
		return when{}, 0
	}
	j = p.skip(j+2, "on", "from") - 2
	w, n := p.nested((*parser).dated, j+2)
	if n == 0 {
		return when{}, 0
	}
	w = p.settle(w, j+2, n)
	switch {
	case w.grain == "":
		return when{}, 0
	case u.unit == week && starts && w.grain == GrainDay:
		w.to, w.grain = w.from.AddDate(0, 0, 7), GrainWeek
		return w.likely(), j + 2 + n - i
	case u.unit == month && w.grain == GrainMonth, u.unit == year && w.grain == GrainYear:
		return w, j + 2 + n - i
	case u.unit == week && w.grain == GrainDay:
		w.from, w.to = p.span(week, w.from, 0, 1)
		w.grain = GrainWeek
		return w.likely(), j + 2 + n - i
	}
	return when{}, 0
}
