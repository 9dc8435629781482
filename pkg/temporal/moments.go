package temporal

import "time"

// withClock takes in the weekday, the part of the day and the time that follow a
// day.
func (p *parser) withClock(w when, start, end int) (when, int) {
	if !w.isDay() {
		return w, end - start
	}
	if k := p.comma(end); w.weekday == 0 && w.day > 0 && p.weekdayName(k) { // 14 December, Friday
		w.weekday, end = p.at(k).word.weekday, k+1
	}
	if part, n := p.partAfter(end); n > 0 && w.clock.part == "" {
		w.clock.part, end = part, end+n
	}
	w.dayEnd, w.dayConfidence = end, w.confidence

	j := end
	switch p.at(j).mark {
	case ',', '-', '@', '∙', '·':
		j++
	}
	if p.at(j).sep == sepBreak {
		return w, end - start
	}
	if p.at(j).lower == "t" && p.at(j).sep == sepNone && p.at(j+1).sep == sepNone { // 2026-03-11T14:30
		j++
	}
	c, n := p.clockRead(j)
	if n == 0 || !p.certain(c, p.next(j), j, n) {
		return w, end - start
	}
	if c.part == "" && w.clock.part != "" {
		c.part = w.clock.part
		c.adjust()
	}
	c.half = c.half || p.at(start).digits == 4 && !c.hourly // 2026-02-01 10:20
	if !c.half {
		w.confidence = min(w.confidence, Likely)
	}
	end = j + n
	if c.zone == nil {
		c, end = p.offset(c, end)
	}
	if y := p.at(end); w.year == 0 && w.month > 0 && y.digits == 4 && plausible(y.value) && y.sep == sepBlank { // Oct 26 11:00 2023
		w.year, end = y.value, end+1
	}
	w.clock = c
	return w, end - start
}

// weekdayName reports whether a weekday stands at i, in the singular.
func (p *parser) weekdayName(i int) bool {
	w := p.known(i)
	return w.weekday > 0 && !w.plural && (!w.short || p.at(i).capital)
}

// partAfter reads the part of a day after the day: "morning", "in the early evening",
// "late at night".
func (p *parser) partAfter(i int) (part string, tokens int) {
	j := p.skip(i, "early", "late")
	if part := p.known(j).part; part != "" {
		return part, j + 1 - i
	}
	switch p.next(j) {
	case "in", "at":
		j = p.skip(j+1, "the")
		j = p.skip(j, "early", "late")
		if part := p.known(j).part; part != "" && !p.counts(j+1) {
			return part, j + 1 - i
		}
	}
	return "", 0
}

// offset reads +02:00 after a time.
func (p *parser) offset(c clock, i int) (clock, int) {
	sign, t := p.at(i).mark, p.at(i+1)
	if sign != '+' && sign != '-' || p.at(i).sep == sepBreak || t.sep != sepNone {
		return c, i
	}
	minutes, end := 0, i+2
	switch {
	case t.digits == 4 && t.value%100 < 60: // +0100
		minutes = 60*(t.value/100) + t.value%100
	case t.digits == 2 && p.minutes(i+2): // +01:00
		minutes, end = 60*t.value+p.at(i+3).value, i+4
	default:
		return c, i
	}
	if minutes > 15*60 || sign == '-' && p.at(i).sep == sepBlank && p.at(i-1).digits == 0 {
		return c, i
	}
	if sign == '-' {
		minutes = -minutes
	}
	c.zone = time.FixedZone("", minutes*60)
	return c, end
}

// certain reports whether the n tokens at i are a time of day and not a bare
// number beside a date.
func (p *parser) certain(c clock, before string, i, n int) bool {
	if c.half && !c.weak || !c.hourly && p.at(i+n-1).digits > 0 {
		return true
	}
	switch before {
	case "at", "from", "between", "around", "about":
		return !p.counts(i + n)
	}
	return p.at(i).mark == '@' || p.at(i-1).mark == '@' || p.word(i+n-1) == "clock"
}

// isDay reports whether a time of day can be set on w.
func (w when) isDay() bool {
	return w.grain == GrainDay || w.grain == "" && (w.day > 0 || w.weekday > 0)
}

// clockFirst reads a time of day with or without its day: 3pm, noon on Friday, 9
// tomorrow evening, 15:00 GMT Saturday.
func (p *parser) clockFirst(i int) (when, int) {
	c, n := p.clockRead(i)
	if n == 0 {
		return when{}, 0
	}
	end := i + n
	j := p.comma(end)
	if p.at(j).mark == '∙' || p.at(j).mark == '·' {
		j++
	}
	j = p.skip(j, "on", "of")
	if w, m := p.nested((*parser).dated, j); m > 0 && w.isDay() &&
		(p.certain(c, p.word(i), i, n) || w.grain == GrainDay && w.relative && (p.at(i).digits > 0 || w.clock.part != "" || !c.hourly) && !p.numbered(i)) {
		w.dayEnd, w.dayConfidence = j+m, w.confidence
		end = j + m
		part := w.clock.part
		if part == "" && p.known(end).part != "" {
			part = p.known(end).part
			end++
		}
		if c.part == "" {
			c.part = part
			c.adjust()
		}
		w.clock = c
		return w, end - i
	}
	if c.weak && c.part == "" && !p.timePreposition(p.word(p.before(i))) && !p.timePreposition(p.word(i)) {
		return when{}, 0
	}
	last := p.at(i + n - 1)
	byItself := c.half || c.part != "" || !c.hourly && last.digits > 0 || last.lower == "clock" || last.lower == "oclock"
	if !byItself || !c.half && p.scoreLike(i) {
		return when{}, 0
	}
	return when{clock: c, relative: true, confidence: Guess}, n
}

func (p *parser) timePreposition(w string) bool {
	switch w {
	case "at", "by", "until", "till", "from", "to", "before", "after", "since", "around", "about", "between":
		return true
	}
	return false
}

// scoreLike reports whether "3:15" could as well be a result, a ratio or a verse.
func (p *parser) scoreLike(i int) bool {
	b := p.before(i)
	if p.timePreposition(p.word(b)) {
		return false
	}
	switch p.word(b) {
	case "won", "lost", "beat", "score", "scored", "ratio", "draw", "drew":
		return true
	}
	return p.at(b).capital && p.at(b).word == none.word && !p.lineBreak(i)
}

// numbered reports whether the number at i belongs to the noun before it:
// "building 4 this afternoon".
func (p *parser) numbered(i int) bool {
	b := p.before(i)
	return b >= 0 && p.tokens[b].lower != "" && p.tokens[b].word == none.word && !p.participle(b)
}
