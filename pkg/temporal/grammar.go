package temporal

import "slices"

// A row of the grammar is a pattern of tokens and the reading it stands for.
//
// A pattern is a list of elements, apart by blanks: words ("last|past"), classes of the
// table below ("<unit>"); a "?" makes one optional. Elements follow each other in one
// passage. An element is matched greedily; an optional one is left out where the rest
// matches only without it.
type row struct {
	pattern string
	reading reading // gives a when without grain and fields where it doesn't apply
	k       int
}

// A reading is what a row of a data file means, as an interval or as fields; k is the number behind its name there.
type reading func(m *match, k int) when

// match is what the classes of a pattern have read.
type match struct {
	*parser
	start, end int    // the tokens [start, end)
	word       string // the word matched by the first element with several
	last       int    // the token where the last class began

	k       int    // <dir>: the direction
	unit    unit   // <unit>, <any>
	part    string // <part>
	weekday int    // <weekday>
	amount  amount // <quantity>
	count   int    // <count>
	number  int    // <ordinal>, <number>
	year    int    // <year>
	month   int    // <month>
	pieces  int    // <q>: how many of them a year has
	piece   *word  // <piece>
	period  when   // <date>, <period>, <step> and all that are read as one
	vague   bool   // of a <count>
	length  int    // tokens of the last class
}

// A class reads the token at i and those behind it into a match: how many, 0 for none. What begins with one is only tried where a token
// opens it.
type class struct {
	opens opening
	read  func(m *match, i int) int
}

// element is an element of a pattern.
type element struct {
	words    []string
	class    *class
	optional bool
}

// compiled is a row with its pattern taken apart.
type compiled struct {
	row
	elements []element
	opens    opening // of the classes that can come first
	nested   bool    // it begins with an expression, which no such row reads
	needs    kinds   // without these among the next tokens it can't match
}

// index are the rows by what their patterns can begin with.
type index struct {
	words   map[string][]compiled
	classes []compiled
}

// kindsAt are the kinds of the tokens from i on that an expression may reach.
func (p *parser) kindsAt(i int) (k kinds) {
	for j := i; j < min(i+reach, len(p.tokens)); j++ {
		if t := &p.tokens[j]; t.sep == sepBreak && j > p.start {
			break
		} else if t.digits > 0 {
			k |= aFigure
		} else {
			k |= t.word.kinds
		}
	}
	return k
}

// rowsAt reads by the rows whose pattern can begin with the token at i: the longest reading,
// the earlier row on a tie.
func (p *parser) rowsAt(i int) (best when, n int) {
	m, near := &match{}, p.kindsAt(i)
	try := func(c *compiled) {
		if c.needs&^near != 0 {
			return
		}
		*m = match{parser: p, start: i, end: i}
		if m.all(c.elements, i) && m.end-i > n {
			if w := c.reading(m, c.k); w.said() {
				best, n = w, m.end-i
			}
		}
	}
	words := p.lang.index.words[p.word(i)]
	for k := range words {
		try(&words[k])
	}
	open := p.opens(i)
	for k := range p.lang.classes {
		if c := &p.lang.classes[k]; c.opens&open != 0 && !(c.nested && p.depth > 0) {
			try(c)
		}
	}
	return best, n
}

// all matches the elements with the tokens from i on.
func (m *match) all(elements []element, i int) bool {
	for k := range elements {
		e := &elements[k]
		if !e.optional {
			n := m.one(e, i)
			if n == 0 {
				return false
			}
			i += n
			continue
		}
		if e.class == nil { // a word captures nothing that would have to be taken back but itself
			word := m.word
			if n := m.one(e, i); n > 0 && m.all(elements[k+1:], i+n) {
				return true
			}
			m.word = word
			continue
		}
		before := *m
		if n := m.one(e, i); n > 0 && m.all(elements[k+1:], i+n) {
			return true
		}
		*m = before
	}
	m.end = i
	return true
}

// one matches an element with the tokens from i on: how many, 0 for none.
func (m *match) one(e *element, i int) int {
	if e.class == nil {
		ok := m.oneOf(e.words, i)
		if ok && len(e.words) > 1 && m.word == "" {
			m.word = m.next(i)
		}
		return tokensIf(ok, 1)
	}
	if e.class.opens != 0 && m.opens(i)&e.class.opens == 0 {
		return 0
	}
	m.last, m.length = i, e.class.read(m, i)
	return m.length
}

func (m *match) oneOf(words []string, i int) bool {
	next := m.next(i)
	return next != "" && slices.Contains(words, next)
}

// said reports whether a reading says anything.
func (w when) said() bool {
	return w.grain != "" || w.day+w.month+w.year+w.weekday > 0 || w.clock.set
}

// opens is the kind of the token at i, 0 if no expression begins with it.
func (p *parser) opens(i int) opening {
	t := p.at(i)
	switch {
	case t.digits > 0:
		return figure
	case t.word.opening != 0:
		return t.word.opening
	case t.lower != "" && p.lang.index.words[t.lower] != nil:
		return other
	}
	return 0
}

// dated reads a day or a period, without a time of day.
func (p *parser) dated(i int) (best when, n int) {
	open := p.opens(i)
	if open == 0 {
		return when{}, 0
	}
	if open&(figure|numeral|named|article) != 0 {
		best, n = p.figureDate(i)
		if p.english() {
			if w, m := p.namedDate(i); m > n {
				best, n = w, m
			}
		}
	}
	if w, m := p.rowsAt(i); m > n {
		best, n = w, m
	}
	if y := p.known(i + n); !p.english() && best.year > 0 && best.day > 0 && y.unit == year && p.at(i+n).sep == sepNone {
		n++ // 03.05.2026г
	}
	if p.english() && n > 0 && best.grain == "" && best.month > 0 && best.year == 0 { // March 6 this year
		j := p.skip(p.comma(i+n), "of")
		if y, m := p.nested((*parser).step, j); m > 0 && y.grain == GrainYear {
			best.year, best.relative, n = y.from.Year(), true, j+m-i
		}
	}
	return best, n
}

// point reads a day with or without a time of day, in either order.
func (p *parser) point(i int) (when, int) {
	if !p.english() {
		return p.tabled(i)
	}
	if w, n := p.dated(i); n > 0 {
		return p.withClock(w, i, i+n)
	}
	return p.clockFirst(i)
}
