package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// analyzer turns words into terms, the units in which frequency and coverage
// are counted. It remembers stems and is not safe for concurrent use.
type analyzer struct {
	stems map[string]string
}

func newAnalyzer() *analyzer { return &analyzer{stems: map[string]string{}} }

// terms lists the terms of a text in order, with repeats: the stems of its content
// words, its identifiers and numbers whole, and overlapping pairs of characters
// where the script has no spaces.
func (a *analyzer) terms(s string) []string {
	var out []string
	for t := range text.Tokens(s) {
		word := s[t.Start:t.End]
		switch t.Kind {
		case text.KindWord:
			out = a.word(word, out)
		case text.KindCompound:
			for _, part := range strings.FieldsFunc(word, notNameRune) {
				out = a.word(part, out)
			}
		case text.KindNumber:
			if utf8.RuneCountInString(word) > 1 {
				out = append(out, word)
			}
		case text.KindIdentifier:
			out = append(out, strings.ToLower(word))
		case text.KindUnspaced:
			out = pairs(word, out)
		}
	}
	return out
}

func (a *analyzer) word(word string, out []string) []string {
	if i := strings.IndexAny(word, "'’"); i >= 0 {
		word = word[:i]
	}
	lower := strings.ToLower(word)
	r, _ := utf8.DecodeLastRuneInString(word)
	if letters := utf8.RuneCountInString(word); letters < 2 || letters == 2 && unicode.IsLower(r) || isStopWord(lower) {
		return out
	}
	stem, ok := a.stems[lower]
	if !ok {
		stem = text.English.Stem(lower)
		a.stems[lower] = stem
	}
	return append(out, stem)
}

// isStopWord reports whether a word in lower case says little of what a text is about.
func isStopWord(word string) bool {
	return text.English.IsStopWord(word) || text.English.List("frequent")[word] || text.English.List("filler")[word]
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

// keyTermLimit is how many terms of a text count as key terms at most, and
// keyTermFloor how many do in a text that repeats nothing.
const (
	keyTermLimit = 40
	keyTermFloor = 10
)

// KeyTerms returns the terms that say what a text is about, the most telling first:
// at most 40. They are what the guard of [Summarise] counts.
//
// A term is the lower-cased English (Snowball) stem of a word that is not a stop
// word or a filler of speech; a whole identifier or number of two characters or
// more (ERR_TIMEOUT, v1.2.3, 503); or, in scripts without spaces, a pair of
// neighbouring characters. Its weight is the number of sentences that use it,
// counted once more in a heading and half more for an identifier. Sentences that
// differ only in what contains a digit count as one. Speakers' names, the timestamps
// of log lines, the lines of stack traces and the targets of links don't count.
// Terms used in a single sentence are taken only to fill up ten. Ties go to the
// term that comes first.
func KeyTerms(s string) []string {
	d := newDocument(s, "")
	var out []string
	for _, id := range d.keyIDs() {
		out = append(out, d.names[id])
	}
	return out
}

// keyIDs are the ids of the key terms, the weightiest first.
func (d *document) keyIDs() []int {
	ids := make([]int, len(d.names))
	for id := range ids {
		ids[id] = id
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(d.weights[b], d.weights[a]) })
	keys := ids[:0]
	for _, id := range ids {
		if len(keys) < keyTermLimit && (d.frequency[id] > 1 || len(keys) < keyTermFloor) {
			keys = append(keys, id)
		}
	}
	return keys
}
