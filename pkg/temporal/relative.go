package temporal

import (
	"strings"
	"time"
)

// deicticDay reads the days and nights that are named by where the speaker
// stands: today, last night, the day before yesterday, tomorrow evening.
func (p *parser) deicticDay(i int) (reading, int) {
	start := i
	if p.word(i) == "the" {
		i++
	}
	if p.word(i) == "day" {
		side, anchor := p.next(i+1), p.next(i+2)
		if side == "before" && anchor == "yesterday" {
			return p.withPart(p.day(-2), start, i+3)
		}
		if side == "after" && anchor == "tomorrow" {
			return p.withPart(p.day(2), start, i+3)
		}
		return reading{}, 0
	}
	if i > start || p.inName(i) {
		return reading{}, 0
	}
	switch p.word(i) {
	case "today":
		return p.day(0), 1
	case "tonight":
		return p.part(p.day(0), "night"), 1
	case "yesterday":
		return p.withPart(p.day(-1), start, i+1)
	case "tomorrow":
		return p.withPart(p.day(1), start, i+1)
	case "last":
		if p.next(i+1) == "night" {
			return p.part(p.day(-1), "night"), 2
		}
	case "this":
		if part := p.next(i + 1); part != "night" && parts[part] != [2]int{} {
			return p.part(p.day(0), part), 2
		}
	}
	return reading{}, 0
}

// withPart takes in a part of the day that follows at i.
func (p *parser) withPart(day reading, start, i int) (reading, int) {
	if part := p.next(i); parts[part] != [2]int{} {
		return p.part(day, part), i + 1 - start
	}
	return day, i - start
}

// inName reports whether the word at i belongs to a title, as in "USA Today".
func (p *parser) inName(i int) bool {
	if !p.capital(i) || p.raw(i) == strings.ToUpper(p.raw(i)) {
		return false
	}
	j := p.before(i)
	return j >= 0 && p.tokens[j].lower != "" && p.capital(j)
}

// lastThisNext reads last, this and next with a unit, a weekday or a month.
func (p *parser) lastThisNext(i int) (reading, int) {
	direction := 0
	switch p.word(i) {
	case "last":
		direction = -1
	case "this":
	case "next":
		direction = 1
	default:
		return reading{}, 0
	}
	if p.inName(i) {
		return reading{}, 0
	}
	switch j := p.before(i); p.word(j) {
	case "the", "a", "an", "every", "each", "very", "any", "this", "that", "these", "those":
		return reading{}, 0 // "in the last month", "the next day": narrated, or a sliding window
	}
	name, capital := p.next(i+1), p.capital(i+1)
	if name == "" || p.limited(i+2) {
		return reading{}, 0
	}
	if name == "weekend" {
		return p.weekend(direction), 2
	}
	if unit := units[name]; unit == name && unit != grainDay && unit != grainHour && unit != grainMinute {
		r, ok := p.shift(unit, direction)
		if !ok {
			return reading{}, 0
		}
		return r, 2
	}
	if day, ok := weekdays[name]; ok {
		return p.withPart(p.weekday(day, direction), i, i+2)
	}
	if day, ok := weekdayAbbreviations[name]; ok && capital {
		return p.withPart(p.weekday(day, direction), i, i+2)
	}
	if month, ok := months[name]; ok && p.monthWord(i+1) && !(name == "may" && direction == 0) && !p.numberAt(i+2) {
		return p.namedMonth(month, direction), 2
	}
	return reading{}, 0
}

// limited reports whether the words from i on make the expression before them a
// part of something else: "the last Friday of March", "next year in May".
func (p *parser) limited(i int) bool {
	switch p.next(i) {
	case "of":
		return true
	case "in":
		return months[p.next(i+1)] > 0
	case "or", "to":
		_, n := p.number(i + 1)
		return n > 0 && p.tokens[i+1].digits
	}
	return false
}

