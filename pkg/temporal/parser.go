package temporal

import (
	"slices"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// parser reads expressions from tokens. A rule looks at the tokens from i on and
// returns its reading with the number of tokens read, 0 if it doesn't apply.
type parser struct {
	text   string
	lang   *language
	sure   bool          // the language is certain
	order  func() string // of the numbers of a date, as in a data file
	tokens []token
	calendar
	start  int  // the first token of the expression being read
	depth  int  // of expressions within expressions
	ranged bool // in a range that a preposition announced
}

// english reports whether the text is read by the rules of English, which has more than rows.
func (p *parser) english() bool { return p.lang.code == text.English }

// tokensIf is n if the rule applies.
func tokensIf(applies bool, n int) int {
	if applies {
		return n
	}
	return 0
}

type rule func(p *parser, i int) (when, int)

// read returns the longest expression that begins at the token i, with its
// interval.
func (p *parser) read(i int) (when, int) {
	if p.opens(i) == 0 || p.tokens[i].digits > 9 {
		return when{}, 0
	}
	p.start = i
	w, n := p.point(i)
	if p.english() {
		if r, m := p.ranges(i, w, n); m > n {
			w, n = r, m
		}
	}
	if n == 0 {
		return w, 0
	}
	return p.settle(w, i, n), n
}

// nested tries a rule for an expression within an expression ("the end of last
// week"). Two levels are all that English bears, and keep the cost linear.
func (p *parser) nested(rule rule, i int) (when, int) {
	const deepest = 2
	if p.depth >= deepest || p.next(i) == "" {
		return when{}, 0
	}
	p.depth++
	defer func() { p.depth-- }()
	return rule(p, i)
}

// at returns the token at i, a blank one outside of the text.
func (p *parser) at(i int) *token {
	if i < 0 || i >= len(p.tokens) {
		return &none
	}
	return &p.tokens[i]
}

// word returns the lower-cased word at i, "" if there is none.
func (p *parser) word(i int) string { return p.at(i).lower }

// next returns the lower-cased word at i if it continues the passage of the
// token before.
func (p *parser) next(i int) string {
	if t := p.at(i); t.sep != sepBreak || i == p.start {
		return t.lower
	}
	return ""
}

// known is what the lexicon knows of the word at i, if it continues the passage.
func (p *parser) known(i int) *word {
	if t := p.at(i); t.sep != sepBreak || i == p.start {
		return t.word
	}
	return none.word
}

// marked reports whether the token at i is one of the characters, directly after
// the token before.
func (p *parser) marked(i int, marks ...rune) bool {
	t := p.at(i)
	if t.sep != sepNone || t.mark == 0 {
		return false
	}
	for _, m := range marks {
		if t.mark == m {
			return true
		}
	}
	return false
}

// skip returns i, or i+1 if the word there is one of the given.
func (p *parser) skip(i int, words ...string) int {
	next := p.next(i)
	for _, w := range words {
		if next == w {
			return i + 1
		}
	}
	return i
}

// preceded reports whether one of the words stands before the token at i.
func (p *parser) preceded(i int, words ...string) bool {
	before := p.word(p.before(i))
	return before != "" && slices.Contains(words, before)
}

// comma steps over a comma.
func (p *parser) comma(i int) int {
	if p.at(i).mark == ',' && p.at(i).sep != sepBreak {
		return i + 1
	}
	return i
}

// before returns the index of the token before i in the same passage, -1 if
// there is none.
func (p *parser) before(i int) int {
	if i <= 0 || i > len(p.tokens) || i < len(p.tokens) && p.tokens[i].sep == sepBreak {
		return -1
	}
	return i - 1
}

// alone reports whether the tokens [i,j) are all that stands on their line but
// for a label before them ("Date: Friday").
func (p *parser) alone(i, j int) bool {
	if !p.edge(j) && !(p.marked(j, '.', '!', '?', ',') && p.edge(j+1)) {
		return false
	}
	if i == 0 || p.tokens[i].sep == sepBreak || p.at(i-1).mark == ':' {
		return true
	}
	return p.lineBreak(i)
}

// edge reports whether a line ends before the token i.
func (p *parser) edge(i int) bool {
	return i >= len(p.tokens) || p.tokens[i].sep == sepBreak || p.lineBreak(i)
}

func (p *parser) lineBreak(i int) bool {
	for _, c := range []byte(p.text[p.tokens[i-1].end:p.tokens[i].start]) {
		if c == '\n' {
			return true
		}
	}
	return false
}

// counts reports whether the word at i, after a number, is what the number
// counts: "the 5th attempt", "2000 toys".
func (p *parser) counts(i int) bool {
	t := p.at(i)
	if t.sep == sepBreak {
		return false
	}
	return t.mark == '%' || t.lower != "" && t.digits == 0 && !t.word.function && t.word.month == 0 && t.word.weekday == 0 &&
		t.word.cue == silent && !p.participle(i)
}

// standsAlone reports whether text[start:end] is not a part of a longer name, such
// as "yesterday-only" or "1.5 years ago".
func (p *parser) standsAlone(start, end int) bool {
	if joined(p.text, start) {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(p.text[:start])
	switch before {
	case '.', ',', '-', '/':
		// "1.5 days", "x-5 May": part of a number or a name; "…today", ",today" are not.
		if prev := start - size; wordBefore(p.text, prev) {
			return false
		}
	case '\\', '#', '$', '€', '£', '&', '%', '+', '<', '_', '@':
		return false
	}
	after, size := utf8.DecodeRuneInString(p.text[end:])
	switch after {
	case '/', '\\', '%', '>', '(', '[', '{', '_', '°':
		return false
	case '\'', '’':
		return p.lang.suffix || !wordAt(p.text, end+size)
	case '-', '.', ':', ',':
		return !wordAt(p.text, end+size) || p.lang.dense
	}
	first, _ := utf8.DecodeRuneInString(p.text[start:])
	last, _ := utf8.DecodeLastRuneInString(p.text[:end])
	return !(isWord(before) && isWord(first) && !isDense(before) && !isDense(first)) &&
		!(isWord(after) && isWord(last) && !isDense(after) && !isDense(last))
}
