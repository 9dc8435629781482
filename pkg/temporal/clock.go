package temporal

import (
	"slices"
	"strings"
	"time"
)

const noon = 12 * 60

// clockPoint reads a time of day: noon, 8:30 pm, half past three, 15h30, um 15 Uhr, 午後3時半. In English a bare hour counts too; the
// words around it decide.
func (p *parser) clockPoint(i int) (clock, int) {
	switch p.word(i) {
	case "noon", "midday":
		return p.zoned(clock{set: true, from: noon, half: true, hourly: true}, i, i+1)
	case "midnight":
		return p.zoned(clock{set: true, half: true, hourly: true}, i, i+1)
	case "a", "half", "quarter":
		if p.english() {
			return p.pastHour(i)
		}
	}
	start, beside := i, role(0)
	for ; !p.english() && p.known(i).role&(at|am|pm) != 0; i++ {
		beside |= p.known(i).role
		if p.marked(i+1, '.') { // o godz. 15
			i++
		}
	}
	t, m := p.at(i), p.at(i+2)
	h, n := p.numeral(i)
	short := t.digits == 1 || t.digits == 2
	c, end := clock{set: true, from: 60 * h, hourly: true, half: !p.english()}, i+n
	switch {
	case n == 0 || t.sep == sepBreak && i > p.start:
		return c, 0
	case short && p.minutes(i+1) && (p.marked(i+1, ':') || p.meridiemAt(i+3) || beside&at != 0 && !p.marked(i+3, '.')): // 8:30
		c.from, c.hourly, end = c.from+m.value, false, i+3
		c.half = c.half || t.digits == 2 && (h > 12 || t.lower[0] == '0')
		if p.minutes(end) { // seconds
			if end += 2; p.marked(end, '.', ',') && p.at(end+1).digits > 0 && p.at(end+1).sep == sepNone {
				end += 2
			}
		}
		if r := p.known(end); !p.english() && r.role&oclock != 0 && r.unit == 0 { // 15:30 Uhr
			end++
		}
	case short && p.word(i+1) == "h" && p.at(i+1).sep == sepNone: // 15h, 15h30
		c.half, c.weak, end = true, p.english(), i+2
		if m.sep == sepNone && m.digits == 2 && m.value < 60 {
			c.from, c.hourly, c.weak, end = c.from+m.value, false, false, i+3
		}
	case p.english() && t.digits > 2: // 1030am
		c.from, c.hourly = 60*(t.value/100)+t.value%100, false
		if t.digits > 4 || t.value%100 >= 60 || !p.meridiemAt(end) {
			return c, 0
		}
	case p.english() && t.digits == 0: // three, three thirty
		if t.word.number == 0 || h > 12 {
			return c, 0
		}
		if v, k := p.cardinal(end); k > 0 && v >= 10 && v < 60 && p.at(end).sep == sepBlank {
			c.from, c.hourly, end = c.from+v, false, end+k
		}
	case !p.english() && p.known(end).role&oclock != 0 && t.digits <= 2 && (p.known(end).unit == 0 || beside&at != 0): // 15 Uhr, 15 Uhr 30, 3時半
		end++
		if v, k := p.numeral(end); p.known(end).role&halfHour != 0 {
			c.from, c.hourly, end = c.from+30, false, end+1
		} else if k > 0 && v < 60 && (p.lang.dense && p.known(end+k).unit == minute || p.at(end).digits == 2 && p.known(end+k).unit == 0) {
			c.from, c.hourly, end = c.from+v, false, end+k+tokensIf(p.lang.dense, 1)
		}
	case !p.english() && (beside&hourly == 0 || !short):
		return c, 0
	}
	end, ok := p.clockEnd(&c, end, beside)
	if !ok || c.from > 24*60+59 || p.figureGoesOn(end) {
		return c, 0
	}
	return p.zoned(c, start, end)
}

// pastHour reads half past three, a quarter to 5.
func (p *parser) pastHour(i int) (clock, int) {
	j := p.skip(i, "a")
	m, k := map[string]int{"half": 30, "quarter": 15}[p.word(j)], p.skip(j+1, "past", "to")
	if m == 0 || k == j+1 || p.at(k).sep == sepBreak {
		return clock{}, 0
	}
	c, n := p.clockPoint(k)
	if p.word(j+1) == "to" {
		m = 24*60 - m
	}
	return clock{set: true, from: (c.from + m) % (24 * 60), half: c.half, zone: c.zone}, tokensIf(c.hourly && n > 0, k+n-i)
}

