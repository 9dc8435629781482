package temporal

// deicticDay reads the days and nights that are named by where the speaker
// stands: today, last night, the day before yesterday.
func (p *parser) deicticDay(i int) (when, int) {
	start := i
	i = p.skip(i, "the")
	if p.word(i) == "day" {
		switch side, anchor := p.next(i+1), p.next(i+2); {
		case side == "before" && anchor == "yesterday":
			return p.around(day, -2), i + 3 - start
		case side == "after" && (anchor == "tomorrow" || anchor == "tmrw"):
			return p.around(day, 2), i + 3 - start
		}
		return when{}, 0
	}
	if p.next(i) == "weekend" && p.next(i+1) == "before" && p.next(i+2) == "last" {
		return p.weekend(p.ref, -2), i + 3 - start
	}
	if u := p.known(i).unit; u >= week && u <= year && !p.known(i).plural {
		switch side, anchor := p.next(i+1), p.next(i+2); {
		case side == "before" && anchor == "last":
			return p.around(u, -2), i + 3 - start
		case side == "after" && anchor == "next":
			return p.around(u, 2), i + 3 - start
		}
	}
	if i > start {
		return when{}, 0
	}
	if p.inName(i) {
		return when{}, 0
	}
	switch p.word(i) {
	case "today", "tdy":
		return p.around(day, 0), 1
	case "tonight", "tonite":
		return p.partOf(0, "night"), 1
	case "yesterday", "yesterdays":
		return p.around(day, -1), 1
	case "tomorrow", "tomorrows", "tmrw", "tmr":
		return p.around(day, 1), 1
	case "last":
		if n := p.next(i + 1); n == "night" || n == "nights" || n == "nite" {
			return p.partOf(-1, "night"), 2
		}
	case "this":
		if part := p.known(i + 1).part; part != "" && part != "night" {
			return p.partOf(0, part), 2
		}
	}
	return when{}, 0
}

func (p *parser) partOf(days int, part string) when {
	w := p.around(day, days)
	w.clock.part = part
	return w
}

// inName reports whether the word at i belongs to a title, as in "USA Today".
func (p *parser) inName(i int) bool {
	t := p.at(i)
	if !t.capital || t.end-t.start > 1 && p.text[t.start+1] < 'a' {
		return false
	}
	j := p.before(i)
	return j >= 0 && p.tokens[j].capital && p.tokens[j].lower != "" && !p.tokens[j].word.function &&
		p.tokens[j].word.weekday == 0 && p.tokens[j].word.cue == silent && !p.lineBreak(i)
}

// nowPlus reads "now - 2 hours", "now + 1 day".
func (p *parser) nowPlus(i int) (when, int) {
	sign := map[rune]int{'+': 1, '-': -1, '−': -1}[p.at(i+1).mark]
	if p.word(i) != "now" || sign == 0 || p.at(i+1).sep == sepBreak {
		return when{}, 0
	}
	a, n := p.quantity(i + 2)
	if n == 0 || p.at(i+2).sep == sepBreak {
		return when{}, 0
	}
	w := when{grain: grains[min(a.coarse, day)], relative: true, confidence: Likely}
	w.from, w.to = p.span(min(a.coarse, day), a.after(p.ref, sign), 0, 1)
	return w, n + 2
}

// present reads now, right now, at present: where it is one end of a range, or
// stands alone. In running text "now" is mostly a particle.
func (p *parser) present(i int) (when, int) {
	n := 0
	switch {
	case p.word(i) == "now":
		n = 1
	case p.word(i) == "right" && p.next(i+1) == "now", p.word(i) == "at" && p.next(i+1) == "present":
		n = 2
	case p.word(i) == "at" && p.next(i+1) == "the" && p.next(i+2) == "moment":
		n = 3
	}
	now := p.word(i+n-1) == "now"
	if n == 0 || now && !p.ranged && !p.alone(i, i+n) || p.counts(i+n) {
		return when{}, 0
	}
	if p.ranged {
		return p.around(minute, 0).likely(), n
	}
	return p.around(minute, 0).guess(), n
}

// directions are the words that step from the reference by whole units.
var directions = map[string]int{
	"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "following": 1, "coming": 1, "upcoming": 1,
}

// direct reads last, this, next and their like; exact is false for those which
// also tell a story ("the next day", "the following week").
func (p *parser) direct(i int) (k, n int, exact bool) {
	start := i
	i = p.skip(i, "the")
	w := p.word(i)
	k, ok := directions[w]
	if !ok || i > start && p.at(i).sep == sepBreak {
		return 0, 0, false
	}
	exact = i == start && (w == "last" || w == "this" || w == "next")
	if w == "this" {
		if k, ok := directions[p.next(i+1)]; ok { // this past Friday, this coming week
			return k, i + 2 - start, false
		}
	}
	return k, i + 1 - start, exact
}

