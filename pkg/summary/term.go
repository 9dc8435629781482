package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// analyzer turns words into terms, the units in which frequency and coverage
// are counted. It is not safe for concurrent use: the stemmer keeps its state.
type analyzer struct {
	env   *snowballstem.Env
	stems map[string]string
}

func newAnalyzer() *analyzer {
	return &analyzer{env: snowballstem.NewEnv(""), stems: map[string]string{}}
}

// terms lists the terms of text in order, with repeats: the stems of its content
// words, its identifiers and numbers whole, and overlapping pairs of characters
// where the script has no spaces.
func (a *analyzer) terms(text string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(text, isSeparator) {
		switch {
		case strings.Contains(field, "://"):
		case strings.IndexFunc(field, isUnspaced) >= 0:
			out = a.mixed(field, out)
		default:
			out = a.field(field, out)
		}
	}
	return out
}

func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || r < utf8.RuneSelf && strings.ContainsRune("\"`(){}[]<>|;=", r)
}

// field adds the terms of a run without blanks.
func (a *analyzer) field(field string, out []string) []string {
	word := strings.TrimFunc(field, func(r rune) bool { return !isWordRune(r) })
	switch shapeOf(word) {
	case shapeNone:
	case shapeNumber:
		if utf8.RuneCountInString(word) > 1 {
			out = append(out, word)
		}
	case shapeIdentifier:
		out = append(out, strings.ToLower(word))
	case shapeCompound:
		for _, part := range strings.FieldsFunc(word, notNameRune) {
			out = a.word(part, out)
		}
	default:
		out = a.word(word, out)
	}
	return out
}

func (a *analyzer) word(word string, out []string) []string {
	if i := strings.IndexAny(word, "'’"); i >= 0 {
		word = word[:i]
	}
	lower := strings.ToLower(word)
	r, _ := utf8.DecodeLastRuneInString(word)
	if letters := utf8.RuneCountInString(word); letters < 2 || letters == 2 && unicode.IsLower(r) || stopwords.Has(lower) {
		return out
	}
	return append(out, a.stem(lower))
}

func (a *analyzer) stem(word string) string {
	if stem, ok := a.stems[word]; ok {
		return stem
	}
	stem := word
	if isASCII(word) && len(word) < 64 {
		a.env.SetCurrent(word)
		english.Stem(a.env)
		stem = a.env.Current()
	}
	a.stems[word] = stem
	return stem
}

// mixed adds the terms of a run in which unspaced script may touch other words.
func (a *analyzer) mixed(run string, out []string) []string {
	for len(run) > 0 {
		n := strings.IndexFunc(run, isUnspaced)
		if n < 0 {
			n = len(run)
		}
		if n > 0 {
			out, run = a.field(run[:n], out), run[n:]
			continue
		}
		n = strings.IndexFunc(run, func(r rune) bool { return !isUnspaced(r) })
		if n < 0 {
			n = len(run)
		}
		out, run = pairs(run[:n], out), run[n:]
	}
	return out
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

func isUnspaced(r rune) bool {
	const prolonged = 'ー' // shared by both kana, so of neither script
	return r == prolonged || r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		(unicode.IsLetter(r) || unicode.IsMark(r))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

type shape byte

const (
	shapeNone       shape = iota
	shapeWord             // letters
	shapeCompound         // words joined by hyphens, slashes or other marks
	shapeNumber           // digits, with the marks of decimals, dates and times
	shapeIdentifier       // a name with digits, dots, underscores or inner capitals
)

func shapeOf(word string) shape {
	letters, digits, joins, names, inner := 0, 0, 0, 0, 0
	lower := false
	for _, r := range word {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
			if lower && unicode.IsUpper(r) {
				inner++
			}
			lower = unicode.IsLower(r)
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune("_.@#\\:=/", r):
			names++
		case r != '\'' && r != '’':
			joins++
		}
	}
	switch {
	case letters+digits == 0:
		return shapeNone
	case letters == 0:
		return shapeNumber
	case digits > 0 || inner > 0 || strings.ContainsAny(word, "_\\@") || names > 0 && !strings.Contains(word, "/") && joins == 0:
		return shapeIdentifier
	case names+joins > 0:
		return shapeCompound
	}
	return shapeWord
}

// keyTermLimit is how many terms of a text count as key terms at most, and
// keyTermFloor how many do in a text that repeats nothing.
const (
	keyTermLimit = 40
	keyTermFloor = 10
)

// KeyTerms returns the terms that say what text is about, the most telling first:
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
func KeyTerms(text string) []string {
	d := newDocument(text, "")
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
