package temporal

import "time"

// count reads a number as hundredths: 3, 1.5, twenty-five, a, half an, a couple
// of, a few. Vague ones get a usual value.
func (p *parser) count(i int) (hundredths, tokens int, vague bool) {
	start := i
	t := p.at(i)
	if t.digits > 0 {
		n, k := t.value*100, 1
		if m, approx := p.alternative(i + 1); m > 0 {
			return n, 1 + m, approx
		}
		if f := p.at(i + 2); p.marked(i+1, '.') && f.sep == sepNone && f.digits == 1 {
			n, k = n+f.value*10, 3
		} else if p.marked(i+1, '.', ',', ':') && f.sep == sepNone && f.digits > 0 {
			return 0, 0, false
		}
		return n, k, false
	}
	i = p.skip(i, "a", "an", "the")
	one := i > start && t.lower != "the"
	switch p.word(i) {
	case "couple":
		return 200, p.skip(i+1, "of") - start, false
	case "few":
		return 300, i + 1 - start, true
	case "several":
		return 400, i + 1 - start, true
	case "half":
		if j := p.skip(i+1, "a", "an"); j > i+1 || one {
			return 50, j - start, false
		}
	case "quarter":
		if one && p.next(i+1) == "of" {
			return 25, p.skip(i+2, "a", "an") - start, false
		}
	}
	if one {
		return 100, i - start, false
	}
	if i > start {
		return 0, 0, false
	}
	n, k := p.cardinal(i)
	if k > 0 {
		m, approx := p.alternative(i + k)
		return 100 * n, k + m, approx
	}
	return 0, 0, false
}

// alternative steps over the second number of "two or three", "2-3".
func (p *parser) alternative(i int) (tokens int, vague bool) {
	j := p.skip(i, "or", "to")
	if j == i && p.marked(i, '-', '–') && p.at(i+1).sep == sepNone {
		j++
	}
	if j == i || p.at(j).sep == sepBreak {
		return 0, false
	}
	if t := p.at(j); t.digits > 0 && t.digits <= 3 {
		return j + 1 - i, true
	}
	if _, n := p.cardinal(j); n > 0 {
		return j + n - i, true
	}
	return 0, false
}

// cardinal reads a number in words: three, twenty-five.
func (p *parser) cardinal(i int) (n, tokens int) {
	n = p.at(i).word.number
	if n == 0 {
		return 0, 0
	}
	if n >= 20 {
		j := i + 1
		if p.marked(j, '-') {
			j++
		}
		if unit := p.known(j).number; unit > 0 && unit < 10 {
			return n + unit, j + 1 - i
		}
	}
	return n, 1
}

// quantity reads a count and a unit ("2 weeks", "1d", "an hour and a half"), or
// several ("1 year, 2 months and 3 days").
func (p *parser) quantity(i int) (a amount, tokens int) {
	const most = 100_000 // more is a figure of speech, or no date at all
	j := i
	for parts := 0; parts < 6; parts++ {
		k := j
		if parts > 0 {
			k = p.comma(k)
			k = p.skip(k, "and")
			if k == j && p.at(k).sep != sepNone && p.at(k).digits == 0 {
				break
			}
		}
		n, m, vague := p.count(k)
		u := p.unitAt(k+m, p.at(k).digits > 0)
		if m == 0 || n > most*100 || u.unit == 0 || n == 100 && p.word(k) == "the" {
			if parts > 0 && p.word(k) == "a" && p.next(k+1) == "half" { // an hour and a half
				a.add(50, a.coarse)
				a.single, j = false, k+2
			}
			break
		}
		if parts == 0 {
			a.article = p.word(k) == "a" || p.word(k) == "an"
		}
		if parts > 0 && u.unit >= a.coarse {
			break
		}
		if u.unit == second && u.ordinal > 0 && !u.plural && n != 100 {
			break
		}
		a.single = parts == 0 && n%100 == 0
		a.count, a.vague = n/100, a.vague || vague
		a.add(n, u.unit)
		j = k + m + 1
	}
	return a, j - i
}

// unitAt is the unit at i; one letter is enough right after a number ("5d").
func (p *parser) unitAt(i int, digits bool) *word {
	u := p.known(i)
	if digits && u.unit == 0 && p.at(i).sep == sepNone {
		if letter := letters[p.at(i).lower]; letter > 0 {
			return &word{unit: letter, plural: true}
		}
	}
	return u
}

var letters = map[string]unit{"s": second, "m": minute, "h": hour, "d": day, "w": week, "y": year}

// amount is a length of time: what to add to a moment.
type amount struct {
	months, days int
	clock        time.Duration
	coarse       unit // the largest unit named
	single       bool // a whole number of one unit
	count        int  // of which there are so many
	vague        bool // "a few"
	article      bool // it begins with a or an
}

// after is the moment an amount after t (before it, with sign -1). The day of
// the month stays within the month, as in "a month after January 31".
func (a amount) after(t time.Time, sign int) time.Time {
	if a.months != 0 {
		y, m, d := t.Date()
		first := time.Date(y, m+time.Month(sign*a.months), 1, t.Hour(), t.Minute(), 0, 0, t.Location())
		t = first.AddDate(0, 0, min(d, first.AddDate(0, 1, -1).Day())-1)
	}
	return t.AddDate(0, 0, sign*a.days).Add(time.Duration(sign) * a.clock)
}

// lengths are the units as months, days and hours of the clock.
var lengths = [...]struct {
	months, days int
	clock        time.Duration
}{
	second: {clock: time.Second}, minute: {clock: time.Minute}, hour: {clock: time.Hour}, day: {days: 1}, week: {days: 7}, fortnight: {days: 14},
	month: {months: 1}, quarter: {months: 3}, year: {months: 12}, decade: {months: 120}, century: {months: 1200},
}

// add counts n hundredths of a unit into the amount. A part of a month has thirty days, a part of a day 24 hours.
func (a *amount) add(n int, u unit) {
	l := lengths[u]
	a.months += n * l.months / 100
	a.days += n*l.days/100 + n*l.months%100*30/100
	a.clock += time.Duration(n)*l.clock/100 + time.Duration(n*l.days%100)*24*time.Hour/100
	a.coarse = max(a.coarse, u)
}
