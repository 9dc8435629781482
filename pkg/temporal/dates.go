package temporal

import "time"

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
	if y := p.at(j + 1); p.marked(j, '-', '/') && y.sep == sepNone && y.digits == 4 && plausible(y.value) {
		w.year = y.value // Dec-2018
		return w, j + 2 - i
	}
	if a, y := p.at(j), p.at(j+1); (a.mark == '\'' || a.mark == '’') && a.sep != sepBreak && y.sep == sepNone && y.digits == 2 {
		w.year = p.century(y.value) // Dec'18
		return w, j + 2 - i
	}
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
		alone := p.alone(i, end)
		sure := alone || p.month(i) && !(p.at(i).lower == "march" && !p.at(i).capital && !p.prepositionBefore(i)) || ordinal || year > 0
		if sure && p.possible(full) {
			return full, end - i
		}
	}
	if !p.bareMonth(i) {
		return when{}, 0
	}
	return w.likely(), 1
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
	if k == 0 {
		n, k = p.cardinal(i) // May twenty-nine
		return n, k, false
	}
	return n, k, n <= 31
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

// monthAt is the month that the word at i can name.
func (p *parser) monthAt(i int) time.Month { return p.at(i).word.month }

// month reports whether the word at i, next to a number, names a month: "may" and
// "march" are words too, and count only when capitalised.
func (p *parser) month(i int) bool {
	t := p.at(i)
	return t.word.month > 0 && (t.capital || t.lower != "may" && t.lower != "march")
}

// bareMonth reports whether the month name at i, with no number next to it, is
// meant as one. Names of people and words that are also verbs need a
// preposition before them, or the line for themselves.
func (p *parser) bareMonth(i int) bool {
	t := p.at(i)
	if p.recurs(i) {
		return false
	}
	if p.prepositionBefore(i) {
		switch p.word(p.before(i)) {
		case "to", "on", "around", "about", "end", "beginning", "middle": // "to march", "the end may come"
			return p.month(i)
		}
		return true
	}
	if t.word.short || t.lower == "may" {
		return t.capital && p.alone(i, p.dot(i+1))
	}
	if b := p.word(p.before(i)); b == "the" || b == "this" || b == "last" || b == "next" {
		return true
	}
	name := p.at(i + 1)
	return !(t.capital && name.sep == sepBlank && name.capital && name.word == none.word)
}

func (p *parser) prepositionBefore(i int) bool {
	switch p.word(p.before(i)) {
	case "in", "of", "since", "by", "until", "till", "from", "to", "through", "thru", "during", "before", "after",
		"between", "on", "around", "about", "early", "mid", "late", "beginning", "end", "middle":
		return true
	case "":
		return p.at(i-1).mark == '-' && p.word(i-2) == "mid"
	}
	return false
}

// figures are the numbers of a date and the mark between them: 3/11/2026, 2026-03-11.
type figures struct {
	numbers []*token
	sep     rune
}

// figuresAt reads two or three numbers with the same mark between them, or a year with a
// name of a month; the year, of four digits, comes first or last.
func (p *parser) figuresAt(i int) (f figures) {
	f.numbers, f.sep = append(f.numbers, p.at(i)), p.at(i+1).mark
	for j := i + 1; len(f.numbers) < 3; j += 2 {
		next := p.at(j + 1)
		joined := p.marked(j, '-', '/', '.') && next.sep == sepNone
		spaced := j == i+1 && f.sep == '/' && p.at(j).sep == sepBlank && next.sep == sepBlank
		if !joined && !spaced || p.at(j).mark != f.sep || next.digits == 0 && next.word.month == 0 {
			break
		}
		f.numbers = append(f.numbers, next)
		if spaced {
			break
		}
	}
	return f
}

