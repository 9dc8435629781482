package temporal

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// recurs reports whether what begins at i is said of every such time.
func (p *parser) recurs(i int) bool {
	w := p.word(p.before(i))
	return w == "every" || w == "each" || w == "any"
}

// shortWeekday reports whether an abbreviation is meant as a weekday: "sat" and
// "sun" are words, so it takes a preposition before it or the line for itself.
func (p *parser) shortWeekday(i, j int) bool {
	switch p.word(p.before(i)) {
	case "on", "by", "until", "till", "since", "from", "due", "to", "thru", "through", "before", "after", "every":
		return p.at(i).capital || p.word(p.before(i)) == "on"
	}
	if b := p.before(i); p.word(b) == "or" || p.word(b) == "and" || p.at(b).mark == '/' || p.at(b).mark == '&' {
		if w := p.at(b - 1).word; w.weekday > 0 || w.part != "" {
			return true // "Friday night or sat"
		}
	}
	if p.alone(i, j) {
		return true
	}
	if !p.at(i).capital || p.at(i).lower == "sun" || p.at(i).lower == "sat" {
		return false
	}
	k := p.skip(j, "at")
	_, n := p.clockPoint(k)
	return n > 0 || p.known(j).part != ""
}

// dayOfWeek is the weekday of the week w.
func (p *parser) dayOfWeek(w when, weekday int) when {
	y, m, d := w.from.Date()
	r := p.exactDay(p.date(y, m, d+weekday-1))
	r.relative, r.confidence = true, w.confidence
	return r
}

// anchor reads the day from which "a week ago Friday" counts.
func (p *parser) anchor(i int) (when, int) {
	switch p.next(i) {
	case "today", "yesterday", "tomorrow":
		return p.rowsAt(i)
	}
	if p.weekdayName(i) {
		return p.weekdayNear(p.at(i).word.weekday, past).likely(), 1
	}
	return when{}, 0
}

// bounded looks at the words before an amount: 1 for a bound or an estimate
// ("more than two years ago"), 2 if the amount is a part of a longer one.
func (p *parser) bounded(i int) int {
	j := p.before(i)
	if j < 0 {
		return 0
	}
	switch p.word(j) {
	case "over", "under", "than", "least", "most", "within", "about", "around", "almost", "nearly", "roughly", "approximately",
		"every", "some", "or", "to", "between", "and", "past", "up":
		return 1
	case "half", "point", "hundred", "thousand", "million":
		return 2
	}
	switch p.tokens[j].mark {
	case ',':
		if k := p.before(j); k >= 0 && p.tokens[k].word.unit > 0 && p.tokens[i].sep == sepBlank {
			return 1
		}
	case '-', '–', '~':
		return 1
	}
	if p.tokens[j].digits > 0 && p.tokens[i].digits > 0 || p.tokens[j].word.number > 0 {
		return 2
	}
	return 0
}

// tenseBefore is the tense of the clause before i. With no words before, as in
// "In two weeks we ship", an expression speaks of the future.
func (p *parser) tenseBefore(i int) cue {
	words := 0
	for k := p.before(i); k >= 0 && words < 12; k = p.before(k) {
		if p.endsSentence(k) || p.tokens[k].mark == ':' {
			break
		}
		if p.tokens[k].lower == "" {
			continue
		}
		words++
		switch {
		case p.tokens[k].word.role&measure != 0:
			return past
		case p.cueAt(k) != silent:
			return p.cueAt(k)
		}
	}
	if words == 0 {
		return future
	}
	return silent
}

// starts reports whether the token at k is the first of its sentence.
func (p *parser) starts(k int) bool {
	b := p.before(k)
	return b < 0 || p.endsSentence(b)
}

// whole reads a period: one that has a name, or "the week", the current one.
func (p *parser) whole(i int) (when, int) {
	if w, n := p.nested((*parser).dated, i); n > 0 {
		return p.settle(w, i, n), n
	}
	j := p.skip(i, "the")
	if u := p.known(j); u.unit >= day && u.unit <= century && !u.plural && p.next(j) != "" && p.at(j-1).word.ordinal == 0 {
		if u.unit == day && j == i {
			return when{}, 0
		}
		return p.around(u.unit, 0).likely(), j + 1 - i
	}
	return when{}, 0
}

// yearLike reports whether the context of a number of four digits makes it
// a year, and not a count, a size or a port.
func (p *parser) yearLike(i int) (bool, Confidence) {
	if p.counts(i+1) || p.marked(i+1, ':', '-', '\'') && wordAt(p.text, p.at(i+1).end) {
		return false, Sure
	}
	b := p.before(i)
	if !plausible(p.at(i).value) {
		w := p.word(b)
		return w == "in" || w == "since" || w == "year", Likely
	}
	switch p.word(b) {
	case "in", "since", "until", "till", "by", "during", "of", "before", "after", "early", "late", "mid", "circa", "year", "fiscal":
		return true, Sure
	case "from", "between", "around", "through", "thru", "to", "for", "and", "or":
		return true, Likely
	}
	list := p.at(b).mark == ',' && p.at(b-1).digits == 4 && plausible(p.at(b-1).value) // in 2018, 2019
	opens := p.starts(i) && p.at(i+1).word.cue != silent                               // 2013 was a good year
	return list || opens || p.alone(i, i+1), Likely
}

// edition reports whether the year at i tells one of several things apart: "the
// 2009 law". It lies near the reference, or the number is a count.
func (p *parser) edition(i int) bool {
	const back, ahead = 30, 5
	y, now := p.at(i).value, p.ref.Year()
	if b := p.word(p.before(i)); b != "the" && b != "a" {
		return false
	}
	next := p.at(i + 1)
	return y >= now-back && y <= now+ahead && y%100 != 0 && next.sep == sepBlank && next.lower != "" && next.digits == 0 &&
		next.word.unit == 0 && next.word.number == 0
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

// opened reports whether a parenthesis opens between the start of the match and i.
func (m *match) opened(i int) bool {
	return slices.ContainsFunc(m.tokens[m.start:i], func(t token) bool { return t.mark == '(' })
}

// namers are the words behind which a word of time in capitals is a name.
var namers = text.NewSet(`named nicknamed codenamed dubbed class function method constant variable type module struct enum field column
	table branch file bot chatbot assistant robot agent project server host`)

// isGivenName reports whether the token at i is the name of somebody or something: a chatbot
// called Friday, the class Yesterday, Yesterday in calendar.py; April leads the team.
func isGivenName(p *parser, i, n int) bool {
	t := p.at(i)
	if !p.english() || n != 1 || !t.capital {
		return false
	}
	b := p.before(i)
	switch w := p.word(b); {
	case namers.Has(w) && p.at(b).sep != sepBreak && !p.endsSentence(b):
		return true
	case w == "called":
		before := p.before(b)
		article := p.word(p.before(before))
		if was := p.word(before); was == "is" || was == "are" || was == "was" || was == "be" || article == "a" || article == "an" {
			return true
		}
	}
	if rest := p.text[t.end:]; strings.HasPrefix(rest, " in ") {
		file, _, _ := strings.Cut(strings.TrimPrefix(rest, " in "), " ")
		if dot := strings.IndexByte(file, '.'); dot > 0 && dot+1 < len(file) && wordAt(file, dot+1) {
			return true
		}
	}
	if t.word.month == 0 && t.word.season == 0 {
		return false
	}
	verb := p.next(i + 1)
	if !strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "ss") || p.at(i+1).capital {
		return false
	}
	switch p.next(i + 2) {
	case "the", "a", "an", "her", "his", "our", "their", "my", "us", "it", "this", "that":
		return true
	}
	return false
}
