package temporal

import (
	"strings"
	"sync"
	"time"
)

// holiday is a named day. Several names of one day are separated by "|"; apostrophes
// and hyphens don't count when they are compared.
type holiday struct {
	names string
	on    func(year int) (time.Month, int)
}

// holidays are those of the Western calendar, of the United States first where
// countries differ, and the Jewish ones that are computed.
func holidays() []holiday {
	return []holiday{
		{"new year's day|new years day|new year", fixed(1, 1)},
		{"new year's eve|new years eve|nye", fixed(12, 31)},
		{"epiphany|three kings day", fixed(1, 6)},
		{"martin luther king day|martin luther king's day|martin luther king jr day|mlk day", weekdayOf(1, 1, 3)},
		{"groundhog day", fixed(2, 2)},
		{"valentine's day|valentine day", fixed(2, 14)},
		{"presidents day|president's day|washington's birthday", weekdayOf(2, 1, 3)},
		{"international women's day|women's day", fixed(3, 8)},
		{"st patrick's day|saint patrick's day|st paddy's day|saint paddy's day", fixed(3, 17)},
		{"april fool's day|april fool's|april fool", fixed(4, 1)},
		{"earth day", fixed(4, 22)},
		{"king's day|koningsdag", fixed(4, 27)},
		{"anzac day", fixed(4, 25)},
		{"may day|labour day", fixed(5, 1)},
		{"star wars day", fixed(5, 4)},
		{"cinco de mayo", fixed(5, 5)},
		{"mother's day", weekdayOf(5, 7, 2)},
		{"memorial day", weekdayOf(5, 1, -1)},
		{"juneteenth", fixed(6, 19)},
		{"father's day", weekdayOf(6, 7, 3)},
		{"canada day", fixed(7, 1)},
		{"independence day", fixed(7, 4)},
		{"bastille day", fixed(7, 14)},
		{"assumption day", fixed(8, 15)},
		{"labor day", weekdayOf(9, 1, 1)},
		{"columbus day|indigenous peoples day", weekdayOf(10, 1, 2)},
		{"boss's day", workday(10, 16)},
		{"halloween|hallowe'en", fixed(10, 31)},
		{"all saints day", fixed(11, 1)},
		{"all souls day", fixed(11, 2)},
		{"guy fawkes night|guy fawkes day|bonfire night", fixed(11, 5)},
		{"veterans day|veteran's day|remembrance day|armistice day", fixed(11, 11)},
		{"thanksgiving day|thanksgiving", weekdayOf(11, 4, 4)},
		{"black friday", after(weekdayOf(11, 4, 4), 1)},
		{"cyber monday", after(weekdayOf(11, 4, 4), 4)},
		{"giving tuesday", after(weekdayOf(11, 4, 4), 5)},
		{"st nicholas day|saint nicholas day", fixed(12, 6)},
		{"christmas day|christmas|xmas day|xmas", fixed(12, 25)},
		{"christmas eve|xmas eve", fixed(12, 24)},
		{"boxing day|st stephen's day", fixed(12, 26)},

		{"shrove tuesday|mardi gras|pancake day|fat tuesday", after(easter, -47)},
		{"ash wednesday", after(easter, -46)},
		{"palm sunday", after(easter, -7)},
		{"maundy thursday|holy thursday", after(easter, -3)},
		{"good friday", after(easter, -2)},
		{"holy saturday|easter saturday", after(easter, -1)},
		{"easter sunday|easter day|easter", easter},
		{"easter monday", after(easter, 1)},
		{"ascension day|ascension thursday", after(easter, 39)},
		{"pentecost|whit sunday|white sunday", after(easter, 49)},
		{"whit monday|pentecost monday", after(easter, 50)},
		{"trinity sunday", after(easter, 56)},
		{"corpus christi", after(easter, 60)},

		{"purim", after(roshHashanah, -193)},
		{"passover|pesach", after(roshHashanah, -163)},
		{"shavuot|shavuoth", after(roshHashanah, -113)},
		{"rosh hashanah|rosh hashana|jewish new year", roshHashanah},
		{"yom kippur", after(roshHashanah, 9)},
		{"sukkot|sukkoth", after(roshHashanah, 14)},
		{"simchat torah", after(roshHashanah, 22)},
		{"hanukkah|chanukah|hannukah", hanukkah},
	}
}