// clockEnd takes in am, pm and o'clock behind the figures of a time, and what stood before them; ok is false if they don't go together.
func (p *parser) clockEnd(c *clock, i int, beside role) (end int, ok bool) {
	if !p.english() {
		if !p.lang.dense && p.known(i).role&(am|pm) != 0 {
			beside |= p.known(i).role
			i++
		}
		if beside&pm != 0 && c.from < noon {
			c.from += noon
		}
		return i, true
	}
	add, n := p.meridiem(i)
	if n == 0 && p.next(i) == "oclock" {
		i++
	} else if n == 0 && p.next(i) == "o" && p.marked(i+1, '\'', '’') && p.at(i+2).lower == "clock" {
		i += 3
	}
	if n == 0 && !c.half {
		add, n = p.meridiem(i)
	}
	if n == 0 {
		return i, true
	}
	ok = c.from >= 60 && c.from < 13*60
	c.weak = c.hourly && n == 1 && len(p.word(i)) == 1
	c.from, c.half = c.from%noon+60*add, true
	return i + n, ok
}

// figureGoesOn reports whether a mark and more digits make the figures before i something
// else than a time: 3/4, 12.5, 10:75.
func (p *parser) figureGoesOn(i int) bool {
	return p.marked(i, '/', ':', '%', '.', ',') && p.at(i+1).digits > 0 && p.at(i+1).sep == sepNone
}

// minutes reports whether ":30" stands at i.
func (p *parser) minutes(i int) bool {
	t := p.at(i + 1)
	return p.marked(i, ':', '.') && t.sep == sepNone && t.digits == 2 && t.value < 60
}

// meridiem reads am, pm, a.m., p: 0 or 12 hours to add.
func (p *parser) meridiem(i int) (add, tokens int) {
	w := p.next(i)
	if strings.HasPrefix(w, "p") {
		add = 12
	}
	switch {
	case w == "am" || w == "pm":
		return add, 1
	case w != "a" && w != "p":
		return 0, 0
	case p.marked(i+1, '.') && p.at(i+2).lower == "m":
		return add, 3 + tokensIf(p.marked(i+3, '.'), 1)
	case p.next(i+1) == "m" && p.at(i+1).sep == sepBlank:
		return add, 2
	}
	return add, tokensIf(p.at(i).sep == sepNone && !p.marked(i+1, '.'), 1)
}

func (p *parser) meridiemAt(i int) bool { _, n := p.meridiem(i); return n > 0 }

