package temporal

// dates are the rules for what a day or a longer period can be called. The longest
// reading wins, the earlier rule on a tie.
var dates []rule

func init() {
	dates = []rule{
		(*parser).iso, (*parser).numeric, (*parser).named, (*parser).quarters, (*parser).years, (*parser).seasons,
		(*parser).holiday, (*parser).deicticDay, (*parser).present, (*parser).nowPlus, (*parser).lastThisNext, (*parser).weekThenDay,
		(*parser).weekdays, (*parser).dayOfMonth, (*parser).nth, (*parser).weeks, (*parser).cut, (*parser).rest,
		(*parser).window, (*parser).lasting, (*parser).counted, (*parser).inFuture, (*parser).loose,
	}
}

// dated reads a day or a period, without a time of day.
func (p *parser) dated(i int) (when, int) {
	t := p.at(i)
	if t.digits == 0 && !t.word.begins {
		return when{}, 0
	}
	return p.longest(i, dates...)
}

// point reads a day with or without a time of day, in either order.
func (p *parser) point(i int) (when, int) {
	w, n := p.dated(i)
	if n > 0 {
		return p.withClock(w, i, i+n)
	}
	return p.clockFirst(i)
}

// withClock takes in the part of the day and the time that follow a day.
func (p *parser) withClock(w when, start, end int) (when, int) {
	if !w.isDay() {
		return w, end - start
	}
	w.dayEnd, w.dayConfidence = end, w.confidence
	weekday := w.weekday > 0 && w.day == 0
	if q := p.comma(end); p.known(q).weekday > 0 && !weekday && w.weekday == 0 && w.grain == "" && !p.known(q).plural && (p.at(q).capital || !p.known(q).short) {
		w.weekday, end = p.known(q).weekday, q+1 // 14 December, Friday
		w.dayEnd = end
	}
	if w.clock.part == "" {
		k := p.skip(end, "early", "late")
		part := p.known(k).part
		if part == "" && (p.next(k) == "in" || p.next(k) == "at") {
			k = p.skip(k+1, "the")
			k = p.skip(k, "early", "late")
			part = p.known(k).part
		}
		if part != "" && !p.counts(k+1) || part != "" && k == end {
			w.clock.part, end = part, k+1
			w.dayEnd = end
		}
	}
	j := end
	if p.at(j).mark == ',' || p.at(j).mark == '-' || p.at(j).mark == '∙' || p.at(j).mark == '@' || p.at(j).mark == '·' {
		j++
	}
	if p.at(j).sep == sepBreak {
		return w, end - start
	}
	if p.at(j).lower == "t" && p.at(j).sep == sepNone && p.at(j+1).sep == sepNone {
		j++
	}
	pre := p.next(j)
	c, n := p.clockRead(j)
	if n == 0 || !p.certain(c, pre, j, n) && !(p.next(j) != "" && weekday && c.to > 0) {
		return w, end - start
	}
	part := w.clock.part
	if c.part == "" && part != "" {
		c.part = part
		c.adjust()
	}
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

// offset reads +02:00 after a time.
func (p *parser) offset(c clock, i int) (clock, int) {
	if !p.marked(i, '+', '-') || p.at(i+1).sep != sepNone || p.at(i+1).digits != 2 || !p.minutes(i+2) || p.at(i+1).value > 15 {
		return c, i
	}
	minutes := 60*p.at(i+1).value + p.at(i+3).value
	if p.at(i).mark == '-' {
		minutes = -minutes
	}
	c.zone = fixedZone(minutes)
	return c, i + 4
}

// certain reports whether the n tokens at i are a time of day and not a bare
// number beside a date.
func (p *parser) certain(c clock, before string, i, n int) bool {
	if c.half || !c.hourly && p.at(i+n-1).digits > 0 {
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
	return w.grain == GrainDay || w.grain == "" && w.year+w.month+w.day+w.weekday > 0 && (w.day > 0 || w.weekday > 0)
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
		(p.certain(c, p.word(i), i, n) || w.grain == GrainDay && w.relative && !p.numbered(i)) {
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
	sure := c.half && (c.from%60 != 0 || c.to > 0 || p.at(i+n-1).digits == 0 || p.word(i+n-1) == "noon") || !c.hourly && p.at(i+n-1).digits > 0
	if !sure && !(c.part != "") && p.word(i+n-1) != "clock" && !(c.half && c.hourly) {
		return when{}, 0
	}
	if !c.half && p.scoreLike(i, n) {
		return when{}, 0
	}
	return when{clock: c, relative: true, confidence: Guess}, n
}

// scoreLike reports whether "3:15" could as well be a result, a ratio or a verse.
func (p *parser) scoreLike(i, n int) bool {
	b := p.before(i)
	switch p.word(b) {
	case "at", "by", "until", "till", "from", "to", "before", "after", "since", "around", "about", "between":
		return false
	case "won", "lost", "beat", "score", "scored", "ratio", "draw", "drew":
		return true
	}
	return p.at(b).capital && p.at(b).word == none.word && !p.lineBreak(i)
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
		w := p.weekend(p.ref, 0)
		return w.guess(), j + 1 - start
	case t.word.part != "":
		return p.partOf(0, t.word.part).guess(), j + 1 - start
	}
	return when{}, 0
}

// numbered reports whether the number at i belongs to the noun before it:
// "building 4 this afternoon".
func (p *parser) numbered(i int) bool {
	b := p.before(i)
	return b >= 0 && p.tokens[b].lower != "" && p.tokens[b].word == none.word && !p.participle(b)
}
