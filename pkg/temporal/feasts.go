package temporal

import "time"

func fixed(m time.Month, d int) func(int) (time.Month, int) {
	return func(int) (time.Month, int) { return m, d }
}

// weekdayOf is the nth such weekday (1 Monday to 7 Sunday) of the month, the last if
// n is -1.
func weekdayOf(m time.Month, weekday, n int) func(int) (time.Month, int) {
	return func(y int) (time.Month, int) {
		if n < 0 {
			last := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC)
			return m, last.Day() - (isoWeekday(last)-weekday+7)%7
		}
		return m, 1 + (weekday-isoWeekday(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC))+7)%7 + 7*(n-1)
	}
}

// workday is the day, or the Friday before or Monday after a weekend.
func workday(m time.Month, d int) func(int) (time.Month, int) {
	return func(y int) (time.Month, int) {
		switch isoWeekday(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) {
		case 6:
			return m, d - 1
		case 7:
			return m, d + 1
		}
		return m, d
	}
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

// roshHashanah is the first day of the Jewish year that begins in the year y
// (Reingold and Dershowitz, Calendrical Calculations, ch. 8).
func roshHashanah(y int) (time.Month, int) {
	t := time.Date(1, 1, hebrewNewYear(y+3761), 0, 0, 0, 0, time.UTC)
	return t.Month(), t.Day()
}

// hebrewNewYear is the day, counted from January 1 of the year 1, on which the Jewish
// year y begins.
func hebrewNewYear(y int) int {
	const epoch = -1373427
	last, this, next := hebrewElapsed(y-1), hebrewElapsed(y), hebrewElapsed(y+1)
	switch {
	case next-this == 356:
		this += 2
	case this-last == 382:
		this++
	}
	return epoch + this
}

func hebrewElapsed(y int) int {
	months := (235*y - 234) / 19
	parts := 12084 + 13753*months
	days := 29*months + parts/25920
	if 3*(days+1)%7 < 3 {
		days++
	}
	return days
}

// hanukkah is 25 Kislev: the second month of the year has 29 days or 30.
func hanukkah(y int) (time.Month, int) {
	first := hebrewNewYear(y + 3761)
	days := 83
	if (hebrewNewYear(y+3762)-first)%10 == 5 {
		days++
	}
	t := time.Date(1, 1, first+days, 0, 0, 0, 0, time.UTC)
	return t.Month(), t.Day()
}

func after(day func(int) (time.Month, int), days int) func(int) (time.Month, int) {
	return func(y int) (time.Month, int) {
		m, d := day(y)
		t := time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC)
		return t.Month(), t.Day()
	}
}
