package supersession

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/memoryd/memoryd/pkg/internal/lazymap"
)

// word is a word of a sentence: letters and digits with what joins them.
type word struct {
	start, end int    // bytes of the sentence
	key        string // lower case, without digit grouping and possessive
	capital    bool   // begins with an upper-case letter
	digit      bool   // holds a digit
	colon      bool   // a colon, an equals sign or an arrow follows
	clause     bool   // a comma, bracket, dash, semicolon or the like stands before it
}

// words takes a sentence apart. It takes time linear in the text.
func words(text string) (out []word) {
	eachWord(text, func(w word) { out = append(out, w) })
	return out
}

// What a word consists of.
const (
	smallLetter uint8 = 1 << iota
	otherASCII
	beyondASCII // or what joins two parts of it
)

// eachWord calls f with each word of a sentence, once it is known what follows it.
func eachWord(text string, f func(word)) {
	var last word // of no word, if it ends where the text begins
	clause := false
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			switch {
			case r == ':' || r == '=' || r == '→' || strings.HasPrefix(text[i:], "->"):
				last.colon = true
			case strings.ContainsRune(`,;()[]{}–—"“”`, r):
				clause = true
			}
			i += n
			continue
		}
		j, seen := i+n, wordByte[text[i]]
		for j < len(text) {
			if c := wordByte[text[j]]; c != 0 {
				seen |= c
				j++
				continue
			}
			q, m := utf8.DecodeRuneInString(text[j:])
			if !inWord(q) && !joins(text, j, q, m) {
				break
			}
			seen |= beyondASCII
			j += m
		}
		if last.end > 0 {
			f(last)
		}
		raw := text[i:j]
		last = word{start: i, end: j, key: raw, clause: clause}
		if r >= utf8.RuneSelf || seen != smallLetter { // most words are of small letters
			last.key, last.capital, last.digit = key(raw), unicode.IsUpper(r), strings.ContainsFunc(raw, unicode.IsDigit)
		}
		clause = false
		i = j
	}
	if last.end > 0 {
		f(last)
	}
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '€' || r == '£'
}

// wordByte has the ASCII characters that inWord accepts, which most are.
var wordByte = func() (in [256]uint8) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case 'a' <= c && c <= 'z':
			in[c] = smallLetter
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '%', c == '$':
			in[c] = otherASCII
		}
	}
	return in
}()

// joins reports whether the character between two parts of a word holds them
// together.
func joins(s string, i int, r rune, n int) bool {
	switch r {
	case '.', ',', ':', '\'', '’', '-', '/', '@', '+', '#':
	default:
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	switch r {
	case ',', ':':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return inWord(before) && inWord(after)
}

// key is the normal form of a word.
func key(raw string) string {
	k := strings.ReplaceAll(strings.ToLower(raw), "’", "'")
	k = strings.TrimSuffix(k, "'s")
	if strings.Contains(k, ",") {
		k = strings.ReplaceAll(k, ",", "")
	}
	return k
}

func joinKeys(ws []word) string {
	keys := make([]string, len(ws))
	for i, w := range ws {
		keys[i] = w.key
	}
	return strings.Join(keys, " ")
}

// contentWords are the stems of the words that carry meaning, sorted.
func contentWords(ws []word) (out []string) {
	for _, w := range ws {
		if !functionWords.Has(w.key) {
			out = append(out, stem(w.key))
		}
	}
	slices.Sort(out)
	return out
}

// stem is the stem of a word, by the algorithm of M. F. Porter for English
// (Snowball).
func stem(w string) string {
	e := snowballstem.NewEnv(w)
	english.Stem(e)
	return e.Current()
}

// dice is the Sørensen–Dice index of two sorted multisets; of two empty ones 0.
func dice(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			common++
			i++
			j++
		}
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// excerpt is the text of words, verbatim.
func excerpt(text string, ws []word) string {
	if len(ws) == 0 {
		return ""
	}
	return text[ws[0].start:ws[len(ws)-1].end]
}

var (
	// functionWords carry no subject: articles, pronouns, prepositions,
	// conjunctions, auxiliaries.
	functionWords = lazymap.Words(`a an the this that these those it its he she they them their his her we our us you your i me my
		and or but nor so if then else than as at by for from in into of off on onto out over to up upon via with within
		without about after against before between through during under until since while when where which who whom whose
		what why how is are was were be been being am do does did has have had having will would shall should can could
		may might must not no yes also only just any all each both some such other there here very more most`)

	// auxiliaries stand between a subject and what is said about it.
	auxiliaries = lazymap.Words(`is are was were be been am has have had does do did will would shall should can could may might must
		isn't aren't wasn't weren't hasn't haven't doesn't don't didn't won't can't cannot couldn't shouldn't`)

	// connectives stand inside names and values.
	connectives = lazymap.Words(`of and the a an & or for de la le du di da von van der den del y`)

	// slotMarks stand before a value.
	slotMarks = lazymap.Words(`is are was were be been of by with in into to as at on from for than has have had the a an its via under
		within after until since every`)

	// pronouns are followed by a verb when they begin a sentence.
	pronouns = lazymap.Words(`i we you they he she it everyone everybody someone nobody`)

	// deictic words begin a sentence whose subject only the text around it tells.
	deictic = lazymap.Words(`this that these those it he she they here there`)

	// present words say that a statement holds by now and add nothing to it.
	present = lazymap.Words(`now currently today nowadays presently meanwhile again`)
)
