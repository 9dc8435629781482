package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// analyzer turns words into terms, the units in which frequency and coverage are
// counted. It remembers stems and facts and is not safe for concurrent use.
type analyzer struct {
	language text.Language // of the stop words and stems: English if the text's is not known
	listed   bool          // the text's language is known, and has stop words
	script   text.Script
	letters  letterCase
	stems    map[string]string
	facts    map[string]bool // terms that state a fact
}

func newAnalyzer(s string) *analyzer {
	l := text.LanguageOf(s)
	a := &analyzer{language: l, listed: l.Known(), script: text.ScriptOf(s), letters: readCase(s), stems: map[string]string{}, facts: map[string]bool{}}
	if !a.listed {
		a.language = text.English
	}
	return a
}

// languageOf is the language of a text if its words are known, else English, whose
// stop words are not words of most others.
func languageOf(s string) text.Language {
	if l := text.LanguageOf(s); l.Known() {
		return l
	}
	return text.English
}

// terms lists the terms of a text in order, with repeats: the stems of its content
// words, its identifiers, numbers and URLs whole, and overlapping pairs of characters
// where the script has no spaces.
func (a *analyzer) terms(s string) []string {
	var out []string
	inside := false         // a sentence
	last, lastEnd := "", -1 // the term of the name before, and where it ends
	for t := range text.Tokens(s) {
		word, n := s[t.Start:t.End], len(out)
		fact := isFact(t.Kind, word, a.script)
		named := ""
		switch {
		case t.Kind == text.KindSign, t.Kind == text.KindNumber && utf8.RuneCountInString(word) < 2:
		case t.Kind == text.KindUnspaced:
			out = pairs(word, out)
			for _, number := range hanNumbers(word) {
				a.facts[number] = true
				out = append(out, number)
			}
		case t.Kind == text.KindCompound && !fact:
			for _, part := range strings.FieldsFunc(word, notNameRune) {
				out = a.word(part, out)
			}
		case t.Kind == text.KindWord && !fact:
			if out = a.word(word, out); len(out) > n && a.letters.isNamed(word) {
				named = out[n]
			}
		default:
			out = append(out, strings.ToLower(word))
		}
		for _, term := range out[n:] {
			a.facts[term] = a.facts[term] || fact
		}
		if pair := last != "" && t.Start == lastEnd+1; named != "" && (pair || inside && !a.letters.nouns) {
			a.facts[named] = true
			if pair {
				a.facts[last] = true
			}
		}
		last, lastEnd = named, t.End
		inside = goesOn(t.Kind, word)
	}
	return out
}

func (a *analyzer) word(word string, out []string) []string {
	if i := strings.IndexAny(word, "'’"); i >= 0 {
		word = word[:i]
	}
	lower := strings.ToLower(word)
	r, _ := utf8.DecodeLastRuneInString(word)
	if letters := utf8.RuneCountInString(word); letters < 2 || letters == 2 && unicode.IsLower(r) || a.isStopWord(lower) {
		return out
	}
	stem, ok := a.stems[lower]
	if !ok {
		stem = a.language.Stem(lower)
		a.stems[lower] = stem
	}
	return append(out, stem)
}

// isStopWord reports whether a word in lower case says little of what a text is about.
func (a *analyzer) isStopWord(word string) bool {
	return a.language.IsStopWord(word) || a.language.List("frequent")[word] || a.language.List("filler")[word]
}

// pairs adds each two neighbouring characters, the usual index unit for scripts
// without spaces. Pairs with hiragana are mostly grammar, and left out.
func pairs(run string, out []string) []string {
	previous, start := rune(0), 0
	for i, r := range run {
		if previous != 0 && !unicode.Is(unicode.Hiragana, previous) && !unicode.Is(unicode.Hiragana, r) {
			out = append(out, run[start:i+utf8.RuneLen(r)])
		}
		previous, start = r, i
	}
	return out
}

// How many terms of a text are key terms: at most keyTermLimit, of which half may be
// facts, and at least keyTermFloor, even in a text that repeats nothing.
const (
	keyTermLimit = 40
	keyFacts     = 10
	keyTermFloor = 10
)

// KeyTerms returns the terms that say what a text is about: at most 40, up to twenty
// facts first. They are what the guard of [Summarise] counts.
//
// A term is the lower-cased stem of a word that is not a stop word or a filler of
// speech; a whole identifier, URL or number of two characters or more (ERR_TIMEOUT,
// v1.2.3, 503); or, in scripts without spaces, a pair of neighbouring characters. A fact
// is an identifier, a URL, a number, a name (capitalised within a sentence, and nowhere
// small), or a word in Latin letters amid another script, wherever they touch other
// letters. Of the facts, those come first that stand where the text tells an outcome or
// labels a paragraph, then the others in the order of the text. Of the other terms,
// those that most sentences use come first; a heading counts twice. Terms used in a
// single sentence are taken only to fill up ten. Sentences that are alike count as one. Speakers' names, the lines of logs and journals, of
// stack traces and code count for frequency and state no key fact.
func KeyTerms(s string) []string {
	d := newDocument(s, "")
	var out []string
	for _, id := range d.keyIDs() {
		out = append(out, d.names[id])
	}
	return out
}

// keyIDs are the ids of the key terms.
func (d *document) keyIDs() []int {
	var keys []int
	taken := map[int]bool{}
	take := func(id int) {
		if !taken[id] {
			taken[id] = true
			keys = append(keys, id)
		}
	}
	for _, telling := range []bool{true, false} {
		for i, s := range d.sentences {
			for _, id := range d.termIDs[i] {
				if d.isFact[id] && len(keys) < keyFacts && d.tells(i) == telling && s.kind == prose && !d.repeated[i] {
					take(id)
				}
			}
		}
	}
	ids := make([]int, len(d.names))
	for id := range ids {
		ids[id] = id
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(d.weights[b], d.weights[a]) })
	for _, id := range ids {
		if len(keys) < keyTermLimit && (d.frequency[id] > 1 || len(keys) < keyTermFloor) {
			take(id)
		}
	}
	return keys
}
