package temporal

import "time"

// opening is the kind of a token with which an expression can begin.
type opening byte

const (
	figure  opening = 1 << iota // digits
	numeral                     // a number or an ordinal in words
	named                       // a month, a weekday, a season, a holiday, a part of the day
	article                     // the, a, an
	deictic                     // last, this, next, today, and their like
	other
)

// dates are the rules for what a day or a longer period can be called, by the
// tokens that can open it. The longest reading wins, the earlier rule on a tie.
var dates []struct {
	openings opening
	rules    []rule
}

// The rules refer to the table again, for expressions within expressions, so it
// can't be filled where it is declared.
func init() {
	add := func(o opening, rules ...rule) {
		dates = append(dates, struct {
			openings opening
			rules    []rule
		}{o, rules})
	}
	add(figure, (*parser).iso, (*parser).numeric)
	add(figure|numeral|named|article, (*parser).namedDate)
	add(figure|numeral|article|other, (*parser).quarters, (*parser).years)
	add(named|article, (*parser).seasons)
	add(named|article|deictic, (*parser).holiday)
	add(named, (*parser).weekdays)
	add(figure|article, (*parser).dayOfMonth)
	add(article|deictic|other, (*parser).deicticDay, (*parser).lastThisNext)
	add(article|deictic, (*parser).thenWithin)
	add(figure|numeral|article|deictic, (*parser).nth, (*parser).window)
	add(figure|numeral|article|other, (*parser).counted)
	add(article|other, (*parser).rest, (*parser).weeks, (*parser).cut)
	add(other, (*parser).present, (*parser).nowPlus, (*parser).inFuture, (*parser).lasting)
	add(named|article|other, (*parser).loose)
}

// opens is the kind of the token at i.
func (p *parser) opens(i int) opening {
	t := p.at(i)
	if t.digits > 0 {
		return figure
	}
	return t.word.opening
}

// dated reads a day or a period, without a time of day.
func (p *parser) dated(i int) (when, int) {
	w, n := when{}, 0
	open := p.opens(i)
	for _, family := range dates {
		if family.openings&open == 0 {
			continue
		}
		for _, read := range family.rules {
			if r, m := read(p, i); m > n {
				w, n = r, m
			}
		}
	}
	if n > 0 && w.grain == "" && w.month > 0 && w.year == 0 { // March 6 this year
		if y, m := p.nested((*parser).lastThisNext, p.skip(p.comma(i+n), "of")); m > 0 && y.grain == GrainYear {
			w.year, w.relative, n = y.from.Year(), true, p.skip(p.comma(i+n), "of")+m-i
		}
	}
	return w, n
}

// point reads a day with or without a time of day, in either order.
func (p *parser) point(i int) (when, int) {
	w, n := p.dated(i)
	if n > 0 {
		return p.withClock(w, i, i+n)
	}
	return p.clockFirst(i)
}

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
	sure := c.half && (c.from%60 != 0 || c.to > 0 || p.at(i+n-1).digits == 0 || p.word(i+n-1) == "noon") || !c.hourly && p.at(i+n-1).digits > 0
	if !sure && !(c.part != "") && p.word(i+n-1) != "clock" && !(c.half && c.hourly) {
		return when{}, 0
	}
	if !c.half && p.scoreLike(i, n) {
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
func (p *parser) scoreLike(i, n int) bool {
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

// numbered reports whether the number at i belongs to the noun before it:
// "building 4 this afternoon".
func (p *parser) numbered(i int) bool {
	b := p.before(i)
	return b >= 0 && p.tokens[b].lower != "" && p.tokens[b].word == none.word && !p.participle(b)
}