// holidayName is a name of a holiday, its letters only.
type holidayName struct {
	letters string
	on      func(int) (time.Month, int)
}

// holidayNames are found by the first word of the name.
var holidayNames = sync.OnceValue(func() map[string][]holidayName {
	names := map[string][]holidayName{}
	for _, h := range holidays() {
		for _, name := range strings.Split(h.names, "|") {
			first, _, _ := strings.Cut(name, " ")
			entry := holidayName{strings.NewReplacer(" ", "", "'", "").Replace(name), h.on}
			stem, _, possessive := strings.Cut(first, "'")
			names[stem] = append(names[stem], entry)
			if possessive {
				whole := strings.ReplaceAll(first, "'", "")
				names[whole] = append(names[whole], entry)
			}
		}
	}
	return names
})

// holiday reads the name of a holiday with or without a year: Christmas Eve, last
// Thanksgiving, Easter 2026, Labor Day weekend.
func (p *parser) holiday(i int) (when, int) {
	k, n, _ := p.direct(i)
	j := p.skip(i+n, "the")
	on, length := p.holidayName(j)
	end := j + length
	switch p.word(p.before(i)) {
	case "every", "each":
		return when{}, 0
	case "chinese", "lunar", "jewish", "islamic", "hindu", "orthodox", "persian", "thai":
		return when{}, 0 // another calendar
	}
	if length == 0 || n > 0 && p.at(j).sep == sepBreak {
		return when{}, 0
	}
	days := 0
	if p.next(end) == "eve" {
		days, end = -1, end+1
	}
	weekend := p.next(end) == "weekend"
	if weekend {
		end++
	}
	at := func(y int) when {
		m, d := on(y)
		w := p.exactDay(p.date(y, m, d+days))
		if weekend {
			w = p.longWeekend(w)
		}
		return w
	}
	y := p.skip(p.comma(end), "of", "in")
	if t := p.at(y); t.digits == 4 && t.sep != sepBreak && plausible(t.value) {
		return at(t.value), y + 1 - i
	}
	if w, m := p.nested((*parser).lastThisNext, y); m > 0 && w.grain == GrainYear {
		r := at(w.from.Year())
		r.relative = true
		return r, y + m - i
	}
	w := at(p.ref.Year())
	d := p.direction(i, end)
	switch {
	case n > 0 && k < 0, n == 0 && d == past:
		if w.to.After(p.ref) && (n > 0 || w.from.After(p.ref)) {
			w = at(p.ref.Year() - 1)
		}
	case n > 0 && k == 0 && p.word(i) == "this":
	case !w.to.After(p.ref):
		w = at(p.ref.Year() + 1)
	}
	w.relative = n > 0
	return w.likely(), end - i
}

// holidayName reads the longest name of a holiday at i.
func (p *parser) holidayName(i int) (on func(year int) (time.Month, int), tokens int) {
	for _, name := range holidayNames()[p.word(i)] {
		if end := p.spells(i, name.letters); end-i > tokens {
			on, tokens = name.on, end-i
		}
	}
	return on, tokens
}

// longWeekend is a holiday with the weekend that it makes longer.
func (p *parser) longWeekend(w when) when {
	y, m, d := w.from.Date()
	switch day := isoWeekday(w.from); day {
	case 1, 2:
		w.from = p.date(y, m, d-day-1)
	default:
		w.to = p.date(y, m, d+8-day)
		if day > 5 {
			w.from = p.date(y, m, d+6-day)
		}
	}
	w.grain = GrainWeekend
	return w
}

// spells returns the token after the words from i on that have the given letters,
// 0 if they are others.
func (p *parser) spells(i int, letters string) int {
	for ; i < len(p.tokens); i++ {
		t := &p.tokens[i]
		switch {
		case t.lower != "":
			rest, ok := strings.CutPrefix(letters, t.lower)
			if !ok {
				return 0
			}
			if letters = rest; letters == "" {
				return i + 1
			}
		case t.mark == '\'' || t.mark == '’':
			if p.at(i+1).lower != "s" && !strings.HasSuffix(p.word(i-1), "s") {
				return 0
			}
		case t.mark != '-' && t.mark != '.':
			return 0
		}
		if i+1 < len(p.tokens) && p.tokens[i+1].sep == sepBreak {
			return 0
		}
	}
	return 0
}
