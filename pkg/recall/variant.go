package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// What the terms of the index have to do with a word of the query that none of them is, and how much they count then.
// They are found among all terms, since what a word inflects to in languages without a stemmer, is part of, or is misspelled as
// isn't known before.
const (
	beginsWith = .8 // inflected: пароль, паролей; or the beginning of a name or a hash
	holdsWord  = .6 // part of a compound or an identifier: repo in mallrepo
	isPart     = .5 // the word is the compound: autoupdate, auto-update
	oneEdit    = .7 // a letter is wrong, missing, too many, or two have changed places
	sharing    = .7 // a long common beginning, and other endings

	english       = .5 // all of them in a question in English, where stems find most of what is meant
	leastLetters  = 4  // of what is compared; half as many in scripts whose letters are syllables or words
	leastMistyped = 6  // letters of a word that may be misspelled
	leastShare    = .6 // of the longer word that is the common beginning
	mostVariants  = 4  // of a word
	mostUnknown   = 8  // words of a query that have variants
)

// variant is a term that stands for a word of the query.
type variant struct {
	number uint32
	factor float64
}

// variants finds the terms that are most like a word of the query and that documents have, the best first.
func (ix *Index) variants(m *matches, term string, stemmed bool) []variant {
	w := newLetters(term, stemmed)
	if !w.enough() {
		return nil
	}
	var best []variant
	for number, t := range ix.terms.list {
		if len(t) == 0 || t[0] == '@' || t == term {
			continue
		}
		if f := w.likeness(t); f > 0 && ix.has(m, uint32(number)) {
			best = append(best, variant{uint32(number), f})
		}
	}
	slices.SortFunc(best, func(a, b variant) int {
		return cmp.Or(cmp.Compare(b.factor, a.factor), strings.Compare(ix.terms.list[a.number], ix.terms.list[b.number]))
	})
	return best[:min(len(best), mostVariants)]
}

// letters is a word that terms are compared with.
type letters struct {
	word  string
	count int // letters
	least int // letters that a common part must have

	stemmed bool // words of its language are stemmed, and written apart: parts and common beginnings make other words
}

func newLetters(word string, stemmed bool) letters {
	l := letters{word: word, count: utf8.RuneCountInString(word), least: leastLetters, stemmed: stemmed}
	if r, _ := utf8.DecodeRuneInString(word); text.RuneScript(r) == "Hangul" || unspaced(r) {
		l.least = leastLetters / 2
	}
	return l
}

// enough reports whether a word is long enough for its variants to be told from other words. Numbers have none: each is another one.
func (l *letters) enough() bool {
	return l.count >= l.least && strings.ContainsFunc(l.word, unicode.IsLetter)
}

// likeness is how much a term counts for the word, 0 for not at all.
func (l *letters) likeness(term string) float64 {
	if len(term) > len(l.word) {
		if i := strings.Index(term, l.word); i == 0 {
			return beginsWith
		} else if i > 0 {
			return holdsWord
		}
	} else if !l.stemmed && len(term) < len(l.word) && l.leavesPart(term) && (strings.HasPrefix(l.word, term) || strings.HasSuffix(l.word, term)) {
		return isPart
	}
	shared := commonBeginning(l.word, term)
	if l.count >= leastMistyped && editedOnce(l.word[shared:], term[shared:]) && strings.IndexFunc(term, unicode.IsDigit) < 0 {
		return oneEdit
	}
	if l.stemmed || 10*shared < 5*max(len(l.word), len(term)) { // in bytes, to leave most out
		return 0
	}
	letters := utf8.RuneCountInString(term[:shared])
	if share := float64(letters) / float64(max(l.count, utf8.RuneCountInString(term))); letters >= l.least && share >= leastShare {
		return sharing * share
	}
	return 0
}

// commonBeginning is the length in bytes of the letters with which both words begin.
func commonBeginning(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// leavesPart reports whether a shorter term, and what the word has besides, are long enough to be parts of a compound: Anna is not part of Hanna.
func (l *letters) leavesPart(term string) bool {
	n := utf8.RuneCountInString(term)
	return n >= l.least && l.count-n >= l.least-1
}

// editedOnce reports whether what is left of two words behind their common beginning differs by one letter that was
// put in, left out or replaced, or by two that have changed places.
func editedOnce(a, b string) bool {
	if d := len(a) - len(b); d > utf8.UTFMax || d < -utf8.UTFMax {
		return false
	}
	x, n := utf8.DecodeRuneInString(a)
	y, m := utf8.DecodeRuneInString(b)
	restA, restB := a[n:], b[m:]
	if a == "" || b == "" {
		return a != b && restA == restB
	}
	if restA == restB || a == restB || restA == b {
		return true
	}
	x2, n2 := utf8.DecodeRuneInString(restA)
	y2, m2 := utf8.DecodeRuneInString(restB)
	return x == y2 && y == x2 && n2 > 0 && m2 > 0 && restA[n2:] == restB[m2:]
}

// addVariants adds the variants of the words that the index doesn't have, and of those in other languages than English, whose terms are no
// stems.
func (ix *Index) addVariants(m *matches, query string, words []word) []word {
	stemmed := text.LanguageOf(query) == text.English
	unknown, weight := 0, 1.0
	if stemmed {
		weight = english
	}
	for _, x := range words {
		if x.number != none && text.IsASCII(x.term) || x.person != none || unknown == mostUnknown {
			continue
		}
		unknown++
		for _, v := range ix.variants(m, x.term, stemmed) {
			if slices.ContainsFunc(words, func(w word) bool { return w.number == v.number }) {
				continue
			}
			words = append(words, word{text: x.text, term: ix.terms.list[v.number], number: v.number, person: none, variant: v.factor * weight})
		}
	}
	return words
}
