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
		if p.spoiled(i, w) {
			return when{}, 0
		}
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
		if sure && p.possible(full) && !p.clockFollows(k, n) {
			return full, end - i
		}
	}
	if !p.bareMonth(i) || p.spoiled(i, w) {
		return when{}, 0
	}
	return w.likely(), 1
}

// spoiled reports whether a number before the month at i makes it a day that the
// calendar doesn't have: "31 June".
func (p *parser) spoiled(i int, w when) bool {
	t := p.at(i - 1)
	if t.digits == 0 || t.digits > 2 || p.at(i).sep != sepBlank {
		return false
	}
	w.day = t.value
	return !p.possible(w)
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

// month reports whether the word at i, beside a number, names a month: "may" and
// "march" are words too, and count only when capitalised.
func (p *parser) month(i int) bool {
	t := p.at(i)
	return t.word.month > 0 && (t.capital || t.lower != "may" && t.lower != "march")
}

// bareMonth reports whether the month name at i, with no number beside it, is
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
