package similarity

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/text"
)

// kind is that of a token, or of a difference.
type kind uint8

const (
	kindWord kind = iota
	kindNumber
	kindUnit
	kindDate // a date or a time of day
	kindVersion
	kindIdentifier
	kindPath
	kindURL
	kindSign
	kindName     // a word with a capital that no sentence explains
	kindNegation // a word that turns a statement round
	kindOrder    // parts that changed places
)

func (k kind) String() string {
	return [...]string{"word", "number", "unit", "date", "version", "identifier", "path", "url", "sign", "name", "negation", "order"}[k]
}

// token is the unit in which texts are aligned: a word, a number, a character of a script without spaces, a sign. Between tokens stands only
// what says nothing: white space, quotes, markup, and punctuation outside of code.
type token struct {
	start, end int    // bytes of the text
	key        string // normal form: tokens with equal keys state the same
	hash       uint64 // of the key
	kind       kind
	gap        gap  // what parts it from the token before
	capital    bool // begins with an upper-case letter
	code       bool // stands in code, where case counts
	character  bool // of a script without spaces
	bullet     bool // begins an item of a list without numbers
}

// gap is the strength of what stands between two tokens.
type gap uint8

const (
	gapSpace    gap = iota // white space, or nothing
	gapHyphen              // a hyphen joins the two
	gapComma               // a comma
	gapClause              // a colon, bracket, quote, dash
	gapSentence            // full stop, question mark, start of a line or of the text
)

// push adds a token of which the rest follows from where it stands.
func (l *lexer) push(t token) {
	t.hash = hashWord(t.key)
	t.gap, l.gap = l.gap, gapSpace
	t.code = t.start < l.code
	t.bullet, l.bullet = l.bullet, false
	l.tokens = append(l.tokens, t)
}

// word adds a word, in its normal form. Contractions are written out.
func (l *lexer) word(start, end int, capital bool) {
	raw := l.text[start:end]
	key := text.Fold(raw)
	t := token{start: start, end: end, key: key, capital: capital}
	if !text.IsASCII(key) {
		t.key = strings.Map(text.LetterForm, key)
	}
	if strings.IndexByte(t.key, '\'') < 0 && !(mayBeJoined(t.key) && joined[t.key] != "") {
		l.push(t)
		return
	}
	for _, w := range expand(t.key) {
		t.key = w
		l.push(t)
	}
}

// sameForm reports whether two tokens with equal keys are the same where forms count: in code upper and lower case, between vowel points
// when both texts write them.
func sameForm(a, b string, x, y *token) bool {
	p, q := a[x.start:x.end], b[y.start:y.end]
	if p == q || x.kind != kindWord {
		return true
	}
	if x.code && y.code && norm.NFKC.String(p) != norm.NFKC.String(q) {
		return false
	}
	return text.IsASCII(p) || !strings.ContainsFunc(p, text.IsVowelPoint) || !strings.ContainsFunc(q, text.IsVowelPoint) || text.Fold(p) == text.Fold(q)
}

// plainCase reports whether the capitals of a word are those of prose: the first letter or all of them.
func plainCase(s string) bool {
	lower := false
	for _, r := range s {
		switch {
		case unicode.IsLower(r):
			lower = true
		case unicode.IsUpper(r) && lower:
			return false
		}
	}
	return true
}
