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
	if p.next(i) == "night" && p.next(i+1) == "before" && p.next(i+2) == "last" {
		return p.partOf(-2, "night"), i + 3 - start
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

// loose reads what is only perhaps a time of now: a part of the day, the weekend.
func (p *parser) loose(i int) (when, int) {
	start := i
	j := p.skip(i, "in", "at")
	j = p.skip(j, "the", "a", "an")
	t := p.at(j)
	if t.sep == sepBreak && j > i {
		return when{}, 0
	}
	switch b := p.word(p.before(i)); {
	case b == "good" || b == "every" || b == "each" || b == "all" || b == "any":
		return when{}, 0
	case t.lower == "weekend" || t.lower == "wkend":
		if p.word(i) == "a" || b == "a" {
			return when{}, 0 // once a weekend
		}
		k := 0
		if p.direction(start, j+1) == past && isoWeekday(p.ref) < 6 {
			k = -1
		}
		w := p.weekend(p.ref, k)
		return w.guess(), j + 1 - start
	case t.word.part != "" && p.next(j+1) == "of":
		if w, n := p.nested((*parser).dated, j+2); n > 0 && w.isDay() && w.clock.part == "" {
			w.clock.part = t.word.part // the night of March 3
			return w, j + 2 + n - start
		}
		fallthrough
	case t.word.part != "":
		return p.partOf(0, t.word.part).guess(), j + 1 - start
	}
	return when{}, 0
}
