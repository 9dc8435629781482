package temporal

// ranges reads two ends: from 3 to 5 May, May 3-5, between 2014 and 2018, July 13 -
// July 15, from Monday to Friday, from 2pm till tomorrow 4:30pm.
//
// The reading of the n tokens at i without a range is w.
func (p *parser) ranges(i int, w when, n int) (when, int) {
	j, between, left := i, false, w
	switch p.word(i) {
	case "from":
		j++
	case "between":
		j, between = i+1, true
	}
	p.ranged = j > i
	defer func() { p.ranged = false }()
	if j > i {
		left, n = p.point(j)
	}
	left, n = p.end(j, left, n)
	if n == 0 || left.shape != Point {
		return when{}, 0
	}
	split := j + n
	k := p.link(split, between)
	if k == 0 {
		return when{}, 0
	}
	right, m := p.point(k)
	right, m = p.end(k, right, m)
	if m == 0 || right.shape != Point || left.grain == GrainRange || right.grain == GrainRange {
		return when{}, 0
	}
	if right.year == 0 && (right.month > 0 || right.day > 0) && !right.clock.set {
		if y, end := p.yearAfter(k+m, false); y > 0 {
			right.year, m = y, end-k
		}
	}
	whole, last, ok := p.join(left, right, j, n, k, m, j > i)
	if !ok {
		return when{}, 0
	}
	if last.month > 0 && last.day > 0 && right.month > 0 {
		whole.last, whole.split, whole.lastAt = &last, split, k
	}
	return whole, k + m - i
}

// end is one end of a range: a date or a time, read as w, or what is a date only
// here, such as a bare day of the month.
func (p *parser) end(i int, w when, n int) (when, int) {
	if p.at(i).sep == sepBreak && i > p.start {
		return when{}, 0
	}
	switch t := p.at(i); {
	case n == 0 && t.digits == 4 && plausible(t.value) && !p.counts(i+1):
		return when{year: t.value}, 1
	case n == 0 && t.word.weekday > 0 && !t.word.plural && t.capital:
		return when{weekday: t.word.weekday, confidence: Likely}, 1
	case n == 0 && t.word.month > 0 && t.capital:
		return when{month: int(t.word.month), confidence: Likely}, p.dot(i+1) - i
	}
	if d, m, _ := p.dayAt(p.skip(i, "the")); m > 0 {
		m += p.skip(i, "the") - i
		if m > n && !p.meridiemAt(i+m) && !p.minutes(i+m) {
			return when{day: d}, m
		}
	}
	return w, n
}

// link steps over what joins the ends of a range, 0 if nothing does.
func (p *parser) link(i int, between bool) int {
	t := p.at(i)
	if t.sep == sepBreak || i >= len(p.tokens) {
		return 0
	}
	switch t.lower {
	case "to", "thru", "through", "till", "until", "til":
		return i + 1
	case "and":
		if between {
			return i + 1
		}
	case "":
		switch t.mark {
		case '/': // June 26/27
			if d, n, _ := p.dayAt(i + 1); n > 0 && d > p.at(i-1).value && p.marked(i, '/') && p.at(i-1).digits > 0 && p.at(i-1).digits <= 2 {
				return i + 1
			}
		case '-', '–', '—', '~', '→':
			if t.sep != p.at(i+1).sep || p.lineBreak(i) || p.edge(i+1) {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// join settles the ends of a range. What one end leaves out is taken from the
// other: the month of "3 to 5 May", the year of "November to February 2017".
func (p *parser) join(l, r when, li, ln, ri, rn int, worded bool) (w, last when, ok bool) {
	bare := func(v when) bool { return v.day > 0 && v.month == 0 && v.weekday == 0 && v.grain == "" }
	if l.grain == "" && r.grain == "" {
		switch {
		case bare(l) && bare(r):
			return w, last, false
		case bare(l):
			l.month = r.month
		case bare(r):
			r.month = l.month
		}
		inherited := false
		if l.year == 0 && l.month > 0 && r.year > 0 && r.month > 0 {
			l.year, inherited = r.year, true
		}
		if r.year == 0 && r.month > 0 && l.year > 0 {
			r.year = l.year
			if r.month < l.month {
				r.year++
			}
		}
		if inherited && l.month > r.month {
			l.year--
		}
	}
	if bare(l) && l.month == 0 || bare(r) && r.month == 0 && l.grain != GrainMonth {
		return w, last, false
	}
	if l.clock.set && !l.isDay() && r.isDay() && !r.clock.set {
		return w, last, false
	}
	w = p.settle(l, li, ln)
	if r.grain == "" && r.year == 0 && w.grain != "" {
		ref := p.ref
		p.ref = w.from // the last end is the next one after the first
		last = p.timed(p.place(r, future))
		p.ref = ref
	} else {
		last = p.settle(r, ri, rn)
	}
	if w.grain == "" || last.grain == "" || !last.to.After(w.from) || !last.from.After(w.from) {
		return w, last, false
	}
	if !worded && (w.relative != last.relative || w.confidence == Guess || last.confidence == Guess) && !w.clock.set {
		return w, last, false
	}
	w.to, w.shape, w.grain = last.to, Range, GrainRange
	w.confidence = min(w.confidence, last.confidence, Likely)
	w.relative = w.relative && last.relative
	return w, last, true
}
