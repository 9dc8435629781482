package temporal

import "time"

// iso reads 2026-03-11, 2026-03-11T14:30:05.250Z, 2026-03, 2026-W11 and
// 2026-W11-3, and the same with slashes or dots.
func (p *parser) iso(i int) (when, int) {
	t := p.at(i)
	sep := p.at(i + 1).mark
	if t.digits != 4 || sep == '.' && p.versioned(i) {
		return when{}, 0
	}
	if !p.marked(i+1, '-', '/', '.') || p.at(i+2).sep != sepNone {
		return when{}, 0
	}
	two := p.at(i + 2)
	if two.lower == "w" && sep == '-' {
		return p.isoWeek(i, t.value)
	}
	month := two.value
	if two.word.month > 0 {
		month = int(two.word.month)
	} else if two.digits == 0 || two.digits > 2 {
		return when{}, 0
	}
	if month < 1 || month > 12 {
		return when{}, 0
	}
	if three := p.at(i + 4); p.marked(i+3, sep) && three.sep == sepNone && three.digits > 0 {
		w := p.exact(t.value, time.Month(month), three.value)
		if w.grain == "" || three.digits > 2 {
			return when{}, 0
		}
		w.year, w.month, w.day = t.value, month, three.value
		w.grain, w.from, w.to = "", time.Time{}, time.Time{}
		return w, 5
	}
	if !plausible(t.value) || sep == '.' {
		return when{}, 0
	}
	return when{year: t.value, month: month, confidence: Likely}, 3
}

func plausible(year int) bool { return year >= 1900 && year < 2100 }

// isoWeek reads the rest of 2026-W11-3: the week with the year's first Thursday
// is the first (ISO 8601).
func (p *parser) isoWeek(i, year int) (when, int) {
	n := p.at(i + 3)
	if n.sep != sepNone || n.digits != 2 {
		return when{}, 0
	}
	w, ok := p.weekOf(year, n.value)
	if !ok {
		return when{}, 0
	}
	if d := p.at(i + 5); p.marked(i+4, '-') && d.sep == sepNone && d.digits == 1 && d.value >= 1 && d.value <= 7 {
		y, m, first := w.from.Date()
		return p.exactDay(p.date(y, m, first+d.value-1)), 6
	}
	return w, 4
}

func (p *parser) weekOf(year, n int) (when, bool) {
	from, _ := p.span(week, p.date(year, 1, 4), n-1, 1)
	y, m, d := from.Date()
	in, _ := p.date(y, m, d+3).ISOWeek()
	return when{from: from, to: p.date(y, m, d+7), grain: GrainWeek}, n >= 1 && n <= 53 && in == year
}

func (p *parser) exactDay(t time.Time) when {
	y, m, d := t.Date()
	return when{from: p.date(y, m, d), to: p.date(y, m, d+1), grain: GrainDay}
}

// numeric reads dates of numbers only: 3/11/2026, 11.03.2026, 13/3, 9/2012.
// Where both orders are possible the month comes first, as in the United
// States, but the day first with dots, as on the European continent.
func (p *parser) numeric(i int) (when, int) {
	a, b := p.at(i), p.at(i+2)
	sep := p.at(i + 1).mark
	if a.digits == 0 || a.digits > 2 || b.digits == 0 || sep == '.' && p.versioned(i) {
		return when{}, 0
	}
	spaced := sep == '/' && p.at(i+1).sep == sepBlank && b.sep == sepBlank
	if !spaced && (!p.marked(i+1, '/', '-', '.') || b.sep != sepNone) {
		return when{}, 0
	}
	if b.digits == 4 && sep != '.' && a.value >= 1 && a.value <= 12 && plausible(b.value) && !p.marked(i+3, sep) {
		return when{year: b.value, month: a.value, confidence: Likely}, 3
	}
	if b.digits > 2 {
		return when{}, 0
	}
	c := p.at(i + 4)
	if p.marked(i+3, sep) && c.sep == sepNone && (c.digits == 4 || c.digits == 2 && (sep == '/' || p.dateLike(i, i+5))) {
		year := c.value
		if c.digits == 2 {
			year = p.century(year)
		}
		return p.ordered(a.value, b.value, year, sep), 5
	}
	if sep == '-' || p.marked(i+3, sep) && p.at(i+4).digits > 0 || !spaced && sep == '.' || !p.dateLike(i, i+3) {
		return when{}, 0
	}
	return p.ordered(a.value, b.value, 0, sep).likely(), 3
}

// versioned reports whether the number at i is said to be a version.
func (p *parser) versioned(i int) bool {
	switch p.word(p.before(i)) {
	case "version", "versions", "ver", "v", "release", "rev", "revision", "build", "upgrade", "upgraded":
		return true
	}
	return false
}

// century completes a year of two digits, to lie within 80 years before and 20
// after the reference.
func (p *parser) century(year int) int {
	now := p.ref.Year()
	year += now - now%100
	switch {
	case year > now+20:
		year -= 100
	case year <= now-80:
		year += 100
	}
	return year
}

// ordered is the date of the numbers a and b, in the order that makes one.
func (p *parser) ordered(a, b, year int, sep rune) when {
	month, day := a, b
	if sep == '.' {
		month, day = b, a
	}
	w := when{year: year}
	switch {
	case month > 12:
		month, day = day, month
	case day <= 12 && day != month:
		w.confidence = Likely
	}
	leap := 2000
	if year > 0 {
		leap = year
	}
	if month < 1 || month > 12 || p.exact(leap, time.Month(month), day).grain == "" {
		return when{}
	}
	w.month, w.day = month, day
	return w
}

// dateLike reports whether the context of "3/4" wants a date.
func (p *parser) dateLike(i, j int) bool {
	if p.ranged || i == 0 && p.alone(i, j) || p.at(p.before(i)).word.weekday > 0 {
		return true
	}
	switch p.word(p.before(i)) {
	case "on", "by", "until", "till", "since", "from", "this", "before", "after", "due", "dated", "between":
		return !p.counts(j)
	case "(":
		return true
	}
	k := p.skip(j, "at")
	_, n := p.clockPoint(k)
	return n > 0
}