// zoned takes in the zone after a time.
func (p *parser) zoned(c clock, i, end int) (clock, int) {
	z := p.at(end)
	universal := z.lower == "gmt" || z.lower == "utc"
	if z.sep == sepBreak || z.word.zone == nil || !z.capital && !universal && (!c.half || len(z.lower) == 2 || z.lower == "wet") {
		return c, end - i // "8am wet weather" names no zone
	}
	c.zone, c.half, c.weak = z.word.zone, true, false
	return c, end + 1 - i
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

// clockRead reads a time of day, or a span of one, with the part of the day.
func (p *parser) clockRead(i int) (clock, int) {
	start := i
	i = p.skip(i, "at", "around", "about", "approximately", "between", "from")
	if p.at(i).mark == '@' {
		i++
	}
	i = p.skip(i, "about", "around", "exactly")
	c, n := p.clockPoint(i)
	if n == 0 {
		return c, 0
	}
	end := i + n
	if k := p.link(end, p.word(start) == "between"); k > 0 {
		d, m := p.clockPoint(k)
		if m > 0 && (c.half || d.half || i > start || !c.hourly && !d.hourly) {
			c, end = c.until(d), k+m
		}
	}
	if part, m := p.partAfter(end); m > 1 { // in the morning
		c.part, end = part, end+m
		c.adjust()
	}
	return c, end - start
}

// until is the span from c to d. What one end says of the half of the day goes
// for the other: 3-5pm, 2pm-4, 9 to 5.
func (c clock) until(d clock) clock {
	to := d.from
	switch {
	case !c.half && d.half && c.from < noon && c.from+noon <= to:
		c.from += noon
	case !d.half && to <= c.from && to+noon > c.from:
		to += noon
	}
	if to <= c.from {
		to += 2 * noon
	}
	c.to, c.half, c.hourly, c.weak = to, c.half || d.half, c.hourly && d.hourly, c.weak && d.weak
	if d.zone != nil {
		c.zone = d.zone
	}
	return c
}

// adjust puts an hour without am or pm into its part of the day.
func (c *clock) adjust() {
	if c.half || c.from >= noon {
		return
	}
	if c.part == "afternoon" || c.part == "evening" || c.part == "night" && c.from >= 5*60 {
		if c.from += noon; c.to > 0 && c.to <= c.from {
			c.to += noon
		}
	}
	c.half = true
}

// partAfter reads the part of a day after the day or the time: "morning", "in the early
// evening", "late at night".
func (p *parser) partAfter(i int) (part string, tokens int) {
	j := p.skip(i, "early", "late")
	if part := p.known(j).part; part != "" {
		return part, j + 1 - i
	}
	if k := p.skip(j, "in", "at"); k > j {
		k = p.skip(p.skip(k, "the"), "early", "late")
		if part := p.known(k).part; part != "" && !p.counts(k+1) {
			return part, k + 1 - i
		}
	}
	return "", 0
}

// on sets the time of day c on the day of w.
func (p *parser) on(w when, c clock) when {
	zone := p.ref.Location()
	if c.zone != nil {
		zone = c.zone
	}
	y, m, d := w.from.Date()
	at := func(minutes int) time.Time {
		return time.Date(y, m, d, 0, minutes, 0, 0, zone).In(p.ref.Location())
	}
	w.from = at(c.from)
	switch {
	case c.to > 0:
		w.to, w.grain, w.shape = at(c.to), GrainRange, Range
	case c.hourly:
		w.to, w.grain = w.from.Add(time.Hour), GrainHour
	default:
		w.to, w.grain = w.from.Add(time.Minute), GrainMinute
	}
	return w
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
	if slices.Contains([]rune{',', '-', '@', '∙', '·'}, p.at(j).mark) {
		j++
	}
	if p.at(j).lower == "t" && p.at(j).sep == sepNone && p.at(j+1).sep == sepNone { // 2026-03-11T14:30
		j++
	}
	c, n := p.clockRead(j)
	if n == 0 || p.at(j).sep == sepBreak || !p.certain(c, p.next(j), j, n) {
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
	if end = j + n; c.zone == nil {
		c, end = p.offset(c, end)
	}
	if y := p.at(end); w.year == 0 && w.month > 0 && y.digits == 4 && plausible(y.value) && y.sep == sepBlank { // Oct 26 11:00 2023
		w.year, end = y.value, end+1
	}
	w.clock = c
	return w, end - start
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
	w, m := p.nested((*parser).dated, j)
	vague := w.grain == GrainDay && w.relative && (p.at(i).digits > 0 || w.clock.part != "" || !c.hourly)
	if m > 0 && w.isDay() && (p.certain(c, p.word(i), i, n) || vague) {
		end = j + m
		w.dayEnd, w.dayConfidence = end, w.confidence
		if c.part == "" {
			if c.part = w.clock.part; c.part == "" && p.known(end).part != "" {
				c.part, end = p.known(end).part, end+1
			}
			c.adjust()
		}
		w.clock = c
		return w, end - i
	}
	last := p.at(end - 1)
	byItself := c.half || c.part != "" || !c.hourly && last.digits > 0 || last.lower == "clock" || last.lower == "oclock"
	if b := p.before(i); p.at(b).capital && p.at(b).word == none.word && !c.half && !p.lineBreak(i) { // John 3:16
		return when{}, 0
	}
	if !byItself || c.weak && c.part == "" && p.at(p.before(i)).word.role&at == 0 && p.at(i).word.role&at == 0 {
		return when{}, 0
	}
	return when{clock: c, relative: true, confidence: Guess}, n
}

// certain reports whether the n tokens at i are a time of day and not a bare
// number next to a date.
func (p *parser) certain(c clock, before string, i, n int) bool {
	switch {
	case c.half && !c.weak || !c.hourly && p.at(i+n-1).digits > 0:
		return true
	case slices.Contains([]string{"at", "from", "between", "around", "about"}, before):
		return !p.counts(i + n)
	}
	return p.at(i).mark == '@' || p.at(i-1).mark == '@' || p.word(i+n-1) == "clock"
}

// isDay reports whether a time of day can be set on w.
func (w when) isDay() bool {
	return w.grain == GrainDay || w.grain == "" && (w.day > 0 || w.weekday > 0)
}

// weekdayName reports whether a weekday is at i, in the singular.
func (p *parser) weekdayName(i int) bool {
	w := p.known(i)
	return w.weekday > 0 && !w.plural && (!w.short || p.at(i).capital)
}