// lastThisNext reads last, this and next with a unit, a weekday, a weekend, a month
// or a season.
func (p *parser) lastThisNext(i int) (when, int) {
	k, n, exact := p.direct(i)
	if n == 0 || p.inName(i) {
		return when{}, 0
	}
	switch p.word(p.before(i)) {
	case "a", "an", "every", "each", "very", "any", "this", "that", "these", "those", "my", "his", "her", "your", "their", "our":
		return when{}, 0 // "the very next day", "my last week"
	}
	j := i + n
	word, name := p.known(j), p.next(j)
	if name == "" || p.limited(j+1) {
		return when{}, 0
	}
	w := when{}
	switch {
	case name == "weekend" || name == "wkend":
		w = p.weekend(p.ref, k)
		if k > 0 {
			w = w.likely() // the coming one to some, the one after to others
		}
	case word.unit > 0 && !word.plural && word.ordinal == 0:
		if p.rolls(i, k, word.unit) {
			return p.rolling(k, amount{}, word.unit), n + 1
		}
		w = p.around(word.unit, k)
		if word.unit < week {
			if k == 0 || k < 0 && word.unit == day {
				return when{}, 0 // "this day", "this second", "the last minute"
			}
			w = w.likely()
		}
		if k < 0 && p.word(i) == "the" || k > 0 && p.word(i) == "the" && word.unit <= week {
			w = w.likely()
		}
	case word.weekday > 0 && !word.plural:
		if word.short && k != 0 && !p.at(j).capital && p.counts(j+1) {
			return when{}, 0
		}
		w = p.weekdayStep(word.weekday, k, p.word(i+n-1))
	case word.month > 0 && (p.month(j) || name != "may") && !(name == "may" && k == 0):
		if word.short && name != "march" && !p.at(j).capital {
			return when{}, 0
		}
		if p.at(j+1).digits > 0 && p.at(j+1).sep == sepBlank {
			return when{}, 0 // "this May 5": a date
		}
		w = p.monthStep(int(word.month), k)
		n = p.dot(j+1) - i - 1
	case word.season > 0 && !p.counts(j+1):
		w = p.seasonStep(word.season, k)
	default:
		return when{}, 0
	}
	if !exact {
		w = w.likely()
	}
	return w, n + 1
}

// limited reports whether the words from i on make the expression before them a
// part of something else: "the last Friday of March", "next year in May".
func (p *parser) limited(i int) bool {
	switch p.next(i) {
	case "of":
		return true
	case "in":
		return p.at(i+1).word.month > 0
	case "or":
		return p.at(i+1).digits > 0
	}
	return false
}

// rolls reports whether "the last month", "the past week" is a stretch of time up
// to now rather than the calendar's: after a preposition of duration.
func (p *parser) rolls(i, k int, u unit) bool {
	if k >= 0 || p.word(i) != "the" || u < hour {
		return false
	}
	switch p.word(p.before(i)) {
	case "in", "over", "during", "for", "within", "throughout", "of", "through":
		return true
	}
	return false
}

// weekdayStep is the nearest such day before (-1) or after (+1) the day of the
// reference, or (0) the one of its week. "Next Friday", said with a Friday still to
// come this week, is that one to some and the one after to others.
func (p *parser) weekdayStep(weekday, k int, word string) when {
	delta := weekday - isoWeekday(p.ref)
	doubt := false
	switch {
	case k == 0:
		doubt = delta < 0
	case k < 0:
		doubt = delta < 0
		if delta >= 0 {
			delta -= 7
		}
	case k > 0:
		doubt = delta > 0
		if delta <= 0 {
			delta += 7
		} else if word == "next" || word == "following" {
			delta += 7
		}
	}
	w := p.around(day, delta)
	if doubt {
		w = w.likely()
	}
	return w
}

// monthStep is the nearest such month before (-1) or after (+1) the month of the
// reference, or (0) the one of its year.
func (p *parser) monthStep(m, k int) when {
	y, now, _ := p.ref.Date()
	switch {
	case k < 0 && m >= int(now):
		y--
	case k > 0 && m <= int(now):
		y++
	}
	return p.around(month, 12*(y-p.ref.Year())+m-int(now))
}

// seasonStep is the last one that is over (-1), the next one to begin (+1), or (0)
// the one of the year.
func (p *parser) seasonStep(first, k int) when {
	y := p.ref.Year()
	w := p.season(y, first)
	switch {
	case k < 0 && w.to.After(p.ref):
		w = p.season(y-1, first)
	case k > 0 && !w.from.After(p.ref):
		w = p.season(y+1, first)
	case k == 0 && first == 12 && p.ref.Month() < 3:
		w = p.season(y-1, first) // January's winter began last year
	}
	w.relative = true
	return w.likely()
}