// figureDate reads the dates of numbers: 2026-03-11, 2026-03, 2026-W11-3, 3/11/2026,
// 11.03.2026, 13/3, 9/2012. Where both orders are possible the month comes first, as in
// the United States, but the day first with dots, as on the European continent.
func (p *parser) figureDate(i int) (when, int) {
	f := p.figuresAt(i)
	a := f.numbers[0]
	if a.digits == 4 && f.sep == '-' && p.at(i+2).lower == "w" && p.at(i+2).sep == sepNone && p.marked(i+1, '-') {
		return p.isoWeek(i, a.value)
	}
	if len(f.numbers) < 2 || a.digits == 0 || f.sep == '.' && p.preceded(i, "version", "versions", "ver", "v", "release", "rev", "revision", "build", "upgrade", "upgraded") {
		return when{}, 0
	}
	b, three, end := f.numbers[1], len(f.numbers) == 3, i+2*len(f.numbers)-1
	month := b.value
	if b.word.month > 0 {
		month = int(b.word.month)
	}
	switch spaced := p.at(i+1).sep == sepBlank; {
	case a.digits == 4 && three: // 2026-03-11
		c := f.numbers[2]
		if b.digits > 2 || c.digits > 2 || p.exact(a.value, time.Month(month), c.value).grain == "" {
			return when{}, 0
		}
		return when{year: a.value, month: month, day: c.value}, 5
	case a.digits == 4: // 2026-03
		return when{year: a.value, month: month, confidence: Likely}, tokensIf(plausible(a.value) && f.sep != '.' && b.digits <= 2 && month >= 1 && month <= 12, 3)
	case a.digits > 2 || b.word.month > 0:
		return when{}, 0
	case b.digits == 4: // 9/2012
		ok := f.sep != '.' && a.value >= 1 && a.value <= 12 && plausible(b.value) && !p.marked(i+3, f.sep)
		return when{year: b.value, month: a.value, confidence: Likely}, tokensIf(ok, 3)
	case b.digits > 2:
		return when{}, 0
	case three: // 3/11/2026
		year, c := f.numbers[2].value, f.numbers[2]
		if c.digits == 2 && (f.sep == '/' || p.dateLike(i, end)) {
			year = p.century(year)
		} else if c.digits != 4 {
			return when{}, 0
		}
		w := p.ordered(a.value, b.value, year, f.sep)
		return w, tokensIf(p.sure || p.english() || w.confidence != Guess, end-i)
	case f.sep == '-' || p.marked(end, f.sep) && p.at(end+1).digits > 0 || !spaced && f.sep == '.' || !p.dateLike(i, end):
		return when{}, 0
	}
	return p.ordered(a.value, b.value, 0, f.sep).likely(), 3
}

func plausible(year int) bool { return year >= 1900 && year < 2100 }

// isoWeek reads the rest of 2026-W11-3: the week with the year's first Thursday
// is the first (ISO 8601).
func (p *parser) isoWeek(i, year int) (when, int) {
	n := p.at(i + 3)
	if n.sep != sepNone || n.digits != 2 {
		return when{}, 0
	}
	w := p.weekOf(year, n.value)
	if w.grain == "" {
		return when{}, 0
	}
	if d := p.at(i + 5); p.marked(i+4, '-') && d.sep == sepNone && d.digits == 1 && d.value >= 1 && d.value <= 7 {
		y, m, first := w.from.Date()
		return p.exactDay(p.date(y, m, first+d.value-1)), 6
	}
	return w, 4
}

func (p *parser) exactDay(t time.Time) when {
	y, m, d := t.Date()
	return when{from: p.date(y, m, d), to: p.date(y, m, d+1), grain: GrainDay}
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
	order := p.order()
	if sep == '.' || order == "dmy" {
		month, day = b, a
	}
	w := when{year: year}
	switch {
	case month > 12:
		month, day = day, month
	case day <= 12 && day != month && sep != '.' && order == "":
		w.confidence, w.eitherWay = Guess, true // 3/4/2026 is two days where the language isn't known
	case day <= 12 && day != month && (order != "dmy" || sep == '-'):
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
	if p.at(p.before(i)).word.role&on != 0 {
		return true
	}
	if p.preceded(i, "on", "by", "until", "till", "since", "from", "this", "before", "after", "due", "dated", "between") {
		return !p.counts(j)
	}
	_, n := p.clockPoint(p.skip(j, "at"))
	return n > 0
}

// dayDate reads the date next to a weekday: Friday, March 13; Fri 3/13.
func (p *parser) dayDate(i, weekday int) (when, int) {
	w, n := p.namedDate(i)
	if n == 0 || w.day == 0 {
		if w, n = p.figureDate(i); n == 0 || w.day == 0 {
			return when{}, 0
		}
	}
	if p.at(i).digits != 4 {
		w.weekday = weekday
	}
	return w, n
}
