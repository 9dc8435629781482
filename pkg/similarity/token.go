package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is the unit in which Differences aligns texts: a word, or a fact such as a number with its unit, a date, a path.
type token struct {
	start, end int    // bytes of the text
	key        string // normal form: tokens with equal keys state the same
	hash       uint64 // of the key
	*value            // of a number or date; never nil once the token is added
	lists      lists  // in which the key stands
	kind       kind   // kindWord or the kind of fact
	gap        gap    // what parts it from the token before
	capital    bool   // begins with an upper-case letter
	capitals   bool   // and so does all the rest, of two letters or more
	negative   bool   // negates
	itemNumber bool   // is the number of a list item within a line
	spelt      bool   // kindNumber: written in words, at least its magnitude
}

// value is what a number or date says. Tokens may share one: it is replaced, never changed.
type value struct {
	num, unit string // kindNumber: plain decimal and canonical unit
	date      *date  // kindDate
}

var noValue = &value{}

func (t *token) setKey(key string) { t.key, t.hash = key, hashWord(key) }

// gap is the strength of what stands between two tokens.
type gap uint8

const (
	gapNone     gap = iota // space or a hyphen
	gapClause              // comma, colon, bracket, quote, dash
	gapSentence            // full stop, question mark, start of a line or of the text
)

// add adds a token of which the rest follows from its key and where it stands.
func (l *lexer) add(t token) {
	t.hash = hashWord(t.key)
	t.lists = l.lexicon[t.key]
	l.setCapitals(&t)
	l.push(t)
}

// setCapitals notes the capitals of a token.
func (l *lexer) setCapitals(t *token) {
	if c := l.text[t.start]; c < utf8.RuneSelf && (c < 'A' || 'Z' < c) {
		return
	}
	if r, _ := utf8.DecodeRuneInString(l.text[t.start:]); unicode.IsUpper(r) {
		t.capital = true
		t.capitals = t.end-t.start > 1 && !strings.ContainsFunc(l.text[t.start:t.end], unicode.IsLower)
	}
}

func (l *lexer) push(t token) {
	l.seen |= t.lists
	t.gap, l.gap = l.gap, gapNone
	if t.value == nil {
		t.value = noValue
	}
	if t.kind == kindWord && t.start < l.code {
		t.kind = kindIdentifier
	}
	l.tokens = append(l.tokens, t)
}
