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
	if p.marked(i+3, sep) && c.sep == sepNone && (c.digits == 4 || c.digits == 2 && sep == '/') {
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
	if p.ranged || p.alone(i, j) || p.at(p.before(i)).word.weekday > 0 {
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

// namedDate reads dates with the name of a month: March 11, 2026; the 11th of March;
// Mar 11; 11-Mar-2026; March 2026; in March.
func (p *parser) namedDate(i int) (when, int) {
	if p.monthAt(i) > 0 {
		return p.monthFirst(i)
	}
	j := p.skip(i, "the")
	if j > i && p.at(j).sep != sepBlank {
		return when{}, 0
	}
	if y := p.at(j); y.digits == 4 && plausible(y.value) && p.month(j+1) && !p.at(j+1).word.short {
		return when{year: y.value, month: int(p.monthAt(j + 1))}, 2 // 2017 April
	}
	day, n, ordinal := p.dayAt(j)
	if n == 0 {
		return when{}, 0
	}
	k := p.skip(j+n, "day")
	k = p.skip(k, "of")
	if k == j+n && p.marked(k, '-', '/', '.') && p.at(k+1).sep == sepNone {
		k++
	}
	m := p.monthAt(k)
	if m == 0 || p.at(k).sep == sepBreak {
		return when{}, 0
	}
	w := when{month: int(m), day: day}
	k = p.dot(k + 1)
	year, end := p.yearAfter(k, ordinal)
	if year == 0 && !ordinal && p.at(k-1).lower == "may" && !p.at(k-1).capital {
		return when{}, 0 // "the 5 may fail"
	}
	if w.year = year; !p.possible(w) {
		return when{}, 0
	}
	return w, end - i
}

// monthFirst reads a date that begins with its month.
func (p *parser) monthFirst(i int) (when, int) {
	w := when{month: int(p.monthAt(i))}
	j := p.dot(i + 1)
	if y := p.at(p.skip(p.comma(j), "of")); y.digits == 4 && y.sep != sepBreak && plausible(y.value) && p.month(i) {
		w.year = y.value
		return w, p.skip(p.comma(j), "of") + 1 - i
	}
	k := p.skip(j, "the")
	if k == j && p.marked(k, '-', '/') && p.at(k+1).sep == sepNone {
		k++
	}
	day, n, ordinal := p.dayAt(k)
	if n > 0 && p.at(k).sep != sepBreak && !(p.marked(k+n, ',') && p.at(k+n+1).digits == 3 && p.at(k+n+1).sep == sepNone) {
		year, end := p.yearAfter(k+n, ordinal)
		full := w
		full.day, full.year = day, year
		sure := p.month(i) && !(p.at(i).lower == "march" && !p.at(i).capital && !p.prepositionBefore(i)) || ordinal || year > 0
		if sure && p.possible(full) && !p.clockFollows(k, n) {
			return full, end - i
		}
	}
	if !p.bareMonth(i) || p.at(i-1).digits > 0 && p.at(i-1).digits <= 2 && p.at(i).sep != sepBreak {
		return when{}, 0 // the rest of "31 June" is no month
	}
	return w.likely(), 1
}

// clockFollows reports whether the number at k is a time of day: "May 8am".
func (p *parser) clockFollows(k, n int) bool {
	if p.at(k).digits == 0 {
		return false
	}
	_, c := p.clockPoint(k)
	return c > n
}

// possible reports whether the calendar has the date in some year.
func (p *parser) possible(w when) bool {
	y := w.year
	if y == 0 {
		y = 2000
	}
	return p.exact(y, time.Month(w.month), w.day).grain != ""
}

// yearAfter reads a year after a date, 0 if there is none; end is the token
// after it. Two digits count after an ordinal ("14th April 15") or an apostrophe.
func (p *parser) yearAfter(i int, ordinal bool) (year, end int) {
	j := p.comma(i)
	j = p.skip(j, "of", "in")
	if j == i && p.marked(j, '-', '/', '.') && p.at(j+1).sep == sepNone {
		j++
	}
	t := p.at(j)
	switch {
	case t.sep == sepBreak:
	case t.digits == 4 && t.value >= 1000 && t.value < 3000 && !p.meridiemAt(j+1):
		return t.value, j + 1
	case (t.mark == '\'' || t.mark == '’') && p.at(j+1).digits == 2 && p.at(j+1).sep == sepNone:
		return p.century(p.at(j + 1).value), j + 2
	case ordinal && j == i && t.digits == 2 && !p.counts(j+1) && !p.marked(j+1, ':', '-', '/', '.'):
		if _, n := p.clockPoint(j); n <= 1 {
			return p.century(t.value), j + 1
		}
	}
	return 0, i
}

// dayAt reads a day of the month: 11, 11th, eleventh, twenty-first.
func (p *parser) dayAt(i int) (day, tokens int, ordinal bool) {
	t := p.at(i)
	if t.digits > 0 {
		if t.digits > 2 || t.value < 1 || t.value > 31 {
			return 0, 0, false
		}
		switch s := p.at(i + 1); s.lower {
		case "st", "nd", "rd", "th":
			if s.sep == sepNone {
				return t.value, 2, true
			}
		}
		return t.value, 1, false
	}
	n, k := p.ordinal(i)
	return n, k, n > 0 && n <= 31
}

// ordinal reads an ordinal in words or digits: third, twenty-first, 3rd.
func (p *parser) ordinal(i int) (n, tokens int) {
	t := p.at(i)
	if t.digits > 0 {
		switch s := p.at(i + 1); s.lower {
		case "st", "nd", "rd", "th":
			if s.sep == sepNone {
				return t.value, 2
			}
		}
		return 0, 0
	}
	if t.word.ordinal > 0 {
		return t.word.ordinal, 1
	}
	if t.word.number >= 20 {
		j := i + 1
		if p.marked(j, '-') {
			j++
		}
		if o := p.known(j).ordinal; o > 0 && o < 10 {
			return t.word.number + o, j + 1 - i
		}
	}
	return 0, 0
}

// dot steps over the dot of an abbreviation.
func (p *parser) dot(i int) int {
	if p.marked(i, '.') && p.at(i-1).word.short {
		return i + 1
	}
	return i
}
