package temporal

import (
	"strings"
	"time"
)

// clock is a time of day, or a stretch of one.
type clock struct {
	set      bool
	from, to int    // minutes after midnight; to is 0 but for a stretch
	hourly   bool   // said to the hour
	half     bool   // the half of the day is known: am, pm, 15:00
	weak     bool   // by one letter only, as in "3a" and "8h"
	part     string // of the day: "morning", with or without a time
	zone     *time.Location
}

// clockRead is a time of day by itself, with the part of the day and zone.
func (p *parser) clockRead(i int) (clock, int) {
	start := i
	i = p.skip(i, "at", "around", "about", "approximately", "between", "from", "@")
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
	if q, m := p.halfOfDay(end); m > 0 {
		c.part, end = q, end+m
		c.adjust()
	}
	return c, end - start
}

// until is the stretch from c to d. What one end says of the half of the day goes
// for the other: 3-5pm, 2pm-4, 9 to 5.
func (c clock) until(d clock) clock {
	const noon = 12 * 60
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
	if c.half || c.from >= 12*60 {
		return
	}
	switch c.part {
	case "afternoon", "evening", "night":
		if c.part == "night" && c.from < 5*60 {
			break
		}
		c.from += 12 * 60
		if c.to > 0 && c.to <= c.from {
			c.to += 12 * 60
		}
	}
	c.half = true
}

// halfOfDay reads "in the morning", "at night", "tonight" after a time.
func (p *parser) halfOfDay(i int) (part string, tokens int) {
	j := i
	switch p.next(j) {
	case "in", "at":
		j = p.skip(j+1, "the")
	}
	j = p.skip(j, "early", "late")
	if part = p.known(j).part; part == "" || j == i {
		return "", 0
	}
	return part, j + 1 - i
}

// clockPoint reads a time: 8am, 8:30 p.m., 20:15, 15h30, 3 o'clock, noon, half past 3,
// 1030am. Without am or pm a bare hour counts too; what stands beside it decides.
func (p *parser) clockPoint(i int) (clock, int) {
	t := p.at(i)
	switch t.lower {
	case "noon", "midday":
		return p.zoned(clock{set: true, from: 12 * 60, half: true, hourly: true}, i, i+1)
	case "midnight":
		return p.zoned(clock{set: true, half: true, hourly: true}, i, i+1)
	}
	if c, n := p.pastHour(i); n > 0 {
		return c, n
	}
	h, m, end := t.value, 0, i+1
	c := clock{set: true, hourly: true}
	switch {
	case t.digits == 0:
		h = t.word.number
		if h < 1 || h > 12 {
			return c, 0
		}
		if q, k := p.cardinal(i + 1); k > 0 && q >= 10 && q < 60 && p.at(i+1).sep == sepBlank {
			m, c.hourly, end = q, false, i+1+k
		}
	case t.digits <= 2 && p.minutes(i+1):
		m, c.hourly, c.half, end = p.at(i+2).value, false, t.digits == 2 && (h > 12 || t.lower[0] == '0'), i+3
		if p.marked(i+1, '.') && !p.meridiemAt(end) {
			return c, 0
		}
		if p.minutes(end) { // seconds
			end += 2
			if p.marked(end, '.', ',') && p.at(end+1).digits > 0 && p.at(end+1).sep == sepNone {
				end += 2
			}
		}
	case t.digits <= 2 && p.word(i+1) == "h" && p.at(i+1).sep == sepNone:
		end, c.half, c.weak = i+2, true, true
		if q := p.at(i + 2); q.sep == sepNone && q.digits == 2 {
			m, c.hourly, c.weak, end = q.value, false, false, i+3
		}
	case (t.digits == 3 || t.digits == 4) && p.meridiemAt(end):
		h, m, c.hourly = t.value/100, t.value%100, false
	case t.digits > 2:
		return c, 0
	}
	if p.word(end) == "ish" && p.at(end).sep == sepNone {
		end++
	}
	if p.marked(end, '+') && p.meridiemAt(end+1) { // 4+am
		end++
	}
	if half, k := p.meridiem(end); k > 0 {
		if h < 1 || h > 12 {
			return c, 0
		}
		c.weak = c.hourly && k == 1 && (p.word(end) == "a" || p.word(end) == "p")
		h, end, c.half = h%12+half, end+k, true
	} else if p.next(end) == "o" && p.marked(end+1, '\'', '’') && p.at(end+2).lower == "clock" {
		end += 3
	} else if p.next(end) == "oclock" {
		end++
	}
	if half, k := p.meridiem(end); k > 0 && !c.half { // 3 o'clock pm
		h, end, c.half = h%12+half, end+k, true
	}
	if h > 24 || m > 59 || p.marked(end, '/', ':', '%', '.', ',', '-') && p.at(end).mark != '-' && p.at(end+1).digits > 0 && p.at(end+1).sep == sepNone {
		return c, 0
	}
	c.from = 60*h + m
	return p.zoned(c, i, end)
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
	switch w {
	case "am", "pm":
		return add, 1
	case "a", "p":
		if p.marked(i+1, '.') && p.at(i+2).lower == "m" {
			if p.marked(i+3, '.') {
				return add, 4
			}
			return add, 3
		}
		if p.next(i+1) == "m" && p.at(i+1).sep == sepBlank {
			return add, 2
		}
		if p.at(i).sep == sepNone && !p.marked(i+1, '.') {
			return add, 1
		}
	}
	return 0, 0
}

func (p *parser) meridiemAt(i int) bool { _, n := p.meridiem(i); return n > 0 }

// pastHour reads "half past three", "quarter to 5", "20 past 3pm", "10 minutes to noon".
func (p *parser) pastHour(i int) (clock, int) {
	j := p.skip(i, "a")
	m := p.at(j).value
	if p.at(j).digits == 0 || p.at(j).digits > 2 {
		m, _ = p.cardinal(j)
	}
	switch p.word(j) {
	case "half":
		m = 30
	case "quarter":
		m = 15
	}
	k := p.skip(j+1, "minutes")
	side := p.next(k)
	if m == 0 || m > 59 || side != "past" && side != "to" {
		return clock{}, 0
	}
	c, n := p.wholeHour(k + 1)
	if n == 0 {
		return clock{}, 0
	}
	if side == "to" {
		if m != 15 && m != 5 && m != 10 && m != 20 && m != 25 || !c.half && k == j+1 && p.word(j) != "quarter" {
			return clock{}, 0 // "10 to 12" is a range
		}
		m = 24*60 - m
	}
	c.from, c.hourly = (c.from+m)%(24*60), false
	return c, k + 1 + n - i
}

// wholeHour reads the hour that "half past" refers to.
func (p *parser) wholeHour(i int) (clock, int) {
	t := p.at(i)
	if t.sep == sepBreak || t.word.number == 0 && t.digits == 0 && t.lower != "noon" && t.lower != "midnight" {
		return clock{}, 0
	}
	if w := p.next(i + 1); w == "to" || w == "past" {
		return clock{}, 0
	}
	c, n := p.clockPoint(i)
	return c, tokensIf(c.hourly, n)
}

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
