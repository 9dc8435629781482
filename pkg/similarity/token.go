package similarity

import (
	"slices"
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
	counts     bool   // is the number of a list item within a line
	spelt      bool   // kindNumber: written in words, at least its magnitude
}

// value is what a number or date says. Several tokens may have one: it is replaced, never changed.
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
	t.lists = l.lexicon.of(t.hash)
	l.lookAt(&t)
	l.push(t)
}

// lookAt notes the capitals of a token.
func (l *lexer) lookAt(t *token) {
	if c := l.text[t.start]; c < utf8.RuneSelf && (c < 'A' || 'Z' < c) {
		return
	}
	if r, _ := utf8.DecodeRuneInString(l.text[t.start:]); unicode.IsUpper(r) {
		t.capital = true
		t.capitals = t.end-t.start > 1 && !strings.ContainsFunc(l.text[t.start:t.end], unicode.IsLower)
	}
}

func (l *lexer) push(t token) {
	l.met |= t.lists
	t.gap, l.gap = l.gap, gapNone
	if t.value == nil {
		t.value = noValue
	}
	if t.kind == kindWord && t.start < l.code {
		t.kind = kindIdentifier
	}
	l.tokens = append(l.tokens, t)
}

// empty adds a token in its place, from where it need not be moved.
func (l *lexer) empty() *token {
	n := len(l.tokens)
	if n == cap(l.tokens) {
		l.tokens = slices.Grow(l.tokens, 1)
	}
	l.tokens = l.tokens[:n+1]
	t := &l.tokens[n]
	*t = token{}
	return t
}

// value keeps v for a token of this text.
func (l *lexer) value(v value) *value {
	if len(l.values) == cap(l.values) {
		l.values = make([]value, 0, max(16, 2*cap(l.values))) // who has one of the old holds on to it
	}
	l.values = append(l.values, v)
	return &l.values[len(l.values)-1]
}
