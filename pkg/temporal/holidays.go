package temporal

import "time"

// easter is Easter Sunday of the Gregorian calendar, by the algorithm of Meeus,
// Jones and Butcher (Nature 14, 1876, p. 487).
func easter(y int) (time.Month, int) {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Month(n / 31), n%31 + 1
}

// holidayRows are the patterns of a holiday, with and without a year.
func holidayRows(names []string) (all []string) {
	for _, name := range names {
		all = append(all, name+" <,>? of|in? <year>", name+" <,>? of|in? <year-step>", name, "the? <dir> "+name, "<year-step> <'s> "+name)
	}
	return all
}

// holiday is the day of a holiday by its number in the data file, which explains it.
func holiday(m *match, k int) when {
	in := func(year int) when {
		month, d := time.Month(k/100), k%100
		switch {
		case k == 0:
			month, d = easter(year)
		case k < 0: // the first day of the month, and from there
			month = time.Month(-k / 100)
			weekday, n := -k/10%10, -k%10
			d = 1 + (weekday-isoWeekday(m.date(year, month, 1))+7)%7 + 7*(n-1)
			if m.exact(year, month, d).grain == "" {
				d -= 7
			}
		}
		return m.exact(year, month, d)
	}
	switch {
	case m.year > 0:
		return in(m.year)
	case m.period.grain != "":
		return m.inYear(in(m.period.from.Year()))
	}
	return m.holidayNear(in)
}

// holidayNear is the holiday in the direction that a word before or the tense tells,
// without one the next.
func (m *match) holidayNear(in func(year int) when) when {
	if m.preceded(m.start, "every", "each", "chinese", "lunar", "jewish", "islamic", "orthodox", "persian") {
		return when{} // or another calendar's
	}
	word := m.next(m.skip(m.start, "the"))
	directed := m.known(m.skip(m.start, "the")).opening&deictic != 0
	w := in(m.ref.Year())
	switch {
	case directed && m.k < 0 && w.to.After(m.ref), !directed && m.direction(m.start, m.end) == past && w.from.After(m.ref):
		w = in(m.ref.Year() - 1)
	case directed && m.k < 0, word == "this", !directed && m.direction(m.start, m.end) == past, w.to.After(m.ref):
	default:
		w = in(m.ref.Year() + 1)
	}
	w.relative = directed
	return w.likely()
}
