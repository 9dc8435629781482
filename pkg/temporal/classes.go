package temporal

import "sync"

// classes are by their names in patterns.
var classes = sync.OnceValue(func() map[string]class {
	const any = figure | numeral | named | article | deictic | other
	single := func(opens opening, read func(m *match, w *word) bool) class {
		return class{opens, func(m *match, i int) int { return tokensIf(read(m, m.known(i)), 1) }}
	}
	number := func(lowest, highest int, into func(m *match, n int)) class {
		return class{figure | numeral, func(m *match, i int) int {
			n, tokens := m.numeral(i)
			into(m, n)
			return tokensIf(n >= lowest && n <= highest, tokens)
		}}
	}
	mark := func(marks ...rune) class {
		return class{0, func(m *match, i int) int { return tokensIf(m.marked(i, marks...), 1) }}
	}
	placed := func(opens opening, read rule, fits func(w when) bool) class { // an expression within one, on the calendar
		return class{opens, func(m *match, i int) (n int) {
			m.period, n = m.nested(read, i)
			m.period = m.settle(m.period, i, n)
			return tokensIf(m.period.grain != "" && (fits == nil || fits(m.period)), n)
		}}
	}
	return map[string]class{
		"unit":     single(other, func(m *match, w *word) bool { m.unit = w.unit; return w.unit >= day && !w.plural && w.ordinal == 0 }),
		"units":    single(0, func(m *match, w *word) bool { m.unit = w.unit; return w.unit > 0 }),
		"part":     single(named, func(m *match, w *word) bool { m.part = w.part; return w.part != "" }),
		"season":   single(named, func(m *match, w *word) bool { m.month = w.season; return w.season > 0 }),
		"weekdays": single(0, func(m *match, w *word) bool { m.weekday = w.weekday; return w.weekday > 0 && !w.short }),
		"wd": single(numeral|named, func(m *match, w *word) bool { // by its number, Sunday by its name
			m.weekday = max(w.weekday, w.number)
			return m.weekday > 0 && m.weekday <= 7
		}),
		"weekday": {named, func(m *match, i int) int {
			m.weekday = m.known(i).weekday
			return tokensIf(m.weekdayName(i), 1)
		}},
		"dir": {deictic, func(m *match, i int) int {
			m.k = m.known(i).step
			return tokensIf(m.next(i) != "", 1)
		}},
		"month": {named, func(m *match, i int) int {
			m.month = int(m.known(i).month)
			abbreviated := m.marked(i+1, '.') && m.at(i).end-m.at(i).start <= 5 && m.at(i+2).digits > 0
			return tokensIf(m.month > 0, 1+tokensIf(abbreviated, 1))
		}},

		"n": {figure | numeral, func(m *match, i int) int {
			n, tokens := m.numeral(i)
			m.number, m.vague = n, m.at(i).word.few
			decimal := m.marked(i+1, '.', ',') && m.at(i+2).digits > 0 && m.at(i+2).sep == sepNone
			return tokensIf(n > 0 && n <= 9999 && !decimal, tokens)
		}},
		"day":      number(1, 31, func(m *match, n int) { m.number = n }),
		"monthnum": number(1, 12, func(m *match, n int) { m.month = n }),
		"yearnum":  number(1900, 2099, func(m *match, n int) { m.year = n }),
		"year": {figure, func(m *match, i int) int {
			m.year = m.at(i).value
			return tokensIf(m.at(i).digits == 4 && m.goesOn(i) && plausible(m.year), 1)
		}},
		"digits": {figure, func(m *match, i int) int {
			m.year = m.at(i).value
			return tokensIf(m.at(i).digits == 4 && m.goesOn(i), 1)
		}},
		"yy": {0, func(m *match, i int) int { // the year of 3.5.26
			m.year = m.century(m.at(i).value)
			return tokensIf(m.at(i).digits == 2 && m.at(i).sep == sepNone, 1)
		}},
		"ordinal": {figure | numeral, func(m *match, i int) (n int) {
			m.number, n = m.ordinal(i)
			return tokensIf(m.goesOn(i), n)
		}},
		"quantity": {figure | numeral | article, func(m *match, i int) (n int) {
			m.amount, n = m.quantity(i)
			return tokensIf(m.goesOn(i), n)
		}},
		"count": {figure | numeral | article, func(m *match, i int) (n int) {
			m.count, n, m.vague = m.parser.count(i)
			return tokensIf(m.count%100 == 0 && m.count <= 100_00, n)
		}},

		"date":   placed(any, (*parser).dated, nil),
		"period": placed(0, (*parser).whole, nil), // or "the week"
		"month-period": placed(0, func(p *parser, i int) (when, int) { // the end of which needs no "of"
			if p.monthAt(i) == 0 || !p.month(i) {
				return when{}, 0
			}
			return p.whole(i)
		}, nil),
		"year-step": placed(article|deictic, (*parser).step, func(w when) bool { return w.grain == GrainYear }),
		"anchor":    placed(0, (*parser).anchor, nil), // Friday, from which "a week ago Friday" counts
		"decade":    placed(figure, (*parser).decade, nil),
		"step": {article | deictic, func(m *match, i int) (n int) { // last week
			if i == m.start {
				m.period, n = m.step(i)
			} else {
				m.period, n = m.nested((*parser).step, i)
			}
			return n
		}},
		"fields": {any, func(m *match, i int) (n int) { // a date that is yet to be placed
			m.period, n = m.nested((*parser).dated, i)
			return tokensIf(m.goesOn(i), n)
		}},
		"day-date": {0, func(m *match, i int) (n int) { // the date next to a weekday
			m.period, n = m.dayDate(i, m.weekday)
			return tokensIf(m.goesOn(i), n)
		}},
		"day-name": {named, func(m *match, i int) int {
			w := m.at(i).word
			m.weekday = w.weekday
			return tokensIf(w.weekday > 0 && !w.plural && !m.recurs(i), m.dot(i+1)-i)
		}},
		"on-weekday": {0, func(m *match, i int) int {
			j := m.skip(m.comma(m.dot(i)), "on")
			m.weekday = m.known(j).weekday
			return tokensIf(m.weekday > 0 && !m.known(j).plural, j+1-i)
		}},
		"piece": {0, func(m *match, i int) int {
			m.piece = m.known(i)
			return tokensIf(m.piece.weekday > 0 || m.piece.unit >= day || m.next(i) == "weekend" || m.next(i) == "wkend", 1)
		}},
		"q": {any, func(m *match, i int) (n int) {
			m.pieces, m.number, n = m.quarter(i)
			return n
		}},

		"time": {0, func(m *match, i int) int { // in two weeks' time
			j := i
			if m.marked(j, '\'', '’') {
				j = m.skip(j+1, "s")
			}
			return tokensIf(m.next(j) == "time", j+1-i)
		}},
		"ending": {0, func(m *match, i int) int { // 3'ünde
			return tokensIf(m.marked(i, '\'', '’') && m.at(i+1).lower != "" && m.at(i+1).sep == sepNone, 2)
		}},
		"'s": {0, func(m *match, i int) int {
			return tokensIf(m.marked(i, '\'', '’') && m.at(i+1).lower == "s" && m.at(i+1).sep == sepNone, 2)
		}},
		",": {0, func(m *match, i int) int { return m.comma(i) - i }},
		"-": mark('-', '–', '/'), ".": mark('.'), "/": mark('/'), "'": mark('\'', '’'),
		"minus": {0, func(m *match, i int) int { return tokensIf(m.at(i).mark == '-', 1) }},
		"plus":  {0, func(m *match, i int) int { return tokensIf(m.at(i).mark == '+', 1) }},
		"(":     {0, func(m *match, i int) int { return tokensIf(m.at(i).mark == '(', 1) }},
		")":     {0, func(m *match, i int) int { return tokensIf(m.marked(i, ')') && m.opened(i), 1) }},
	}
})

// goesOn reports whether the token at i continues the passage of an expression, or begins it.
func (m *match) goesOn(i int) bool { return m.at(i).sep != sepBreak || i == m.start }
