package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/text"
)

// widest is the longest term, in bytes; what is longer is cut: nobody types more.
const widest = 64

// analyzer cuts text into terms. Not safe for concurrent use.
type analyzer struct {
	word []byte                   // the word at hand, in lower case
	met  map[string]*analyzedWord // words met before
}

// analyzedWord is what becomes of a word: reading a text is looking up words, mostly.
type analyzedWord struct {
	term   string // "" for a stop word
	number uint32 // of the term, for who numbers terms; none: not known yet
}

// token is a term of a text.
type token struct {
	term       string
	start, end int           // where
	whole      bool          // a name whose parts came before
	word       *analyzedWord // nil for what is not a single word
}

func newAnalyzer() *analyzer {
	return &analyzer{met: map[string]*analyzedWord{}}
}

// maxMet bounds the memory of an analyzer that meets words without end.
const maxMet = 1 << 18

// terms calls yield for each term of a text in order: stems of words in lower case
// and without marks, numbers, the parts of compound names ("api_key", "getUser",
// "v1.2.3") and then the names whole, overlapping pairs of characters where
// scripts have no spaces.
func (a *analyzer) terms(s string, yield func(token)) {
	for i := 0; i < len(s); {
		switch classes[s[i]] {
		case other:
			i++
		case small, capital:
			if end := a.plain(s, i); end > 0 {
				a.look(i, end, yield)
				i = end
				continue
			}
			i = a.compound(s, i, yield)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case unspaced(r):
				i = a.pairs(s, i, yield)
			case text.IsWord(r):
				i = a.compound(s, i, yield)
			case unicode.Is(unicode.So, r): // an emoji
				yield(token{s[i : i+n], i, i + n, false, nil})
				i += n
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
// 0 if it is part of a compound name or has characters beyond ASCII.
func (a *analyzer) plain(s string, i int) int {
	a.word = a.word[:0]
	last := byte(other)
	for start := i; i < len(s); i++ {
		b := s[i]
		class := classes[b]
		switch {
		case class == small:
			a.word = append(a.word, b)
		case class == capital && (last != small || '0' <= s[i-1] && s[i-1] <= '9'):
			a.word = append(a.word, b+'a'-'A')
		case class == other || class == joint && b != '\'' && (i+1 == len(s) || classes[s[i+1]] == other):
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

// unspaced reports whether a script is written without spaces between words. The prolonged
// sound mark counts as a letter of its own.
func unspaced(r rune) bool { return r != 'ー' && text.IsUnspaced(r) }

// emit yields the term of a word, unless it is a stop word.
func (a *analyzer) emit(word string, start, end int, yield func(token)) {
	a.word = text.AppendPlain(a.word[:0], word[:min(len(word), widest)])
	a.look(start, end, yield)
}

// look yields the term of the word in a.word, unless it is a stop word.
func (a *analyzer) look(start, end int, yield func(token)) {
	w, ok := a.met[string(a.word)]
	if !ok {
		if len(a.met) >= maxMet {
			clear(a.met)
		}
		w = &analyzedWord{stem(string(a.word)), none}
		a.met[string(a.word)] = w
	}
	if w.term != "" {
		yield(token{w.term, start, end, false, w})
	}
}

// stem is the term of a lower-case word: the stem of its base form; "" for a stop word. Short
// words are their own stems.
func stem(word string) string {
	if text.English.IsStopWord(word) {
		return ""
	}
	if word = text.English.BaseForm(word); len(word) > 2 {
		return text.English.Stem(word)
	}
	return word
}

// pairs yields the overlapping pairs of the run of unspaced script at i; a lone
// character by itself.
func (a *analyzer) pairs(s string, i int, yield func(token)) int {
	start, last := i, -1
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unspaced(r) {
			break
		}
		if last >= 0 {
			pair := s[last : i+n]
			if r >= 0xff00 { // of half width
				pair = norm.NFKC.String(pair)
			}
			yield(token{pair, last, i + n, false, nil})
		}
		last, i = i, i+n
	}
	if last == start {
		yield(token{s[start:i], start, i, false, nil})
	}
	return i
}

// people calls yield with the keys under which a person's name is filed: its words
// behind an "@", so that nobody is taken for a word.
func (a *analyzer) people(name string, yield func(key string)) {
	for _, word := range strings.Fields(name) {
		word = strings.TrimFunc(word, func(r rune) bool { return !text.IsWord(r) })
		if word == "" {
			continue
		}
		a.word = text.AppendPlain(append(a.word[:0], '@'), word[:min(len(word), widest)])
		yield(string(a.word))
	}
}
