package temporal

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// counted is the moment that lies the number and unit of a row from the reference.
func (m *match) counted(sign int) when {
	if m.number > 10_000 || m.unit == 0 || m.at(m.before(m.start)).word.role&length != 0 {
		return when{}
	}
	n := max(1, m.number) // "in a week" needs no number in Russian
	a := amount{single: true, count: n, vague: m.vague}
	a.add(100*n, m.unit)
	return m.shift(a, sign)
}

// aheadOf reads "in three days", where no past tense makes it the measure of a task.
func aheadOf(m *match, _ int) when {
	if m.unit == second || m.direction(m.start, m.start) == past { // nobody notes what is to come in 30 seconds
		return when{}
	}
	return m.counted(1)
}

func (p *parser) exactDayRelative(t time.Time) when {
	w := p.exactDay(t)
	w.relative = true
	return w
}

// numeral reads a whole number in figures or words.
func (p *parser) numeral(i int) (n, tokens int) {
	t := p.at(i)
	if t.sep == sepBreak && i > p.start {
		return 0, 0
	}
	if t.digits > 0 {
		return t.value, tokensIf(t.digits <= 4, 1)
	}
	if !p.lang.dense {
		n, tokens = p.cardinal(i)
		if n == 0 && t.word.ordinal > 0 {
			return t.word.ordinal, 1
		}
		return n, tokens
	}
	total, last, j := 0, 0, i
	for ; j < i+8 && (j == i || p.at(j).sep == sepNone); j++ { // 二十三, 二〇二六
		switch d := p.at(j); {
		case d.mark == '〇' || d.lower == "零":
			last *= 10
		case d.word.number >= 10:
			total, last = total+max(1, last)*d.word.number, 0
		case d.word.number > 0:
			last = 10*last + d.word.number
		default:
			return total + last, j - i
		}
	}
	return total + last, j - i
}

// tabled reads an expression by the rows of a data file: a day with or without a time of day, or a time of day.
func (p *parser) tabled(i int) (when, int) {
	w, n := p.dated(i)
	if n == 0 {
		c, n := p.clockPoint(i)
		if n == 0 {
			return when{}, 0
		}
		return when{clock: c, relative: true, confidence: Guess}, n
	}
	if w.isDay() {
		end := i + n
		if part := p.known(end).part; part != "" && w.clock.part == "" {
			w.clock.part = part
			end++
		}
		w.dayEnd, w.dayConfidence = end, w.confidence
		if c, k := p.clockPoint(p.comma(end)); k > 0 {
			if c.part = w.clock.part; c.part != "" {
				c.half = c.from == 0
				c.adjust()
			}
			w.clock, end = c, p.comma(end)+k
		}
		n = end - i
	}
	return w, n
}

// joined reports whether a letter of the same script stands directly before text[i:], so that a word that begins there may be a piece of another one.
// Han characters are words of their own.
func joined(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	first, _ := utf8.DecodeRuneInString(text[i:])
	for _, script := range []*unicode.RangeTable{unicode.Hangul, unicode.Hiragana, unicode.Katakana} {
		if unicode.Is(script, before) && unicode.Is(script, first) {
			return true
		}
	}
	return false
}
