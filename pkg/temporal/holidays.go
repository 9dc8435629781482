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
func holidayRows(name string) []string {
	return []string{name + " <,>? of|in? <year>", name + " <,>? of|in? <year-step>", name, "the? <dir> " + name, "<year-step> <'s> " + name}
}

// holiday is the day of a holiday by its number in the data file: the month and the day, 0 for Easter, 1100 for Thanksgiving.
func holiday(m *match, k int) when {
	in := func(year int) when {
		month, d := time.Month(k/100), k%100
		switch k {
		case 0:
			month, d = easter(year)
		case 1100: // the fourth Thursday of November
			d = 28 - (isoWeekday(time.Date(year, 11, 28, 0, 0, 0, 0, time.UTC))+3)%7
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
