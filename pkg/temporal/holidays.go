package temporal

import (
	"time"
)

// holidays are the few that notes name, by the patterns of their names.
var holidays = []struct {
	pattern string
	on      func(year int) (time.Month, int)
}{
	{"new year <'s>? day?", fixed(1, 1)},
	{"new year|years <'s>? eve", fixed(12, 31)},
	{"valentine|valentines <'s>? day", fixed(2, 14)},
	{"easter sunday|day?", easter},
	{"april fool|fools <'s>? day?", fixed(4, 1)},
	{"halloween", fixed(10, 31)},
	{"thanksgiving day?", func(y int) (time.Month, int) { // the fourth Thursday of November
		return time.November, 28 - (isoWeekday(time.Date(y, 11, 28, 0, 0, 0, 0, time.UTC))+3)%7
	}},
	{"christmas|xmas day?", fixed(12, 25)},
	{"christmas|xmas eve", fixed(12, 24)},
}

func fixed(m time.Month, d int) func(int) (time.Month, int) {
	return func(int) (time.Month, int) { return m, d }
}

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

// holidayRows are the rows of the holidays, with and without a year.
func holidayRows() (all []row) {
	for _, h := range holidays {
		in := func(m *match, year int) when {
			month, d := h.on(year)
			return m.exact(year, month, d)
		}
		near := func(m *match) when { return m.holidayNear(func(year int) when { return in(m, year) }) }
		all = append(all,
			row{h.pattern + " <,>? of|in? <year>", func(m *match) when { return in(m, m.year) }},
			row{h.pattern + " <,>? of|in? <year-step>", func(m *match) when { return m.inYear(in(m, m.period.from.Year())) }},
			row{h.pattern, near}, row{"the? <dir> " + h.pattern, near},
			row{"<year-step> <'s> " + h.pattern, func(m *match) when { return m.inYear(in(m, m.period.from.Year())) }})
	}
	return all
}

// holidayNear is the holiday in the direction that a word before or the tense tells,
// without one the next.
func (m *match) holidayNear(in func(year int) when) when {
	if m.preceded(m.start, "every", "each", "chinese", "lunar", "jewish", "islamic", "orthodox", "persian") {
		return when{} // or another calendar's
	}
	word := m.next(m.skip(m.start, "the"))
	_, directed := directions[word]
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
