package similarity

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/text"
)

// sameThing reports whether two identifiers, paths or URLs can stand for the same thing: they have the same words, joined in
// whatever way, or one is the other's ending. Names of things end in what they name, and begin with what qualifies it, so that the
// shorter is the less particular name: row_id beside parent_row_id, main.go beside cmd/main.go, gateway beside api-gateway.
// Which word is missing matters when it negates or carries a number: no_cache, host2.cache and cache are three things.
func (p *pair) sameThing(a, b *token) bool {
	x, y := text.NameWords(p.a.text[a.start:a.end]), text.NameWords(p.b.text[b.start:b.end])
	if len(x) < len(y) {
		x, y = y, x
		a, b = b, a
	}
	if j := strings.Join(x, ""); a.kind == b.kind && a.kind == kindIdentifier && j == strings.Join(y, "") && !strings.ContainsFunc(j, unicode.IsDigit) {
		return true
	}
	if len(y) == 0 || b.kind == kindPath && strings.HasPrefix(b.key, "/") && len(x) > len(y) { // an absolute path is no ending
		return false
	}
	extra := x[:len(x)-len(y)]
	if a.kind == kindURL && b.kind == kindURL && len(extra) > 0 {
		return false
	}
	if slices.ContainsFunc(extra, func(w string) bool { return negatesPart(w) || strings.ContainsFunc(w, unicode.IsDigit) }) {
		return false
	}
	same := sameNamePart
	if a.kind != kindIdentifier || b.kind != kindIdentifier {
		same = func(x, y string) bool { return x == y }
	}
	return slices.EqualFunc(x[len(extra):], y, same)
}

// denied reports whether an identifier stands for a word that it negates, or the other way round: no_cache, cache.
func (p *pair) denied(i, j int) bool {
	a, b := &p.a.tokens[i], &p.b.tokens[j]
	if a.kind == b.kind || a.kind != kindIdentifier && b.kind != kindIdentifier {
		return false
	}
	x, y := text.NameWords(p.a.text[a.start:a.end]), text.NameWords(p.b.text[b.start:b.end])
	if len(x) < len(y) {
		x, y = y, x
	}
	extra := len(x) - len(y)
	return extra > 0 && slices.Equal(x[extra:], y) && slices.ContainsFunc(x[:extra], negatesPart)
}

func negatesPart(word string) bool { return negators.Has(word) || negatingPart.Has(word) }

// negatingPart are the words that negate as a part of an identifier.
var negatingPart = text.NewSet("un dis anti skip disable disabled ignore ignored exclude excluded")

// sameNamePart compares two words of identifiers, accents and a plural s aside.
func sameNamePart(x, y string) bool { return x == y || len(x) > 3 && len(y) > 3 && sameName(x, y) }

// sameName compares two names, accents and a final s aside: Chrétien and Chretien, Bronte's and Brontes.
func sameName(x, y string) bool {
	x, y = text.Plain(x), text.Plain(y)
	return x == y || x+"s" == y || y+"s" == x
}

// abbreviates reports whether token i is an initial or a title whose full stop shortens the word t: Sen. and Senator, J. and Jay.
func (s *side) abbreviates(i int, t *token) bool {
	a := &s.tokens[i]
	return (len(a.key) == 1 || titles.Has(a.key)) && len(a.key) < len(t.key) && strings.HasPrefix(t.key, a.key) && strings.HasPrefix(s.text[a.end:], ".")
}

var titles = text.NewSet("sen rep gov gen col capt prof pres sec dept univ assn corp inc ltd bros")

// honorifics end in a full stop that ends no sentence: a name follows.
var honorifics = text.NewSet("dr mr mrs ms prof st sen rep gov gen col lt sgt capt rev hon mt messrs")
