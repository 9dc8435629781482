package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// widest is the longest term, in bytes; what is longer is cut: nobody types more.
const widest = 64

// analyzer cuts text into terms. Not safe for concurrent use: the stemmer keeps
// its state.
type analyzer struct {
	env  *snowballstem.Env
	word []byte                   // the word at hand, in lower case
	met  map[string]*analyzedWord // words met before
}

// analyzedWord is what becomes of a word: reading a text is looking up words, mostly.
type analyzedWord struct {
	term   string // "" for a stop word
	number uint32 // of the term, for who numbers terms; none: not known yet
}

// token is a term as it stands in a text.
type token struct {
	term       string
	start, end int           // where
	whole      bool          // a name whose parts came before
	word       *analyzedWord // nil for what is no single word
}

func newAnalyzer() *analyzer {
	return &analyzer{env: snowballstem.NewEnv(""), met: map[string]*analyzedWord{}}
}

// maxMet bounds the memory of an analyzer that meets words without end.
const maxMet = 1 << 18

// terms calls yield for each term of text in order: stems of words in lower case
// and without marks, numbers, the parts of compound names ("api_key", "getUser",
// "v1.2.3") and then the names whole, overlapping pairs of characters where
// scripts have no spaces.
func (a *analyzer) terms(text string, yield func(token)) {
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case other:
			i++
		case small, capital:
			if end := a.plain(text, i); end > 0 {
				a.look(i, end, yield)
				i = end
				continue
			}
			i = a.compound(text, i, yield)
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			switch {
			case unspaced(r):
				i = a.pairs(text, i, yield)
			case wordRune(r):
				i = a.compound(text, i, yield)
			default:
				i += n
			}
		}
	}
}

// Classes of bytes.
const (
	other   = iota
	small   // a small letter or a digit
	capital // a capital
	joint   // makes one name of two words, or is an apostrophe
	wide    // of a character of several bytes
)

var classes = func() (c [256]byte) {
	for i := range c {
		switch b := byte(i); {
		case 'a' <= b && b <= 'z' || '0' <= b && b <= '9':
			c[i] = small
		case 'A' <= b && b <= 'Z':
			c[i] = capital
		case joins(b) || b == '\'':
			c[i] = joint
		case b >= utf8.RuneSelf:
			c[i] = wide
		}
	}
	return c
}()

// plain reads the word at i into a.word, in lower case, and returns where it ends;
// 0 when it is none that stands by itself, as most do.
func (a *analyzer) plain(text string, i int) int {
	a.word = a.word[:0]
	last := byte(other)
	for start := i; i < len(text); i++ {
		b := text[i]
		class := classes[b]
		switch {
		case class == small:
			a.word = append(a.word, b)
		case class == capital && (last != small || '0' <= text[i-1] && text[i-1] <= '9'):
			a.word = append(a.word, b+'a'-'A')
		case class == other || class == joint && b != '\'' && (i+1 == len(text) || classes[text[i+1]] == other):
			if i-start > widest {
				return 0
			}
			return i
		default:
			return 0
		}
		last = class
	}
	if len(a.word) > widest {
		return 0
	}
	return i
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// emit yields the term of a word, unless it is a stop word.
func (a *analyzer) emit(word string, start, end int, yield func(token)) {
	a.word = lowered(a.word[:0], word[:min(len(word), widest)])
	a.look(start, end, yield)
}

// look yields the term of the word in a.word, unless it is a stop word.
func (a *analyzer) look(start, end int, yield func(token)) {
	w, ok := a.met[string(a.word)]
	if !ok {
		if len(a.met) >= maxMet {
			clear(a.met)
		}
		w = &analyzedWord{a.stem(string(a.word)), none}
		a.met[string(a.word)] = w
	}
	if w.term != "" {
		yield(token{w.term, start, end, false, w})
	}
}

// stem is the term of a lower-case word, by Porter's second stemmer for English, of
// irregular forms that of their base; "" for a stop word.
func (a *analyzer) stem(word string) string {
	if stopwords.Has(word) {
		return ""
	}
	if base, ok := regular.All()[word]; ok {
		word = base
	}
	switch {
	case len(word) > 2 && isASCII(word):
		a.env.SetCurrent(word)
		english.Stem(a.env)
		return a.env.Current()
	}
	return word
}

// lowered appends text in lower case, without accents and in compatible form.
func lowered(dst []byte, text string) []byte {
	if isASCII(text) {
		for i := range len(text) {
			c := text[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
		}
		return dst
	}
	for _, r := range norm.NFKD.String(text) {
		if !unicode.Is(unicode.Mn, r) {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// pairs yields the overlapping pairs of the run of unspaced script at i; a lone
// character by itself.
func (a *analyzer) pairs(text string, i int, yield func(token)) int {
	start, last := i, -1
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unspaced(r) {
			break
		}
		if last >= 0 {
			yield(token{text[last : i+n], last, i + n, false, nil})
		}
		last, i = i, i+n
	}
	if last == start {
		yield(token{text[start:i], start, i, false, nil})
	}
	return i
}

// people calls yield with the keys under which a person's name is filed: its words
// behind an "@", so that nobody is taken for a word.
func (a *analyzer) people(name string, yield func(key string)) {
	for _, word := range strings.Fields(name) {
		word = strings.TrimFunc(word, func(r rune) bool { return !wordRune(r) })
		if word == "" {
			continue
		}
		a.word = lowered(append(a.word[:0], '@'), word[:min(len(word), widest)])
		yield(string(a.word))
	}
}
