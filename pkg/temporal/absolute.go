package temporal

import "time"

// isoDate reads 2026-03-11, also with a time of day and an offset
// (2026-03-11T14:30:05.250Z, 2026-03-11 14:30).
func (p *parser) isoDate(i int) (reading, int) {
	t := p.tokens[i]
	if !t.digits || t.end-t.start != 4 {
		return reading{}, 0
	}
	const day = "2006-01-02"
	if len(p.text)-t.start < len(day) {
		return reading{}, 0
	}
	end := t.start + len(day)
	from, err := time.ParseInLocation(day, p.text[t.start:end], p.ref.Location())
	if err != nil || isDigit(p.text, end) {
		return reading{}, 0
	}
	y, m, d := from.Date()
	r := reading{from: from, to: p.date(y, m, d+1), grain: grainDay}
	if at, size := p.clock(end, y, m, d); size > 0 {
		r = reading{from: at, to: at.Add(time.Minute), grain: grainMinute}
		end += size
	}
	return r, p.tokensTo(i, end)
}

// clock reads the time of day that follows a date at byte i: its moment, and the
// length of what was read.
func (p *parser) clock(i int, y int, m time.Month, d int) (time.Time, int) {
	rest := p.text[i:]
	if len(rest) < 6 || rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
		return time.Time{}, 0
	}
	of, err := time.Parse("15:04", rest[1:6])
	if err != nil || isDigit(rest, 6) {
		return time.Time{}, 0
	}
	n := 6
	if len(rest) >= n+3 && rest[n] == ':' && isDigit(rest, n+1) && isDigit(rest, n+2) {
		n += 3
		if len(rest) > n+1 && (rest[n] == '.' || rest[n] == ',') && isDigit(rest, n+1) {
			for n++; isDigit(rest, n); n++ {
			}
		}
	}
	zone := p.ref.Location()
	if n < len(rest) && (rest[n] == 'Z' || rest[n] == 'z') {
		zone, n = time.UTC, n+1
	} else if n+6 <= len(rest) {
		if offset, err := time.Parse("-07:00", rest[n:n+6]); err == nil {
			zone, n = offset.Location(), n+6
		}
	}
	return time.Date(y, m, d, of.Hour(), of.Minute(), 0, 0, zone).In(p.ref.Location()), n
}

func isDigit(text string, i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }

// tokensTo counts the tokens from i that lie before byte end, 0 if end is inside
// a token.
func (p *parser) tokensTo(i, end int) int {
	n := 0
	for i+n < len(p.tokens) && p.tokens[i+n].end <= end {
		n++
	}
	if i+n < len(p.tokens) && p.tokens[i+n].start < end {
		return 0
	}
	return n
}

// namedDate reads dates with a month name: March 11, 2026; 11th of March; Mar 11;
// March 2026.
func (p *parser) namedDate(i int) (reading, int) {
	month, sure := p.monthName(i)
	if month > 0 {
		j := p.skipDot(i + 1)
		if p.next(j) == "the" {
			j++
		}
		if year, ok := p.yearAt(j); ok && sure {
			r := reading{from: p.date(year, month, 1), to: p.date(year, month+1, 1), grain: grainMonth}
			return r, j + 1 - i
		}
		day, ordinal, ok := p.dayAt(j)
		if !ok || p.next(j) == "" {
			return reading{}, 0
		}
		return p.dayOf(month, day, i, j+1, sure || ordinal)
	}
	day, _, ok := p.dayAt(i)
	if !ok {
		return reading{}, 0
	}
	j := i + 1
	if p.next(j) == "of" {
		j++
	}
	if p.next(j) == "" {
		return reading{}, 0
	}
	month, sure = p.monthName(j)
	if month == 0 {
		return reading{}, 0
	}
	return p.dayOf(month, day, i, p.skipDot(j+1), sure)
}

// dayOf is the day of a month in the year that follows at j, or else in the year
// that brings it nearest to the reference. A word that may not be a month needs
// the year to count as one.
func (p *parser) dayOf(month time.Month, day, i, j int, sure bool) (reading, int) {
	k := j
	if p.is(k, ",") {
		k++
	}
	if year, ok := p.yearAt(k); ok {
		return p.exact(year, month, day), k + 1 - i
	}
	if !sure {
		return reading{}, 0
	}
	best := reading{}
	for year := p.ref.Year() - 1; year <= p.ref.Year()+1; year++ {
		r := p.exact(year, month, day)
		if r.grain != "" && (best.grain == "" || distance(r.from, p.ref) < distance(best.from, p.ref)) {
			best = r
		}
	}
	return best, j - i
}

// exact is a day of the calendar; without grain, and empty, if there is none such.
func (p *parser) exact(year int, month time.Month, day int) reading {
	if from := p.date(year, month, day); from.Month() == month {
		return reading{from: from, to: p.date(year, month, day+1), grain: grainDay}
	}
	return reading{}
}

func distance(a, b time.Time) time.Duration { return a.Sub(b).Abs() }

// quarter reads "Q1 2026".
func (p *parser) quarter(i int) (reading, int) {
	w := p.word(i)
	if len(w) != 2 || w[0] != 'q' || w[1] < '1' || w[1] > '4' {
		return reading{}, 0
	}
	year, ok := p.yearAt(i + 1)
	if !ok {
		return reading{}, 0
	}
	first := time.Month(w[1]-'1')*3 + 1
	return reading{from: p.date(year, first, 1), to: p.date(year, first+3, 1), grain: grainQuarter}, 2
}

// monthName reads a month at i; sure is false for a word that is more often
// something else.
func (p *parser) monthName(i int) (month time.Month, sure bool) {
	if m := months[p.word(i)]; m > 0 {
		return m, p.monthWord(i)
	}
	if p.capital(i) {
		m := monthAbbreviations[p.word(i)]
		return m, m > 0
	}
	return 0, false
}

// skipDot steps over the dot of an abbreviation.
func (p *parser) skipDot(i int) int {
	if p.is(i, ".") {
		return i + 1
	}
	return i
}

func (p *parser) yearAt(i int) (int, bool) {
	if p.next(i) == "" {
		return 0, false
	}
	t := p.tokens[i]
	return t.value, t.digits && t.end-t.start == 4 && t.value >= 1000 && t.value < 3000
}

// dayAt reads a day of the month: 11, 11th.
func (p *parser) dayAt(i int) (day int, ordinal, ok bool) {
	w := p.word(i)
	if n := len(w) - 2; n > 0 {
		switch w[n:] {
		case "st", "nd", "rd", "th":
			w, ordinal = w[:n], true
		}
	}
	day, ok = parseDigits(w)
	return day, ordinal, ok && len(w) <= 2 && day >= 1 && day <= 31
}