// ago reads "three days ago" and "three days from now".
func (p *parser) ago(i int) (reading, int) {
	count, unit, n := p.quantity(i)
	if n == 0 || p.partOfQuantity(i) {
		return reading{}, 0
	}
	switch end := i + n; {
	case p.next(end) == "ago":
		count, n = -count, n+1
	case p.next(end) == "from" && (p.next(end+1) == "now" || p.next(end+1) == "today"):
		n += 2
	default:
		return reading{}, 0
	}
	r, ok := p.shift(unit, count)
	if !ok {
		return reading{}, 0
	}
	return r, n
}

// inFuture reads "in three days" where it must be a point in time: something
// is said of the future, and nothing hints at a duration.
func (p *parser) inFuture(i int) (reading, int) {
	if p.word(i) != "in" {
		return reading{}, 0
	}
	count, unit, n := p.quantity(i + 1)
	if n == 0 || p.tokens[i+1].sep != sepBlank || p.limited(i+1+n) || !p.speaksOfFuture(i) {
		return reading{}, 0
	}
	switch p.next(i + 1 + n) {
	case "after", "from", "since", "or", "and", "ago", "straight", "flat", "total", "later", "earlier":
		return reading{}, 0
	}
	r, ok := p.shift(unit, count)
	if !ok {
		return reading{}, 0
	}
	n++
	if p.is(i+n, "'") || p.is(i+n, "’") {
		return reading{}, 0 // "in two weeks' time" would split the possessive
	}
	return r, n
}

// quantity reads a count and a unit, "2 weeks".
func (p *parser) quantity(i int) (count int, unit string, tokens int) {
	count, n := p.number(i)
	const most = 99_999 // more is a figure of speech, or no date at all
	if n == 0 || count > most {
		return 0, "", 0
	}
	if unit = units[p.next(i+n)]; unit == "" {
		return 0, "", 0
	}
	return count, unit, n + 1
}

// partOfQuantity reports whether what stands before i makes the quantity at i a
// part of a longer one, or a bound: "one year, two months ago", "half an hour
// ago", "more than two years ago".
func (p *parser) partOfQuantity(i int) bool {
	j := p.before(i)
	if j < 0 {
		return false
	}
	switch p.word(j) {
	case "half", "over", "under", "than", "least", "most", "within", "every", "or", "to", "between", "past", "point":
		return true
	case "and":
		return units[p.word(p.before(j))] != ""
	}
	if p.raw(j) == "," {
		return units[p.word(p.before(j))] != ""
	}
	return p.numberAt(j)
}

func (p *parser) numberAt(i int) bool {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].lower == "" {
		return false
	}
	return p.tokens[i].lower[0] >= '0' && p.tokens[i].lower[0] <= '9' || ones[p.tokens[i].lower] > 0 || tens[p.tokens[i].lower] > 0
}

// speaksOfFuture looks at the words of the sentence before i. With none, as in
// "In two weeks we ship", the expression is a point in time.
func (p *parser) speaksOfFuture(i int) bool {
	const reach = 12
	words, future := 0, false
	for j := p.before(i); j >= 0 && words < reach; j = p.before(j) {
		w := p.word(j)
		if w == "" {
			if strings.ContainsAny(p.raw(j), ".!?;:") {
				break
			}
			continue
		}
		words++
		if durationWords[w] || len(w) > 4 && strings.HasSuffix(w, "ed") && !futureWords[w] {
			return false
		}
		future = future || futureWords[w]
	}
	return future || words == 0
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var futureWords = wordSet(`will ll shall won going gonna let lets see scheduled planned due deadline launch launches
	meeting meet again back plan plans planning hope expect expects expected happen soon`)

// durationWords, like a verb in -ed, make "in three days" a measure of time.
var durationWords = wordSet(`was were did had took ran built wrote done made got went came fell rose grew lost met sold
	found sent kept brought began became been once twice times can could within runs responds`)

// monthWord reports whether the month name at i is used as one: "may" and
// "march" are words too, and count only when capitalised.
func (p *parser) monthWord(i int) bool {
	m := months[p.word(i)]
	return m > 0 && (m != time.May && m != time.March || p.capital(i))
}
