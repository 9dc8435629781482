package temporal

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// reading is what an expression means.
type reading struct {
	from, to time.Time
	grain    string
	relative bool
}

// parser reads expressions from tokens. A rule looks at the tokens from i on and
// returns its reading with the number of tokens read, 0 if it doesn't apply.
type parser struct {
	text   string
	tokens []token
	ref    time.Time
}

type rule func(p *parser, i int) (reading, int)

// rules are tried at every token; the longest reading wins, the earlier rule on
// a tie.
var rules = []rule{
	(*parser).isoDate,
	(*parser).namedDate,
	(*parser).quarter,
	(*parser).deicticDay,
	(*parser).lastThisNext,
	(*parser).ago,
	(*parser).inFuture,
}

func (p *parser) read(i int) (best reading, length int) {
	if p.tokens[i].lower == "" {
		return best, 0
	}
	for _, rule := range rules {
		if r, n := rule(p, i); n > length {
			best, length = r, n
		}
	}
	return best, length
}

// word returns the lower-cased word at i, "" if there is none.
func (p *parser) word(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.tokens[i].lower
}

// next returns the lower-cased word at i if only blanks separate it from the
// token before.
func (p *parser) next(i int) string {
	if i >= len(p.tokens) || p.tokens[i].sep != sepBlank {
		return ""
	}
	return p.tokens[i].lower
}

// is reports whether the token at i is the character mark, directly after the
// token before.
func (p *parser) is(i int, mark string) bool {
	return i < len(p.tokens) && p.tokens[i].sep == sepNone && p.raw(i) == mark
}

func (p *parser) raw(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.text[p.tokens[i].start:p.tokens[i].end]
}

func (p *parser) capital(i int) bool {
	r, _ := utf8.DecodeRuneInString(p.raw(i))
	return unicode.IsUpper(r)
}

// before returns the index of the token before i in the same passage, -1 if
// there is none. An absolute date in parentheses that follows an expression is
// stepped over, so that an annotated text reads like the original.
func (p *parser) before(i int) int {
	const longest = 12 // tokens in "(2026-03-02 to 2026-03-08)"
	if i <= 0 || p.tokens[i].sep == sepBreak {
		return -1
	}
	j := i - 1
	if p.raw(j) != ")" {
		return j
	}
	for k := j - 1; k > 0 && k >= j-longest && p.raw(k) != ")"; k-- {
		if p.raw(k) == "(" {
			if t := p.tokens[k+1]; t.digits && t.end-t.start == 4 {
				return p.before(k)
			}
			break
		}
	}
	return j
}

// number reads a count: digits, a number word ("three", "twenty-five"), "a" or
// "an", "a couple of".
func (p *parser) number(i int) (value, tokens int) {
	if i >= len(p.tokens) {
		return 0, 0
	}
	t := p.tokens[i]
	if t.digits {
		return t.value, 1
	}
	if (t.lower == "a" || t.lower == "the") && p.next(i+1) == "couple" {
		i, tokens = i+1, 1
		t = p.tokens[i]
	}
	switch t.lower {
	case "a", "an":
		return 1, 1
	case "couple":
		if p.next(i+1) == "of" {
			tokens++
		}
		return 2, tokens + 1
	}
	if n, ok := ones[t.lower]; ok {
		return n, 1
	}
	n, ok := tens[t.lower]
	if !ok {
		return 0, 0
	}
	if unit := ones[p.word(i+2)]; unit > 0 && unit < 10 && p.is(i+1, "-") && p.tokens[i+2].sep == sepNone {
		return n + unit, 3
	}
	if unit := ones[p.next(i+1)]; unit > 0 && unit < 10 {
		return n + unit, 2
	}
	return n, 1
}

var ones = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19,
}

var tens = map[string]int{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// standsAlone reports whether text[start:end] is not a part of a longer name, such
// as "yesterday-only" or "1.5 years ago".
func (p *parser) standsAlone(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(p.text[:start])
	switch before {
	case '-', '.', ',', '/', '\\', '#', '$', '&', '%', '+', '<':
		return false
	}
	after, size := utf8.DecodeRuneInString(p.text[end:])
	switch after {
	case '/', '\\', '%', '>', '(', '[', '{':
		return false
	case '-', '.', '\'', '’', ':', ',':
		return !startsWithLetter(p.text[end+size:])
	}
	return !isWord(before) && !startsWithLetter(p.text[end:])
}
