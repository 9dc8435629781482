package temporal

// rows is the grammar of days, periods and spans of time. Dates by name and number, and
// times of day, have functions of their own (dates.go, clock.go).
func rows() []row {
	return append(holidayRows(), []row{
		// Days from where the speaker stands.
		{"today|tdy", days(0)},
		{"yesterday|yesterdays", days(-1)},
		{"tomorrow|tomorrows|tmrw|tmr", days(1)},
		{"the? day before yesterday", days(-2)},
		{"the? day after tomorrow|tmrw", days(2)},
		{"tonight|tonite", partOfDay(0, "night")},
		{"last night|nights|nite", partOfDay(-1, "night")},
		{"the? night before last", partOfDay(-2, "night")},
		{"this <part>", func(m *match) when {
			if m.part == "night" {
				return when{}
			}
			return partOfDay(0, m.part)(m)
		}},
		{"the? weekend before last", func(m *match) when { return m.weekend(m.ref, -2) }},
		{"the? <unit> before last", func(m *match) when { return m.farther(-2) }},
		{"the? <unit> after next", func(m *match) when { return m.farther(2) }},

		// Periods counted from the reference, and what lies in them.
		{"<step>", func(m *match) when { return m.period }},
		{"<step> <'s>? <,>? on? <weekday>", weekdayOfWeek},
		{"the? <ordinal> of <period>", func(m *match) when {
			if m.period.grain != GrainMonth || !m.period.relative {
				return when{}
			}
			return m.dayOf(m.period, m.number)
		}},
		{"the? <ordinal>", dayOfThisMonth},

		// Amounts of time before and after a day.
		{"<quantity> ago <anchor>?", ago},
		{"<quantity> or so ago <anchor>?", func(m *match) when { m.amount.vague = true; return ago(m) }},
		{"<quantity> back", func(m *match) when {
			if m.counts(m.end) {
				return when{}
			}
			return ago(m).likely()
		}},
		{"<quantity> hence", func(m *match) when { return m.estimate(m.shift(m.amount, 1)) }},
		{"<quantity> from|after now", func(m *match) when { return m.estimate(m.shift(m.amount, 1)) }},
		{"<quantity> later|afterwards|earlier", narrated},
		{"<quantity> before|prior|after|following", narrated},
		{"<quantity> before|prior|after|following|from to? <date>", fromDate},
		{"the <unit> before|after <date>", fromDate},
		{"the <unit> before|after", narrated},
		{"<count> weekend|weekends ago", func(m *match) when { return m.vagueCount(m.weekend(m.ref, -m.count/100)) }},
		{"<count> <weekdays> ago", func(m *match) when { // three Sundays ago
			back := (isoWeekday(m.ref)-m.weekday+6)%7 + 1
			return m.around(day, -back-7*(m.count/100-1)).likely()
		}},
		{"in|within|after about|around|approximately|roughly|just|another? <quantity> <time>?", ahead},

		// Spans that end or begin now.
		{"the|these? <dir> <quantity>", window},
		{"the? <count> <dir> <units>", func(m *match) when {
			if m.count == 100 {
				return when{}
			}
			m.amount.add(m.count, m.unit)
			return m.rolling(m.k, m.amount, m.unit)
		}},
		{"for just|only|well|at? about|around|almost|nearly|over|under|least? <quantity> now|already?", lasting},
		{"the? rest|remainder|remaining of <period>", rest},
		{"later in? <period>", func(m *match) when {
			if m.period.grain == GrainDay && m.at(m.last).lower != "today" {
				return when{}
			}
			return rest(m)
		}},
		{"now", present},
		{"right now", present},
		{"at present", present},
		{"at the moment", present},

		// Parts of a period.
		{"the? very? early|late on|in? <period> <part>?", thirdOf},
		{"the? mid|middle <->? <period>", thirdOf},
		{"the? very? beginning|begin|start|middle|end of <period>", thirdOf},
		{"the? beginning|begin|start|middle|end <month-period>", thirdOf},
		{"eod|eom|eoy", func(m *match) when {
			m.period, m.word = m.around(map[string]unit{"eod": day, "eom": month, "eoy": year}[m.parser.word(m.start)], 0), "end"
			return thirdOf(m)
		}},
		{"the? <ordinal> <count>? <piece> of|in <period> <on-weekday>?", piece},
		{"the? last <count>? <piece> of|in <period> <on-weekday>?", piece},

		// Weeks, quarters, seasons, years.
		{"week <number>", func(m *match) when { return m.weekOf(m.ref.Year(), m.number).likely() }},
		{"week <number> <,>? of|in? <year>", func(m *match) when { return m.weekOf(m.year, m.number) }},
		{"the? week|month|year of <date>", periodOf},
		{"the? week starting|beginning|commencing on|from? <date>", periodOf},
		{"<year> <->? <q>", func(m *match) when { return m.pieceOfYear(m.year) }},
		{"<q> <,>? of|in? <->? <year>", func(m *match) when { return m.pieceOfYear(m.year) }},
		{"<q> <,>? of|in? <year-step>", func(m *match) when { return m.inYear(m.pieceOfYear(m.period.from.Year())) }},
		{"<q>", func(m *match) when {
			if m.marked(m.end, '.') && m.at(m.end+1).digits > 0 {
				return when{}
			}
			w := m.pieceOfYear(m.ref.Year())
			if d := m.direction(m.start, m.end); d != silent {
				w = m.nearest(when{}, d, func(k int) when { return m.pieceOfYear(m.ref.Year() + k) })
			}
			return w.likely()
		}},
		{"the? <season> <,>? of|in? <year>", func(m *match) when { return m.season(m.year, m.month) }},
		{"the? <season> <,>? of|in <year-step>", func(m *match) when { return m.inYear(m.season(m.period.from.Year(), m.month)) }},
		{"the? <season>", seasonNow},
		{"the? calendar? year <digits>", func(m *match) when { return when{year: m.year} }},
		{"the? <decade>", func(m *match) when { return m.period }},
		{"the? <ordinal> century", func(m *match) when {
			if m.number > 100 {
				return when{}
			}
			return when{from: m.date(100*(m.number-1), 1, 1), to: m.date(100*m.number, 1, 1), grain: GrainCentury}
		}},
		{"<digits>", yearAlone},

		// Weekdays.
		{"<day-name> <,>? <(>? <day-date> <)>?", func(m *match) when { return m.period }},
		{"<day-name> <,>? the? <ordinal>", func(m *match) when {
			if m.number > 31 || m.counts(m.end) {
				return when{}
			}
			return when{day: m.number, weekday: m.weekday}
		}},
		{"<day-name> <,>? of|in|on|from? <step>", weekdayOfWeek},
		{"<day-name> after next", func(m *match) when {
			k := 1
			if m.weekday <= isoWeekday(m.ref) { // this week's is over
				k = 2
			}
			return m.dayOfWeek(m.around(week, k), m.weekday).likely()
		}},
		{"<day-name> before last", func(m *match) when {
			y, mo, d := m.weekdayStep(m.weekday, -1, "last").from.Date()
			w := m.exactDay(m.date(y, mo, d-7))
			w.relative = true
			return w.likely()
		}},
		{"<day-name>", func(m *match) when {
			if m.at(m.start).word.short && !m.shortWeekday(m.start, m.end) {
				return when{}
			}
			m.end = m.start + 1
			return when{weekday: m.weekday, confidence: Likely}
		}},

		// What is only perhaps a time of now.
		{"in|at? the|a|an? weekend|wkend", loose},
		{"in|at? the|a|an? <part> of <date>", func(m *match) when {
			if !m.period.isDay() || m.period.clock.part != "" {
				return when{}
			}
			m.period.clock.part = m.part // the night of March 3
			return m.period
		}},
		{"in|at? the|a|an? <part>", loose},
	}...)
}
