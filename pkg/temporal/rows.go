package temporal

import "sync"

// readings are by the names they have in the data files.
var readings = sync.OnceValue(allReadings)

// unitNames are the readings that are a unit of the calendar, k units from the reference's.
var unitNames = map[string]unit{"week": week, "month": month, "year": year}

func allReadings() map[string]reading {
	return map[string]reading{
		"day": func(m *match, k int) when {
			if m.at(m.before(m.start)).word.role&noun != 0 || m.english() && m.inName(m.start) {
				return when{}
			}
			return m.around(day, k)
		},
		"part": func(m *match, k int) when { // yesterday evening
			w := m.around(day, k)
			w.clock.part = m.part
			return w
		},
		"night": func(m *match, k int) when { return m.partOfDay(k, "night") },
		"unit": func(m *match, k int) when { // last week
			if m.unit < week {
				return when{}
			}
			return m.around(m.unit, k)
		},
		"weekend":    func(m *match, k int) when { return m.weekend(m.ref, k) },
		"weekday":    func(m *match, k int) when { return m.weekdayStep(m.weekday, k, "") },
		"named-next": func(m *match, _ int) when { return m.weekdayStep(m.weekday, 1, "next") },
		"week-day":   func(m *match, k int) when { return m.dayOfWeek(m.around(week, k), m.weekday) },
		"on-weekday": func(m *match, _ int) when {
			if m.at(m.before(m.start)).word.role&every != 0 {
				return when{}
			}
			return when{weekday: m.weekday, confidence: Likely}
		},
		"in-month":   func(m *match, k int) when { return m.monthStep(m.month, k).likely() },
		"ago":        func(m *match, _ int) when { return m.counted(-1) },
		"ahead":      aheadOf,
		"week-later": func(m *match, k int) when { return m.exactDayRelative(m.period.from.AddDate(0, 0, 7*k)) },
		"since": func(m *match, _ int) when {
			w := m.counted(-1)
			w.shape = Since
			return w
		},
		"window": func(m *match, k int) when {
			a := amount{}
			a.add(100*m.number, m.unit)
			return m.rolling(k, a, m.unit)
		},
		"date": func(m *match, _ int) when { // with a month, without one, with the day only
			w := when{year: m.year, month: m.month, day: m.number}
			goesOn := !m.lang.dense && m.at(m.end).digits > 0 && m.at(m.end).sep == sepNone
			if goesOn || m.number > 0 && !m.possible(w) || m.month == 0 && m.year == 0 {
				return when{}
			}
			return w
		},
		"date-year": func(m *match, k int) when { // March 5 of last year
			return m.inYear(m.place(when{year: m.ref.Year() + k, month: m.month, day: m.number}, silent))
		},
		"day-of": func(m *match, _ int) when {
			if m.period.grain != GrainMonth || !m.period.relative {
				return when{}
			}
			return m.dayOf(m.period, m.number)
		},
		"day-of-month": func(m *match, k int) when { return m.dayOf(m.around(month, k), m.number) },
		"weekday-date": func(m *match, _ int) when {
			w := m.period
			if w.day == 0 {
				return when{}
			}
			w.weekday = m.weekday
			return w
		},
		"third": func(m *match, k int) when {
			switch {
			case m.period.grain != "":
			case m.month > 0:
				m.period = m.place(when{year: m.year, month: m.month}, m.direction(m.start, m.end))
			case m.year > 0:
				m.period = m.place(when{year: m.year}, silent)
			case m.unit >= week:
				m.period = m.around(m.unit, 0)
			default:
				return when{}
			}
			return third(m, k)
		},
		"third-month": func(m *match, k int) when { m.period = m.around(month, 0); return third(m, k) },
		"third-year":  func(m *match, k int) when { m.period = m.around(year, 0); return third(m, k) },
		"third-week":  func(m *match, k int) when { m.period = m.around(week, 0); return third(m, k) },
		"quarter": func(m *match, _ int) when {
			if m.number < 1 || m.number > 4 {
				return when{}
			}
			m.pieces = max(m.pieces, 4)
			if m.year == 0 {
				return m.pieceOfYear(m.ref.Year()).likely()
			}
			return m.pieceOfYear(m.year)
		},

		// Those of English.
		"this-part": func(m *match, _ int) when {
			if m.part == "night" {
				return when{}
			}
			return m.partOfDay(0, m.part)
		},
		"farther": func(m *match, k int) when { // the week before last, the month after next
			if m.unit < week || m.unit > year {
				return when{}
			}
			return m.around(m.unit, k)
		},
		"period":            func(m *match, _ int) when { return m.period },
		"step-day":          weekdayOfWeek,
		"day-of-this-month": dayOfThisMonth,
		"ago-amount":        ago,
		"about-ago":         func(m *match, _ int) when { m.amount.vague = true; return ago(m, 0) },
		"back": func(m *match, _ int) when {
			if m.counts(m.end) {
				return when{}
			}
			return ago(m, 0).likely()
		},
		"hence":        func(m *match, _ int) when { return m.estimate(m.shift(m.amount, 1)) },
		"narrated":     narrated,
		"from-date":    fromDate,
		"weekends-ago": func(m *match, _ int) when { return m.weekend(m.ref, -m.count/100) },
		"weekdays-ago": func(m *match, _ int) when { // three Sundays ago
			back := (isoWeekday(m.ref)-m.weekday+6)%7 + 1
			return m.around(day, -back-7*(m.count/100-1)).likely()
		},
		"weekdays-ahead": func(m *match, _ int) when { // three Fridays from now
			ahead := (m.weekday-isoWeekday(m.ref)+6)%7 + 1
			return m.around(day, ahead+7*(m.count/100-1)).likely()
		},
		"now-amount": func(m *match, k int) when { return m.shift(m.amount, k) }, // now - 2 hours
		"in-amount":  ahead,
		"span":       window,
		"span-count": func(m *match, _ int) when {
			if m.count == 100 {
				return when{}
			}
			m.amount.add(m.count, m.unit)
			return m.rolling(m.k, m.amount, m.unit)
		},
		"present": present,
		"end-of": func(m *match, k int) when {
			m.period = m.around(unit(k), 0)
			return third(m, 2)
		},
		"piece": piece,
		"week-number": func(m *match, _ int) when {
			if m.year == 0 {
				return m.weekOf(m.ref.Year(), m.number).likely()
			}
			return m.weekOf(m.year, m.number)
		},
		"week-of": func(m *match, k int) when { // the week of April 10, the week starting on it
			w := m.period
			if w.grain != GrainDay {
				return when{}
			}
			if w = m.unitFrom(week, w.from, 0); k > 0 {
				w.from, w.to = m.period.from, m.period.from.AddDate(0, 0, 7)
			}
			w.relative = m.period.relative
			return w.likely()
		},
		"quarter-of": quarterOf,
		"season-of": func(m *match, _ int) when {
			if m.year > 0 {
				return m.season(m.year, m.month)
			}
			return m.inYear(m.season(m.period.from.Year(), m.month))
		},
		"year-named": func(m *match, _ int) when { return when{year: m.year} },
		"century": func(m *match, _ int) when {
			if m.number > 100 {
				return when{}
			}
			return when{from: m.date(100*(m.number-1), 1, 1), to: m.date(100*m.number, 1, 1), grain: GrainCentury}
		},
		"year-alone": yearAlone,
		"weekday-ordinal": func(m *match, _ int) when {
			if m.number > 31 || m.counts(m.end) {
				return when{}
			}
			return when{day: m.number, weekday: m.weekday}
		},
		"weekday-week": func(m *match, _ int) when { // Wednesday week
			return m.exactDayRelative(m.weekdayNear(m.weekday, future).from.AddDate(0, 0, 7)).likely()
		},
		"weekday-after-next": func(m *match, _ int) when {
			k := 1
			if m.weekday <= isoWeekday(m.ref) { // this week's is over
				k = 2
			}
			return m.dayOfWeek(m.around(week, k), m.weekday).likely()
		},
		"weekday-before-last": func(m *match, _ int) when {
			return m.exactDayRelative(m.weekdayStep(m.weekday, -1, "last").from.AddDate(0, 0, -7)).likely()
		},
		"weekday-alone": func(m *match, _ int) when {
			if m.at(m.start).word.short && !m.shortWeekday(m.start, m.end) {
				return when{}
			}
			m.end = m.start + 1
			return when{weekday: m.weekday, confidence: Likely}
		},
		"loose": loose,
		"part-of-date": func(m *match, _ int) when {
			if !m.period.isDay() || m.period.clock.part != "" {
				return when{}
			}
			m.period.clock.part = m.part // the night of March 3
			return m.period
		},
		"holiday": holiday,
	}
}
