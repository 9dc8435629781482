package temporal

// direct reads last, this, next and their like; exact is false for those which
// also tell a story ("the next day", "the following week").
func (p *parser) direct(i int) (k, n int, exact bool) {
	start := i
	i = p.skip(i, "the")
	w := p.word(i)
	k = p.at(i).word.step
	if p.at(i).word.opening&deictic == 0 || i > start && p.at(i).sep == sepBreak {
		return 0, 0, false
	}
	exact = i == start && (w == "last" || w == "this" || w == "next")
	if w == "this" {
		if w := p.known(i + 1); w.opening&deictic != 0 { // this past Friday, this coming week
			return w.step, i + 2 - start, false
		}
	}
	return k, i + 1 - start, exact
}

// step reads last, this and next with a unit, a weekday, a weekend, a month
// or a season.
func (p *parser) step(i int) (when, int) {
	k, n, exact := p.direct(i)
	if n == 0 || p.inName(i) {
		return when{}, 0
	}
	if p.preceded(i, "a", "an", "every", "each", "very", "any", "this", "that", "these", "those") || // "the very next day"
		p.known(i+n).unit > 0 && p.preceded(i, "my", "his", "your", "their", "our") { // "my last week"
		return when{}, 0
	}
	j := i + n
	word, name := p.known(j), p.next(j)
	if name == "" {
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
		if k < 0 && word.unit >= hour && p.word(i) == "the" && p.preceded(i, "in", "over", "during", "for", "within", "throughout", "of", "through") {
			return p.rolling(k, amount{}, word.unit), n + 1 // up to now, rather than the calendar's
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
