package temporal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a run of letters, a run of digits, or a single other character.
// "8am" and "Q1" are two tokens with nothing between them.
type token struct {
	start, end int
	lower      string // the lower-cased word or the digits; "" for other characters
	mark       rune   // the other character
	word       *word  // what the lexicon knows of it, never nil
	digits     int    // length of a run of digits, 0 for everything else
	value      int    // its value when it has up to 9 digits
	sep        sep    // between this token and the one before
	capital    bool
}

type sep byte

const (
	sepNone  sep = iota
	sepBlank     // blanks, with one line break at most
	sepBreak     // an empty line, protected text, or the start of the text
)

// none stands for the tokens outside of the text.
var none = token{sep: sepBreak, word: &word{}}

// region is a part of a text that is not prose.
type region struct{ start, end int }

// tokenize splits text into tokens, leaving out the regions of shield, which is sorted, and the notes
// that Annotate has written: an annotated text reads like the original.
func tokenize(text string, shield []region, lang *language) (tokens []token, notes []region) {
	tokens = make([]token, 0, len(text)/4+4)
	gap, lines := sepBreak, 0
	for i := 0; i < len(text); {
		stop := len(text)
		if len(shield) > 0 {
			if i >= shield[0].start {
				i, gap, lines = max(i, shield[0].end), sepBreak, 0
				shield = shield[1:]
				continue
			}
			stop = shield[0].start
		}
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if n := len(tokens); r == ' ' && n > 0 && tokens[n-1].end == i {
			if size := noteLength(text[i:]); size > 0 {
				notes = append(notes, region{i, i + size})
				i += size
				continue
			}
		}
		if unicode.IsSpace(r) {
			if r == '\n' {
				lines++
			}
			gap = max(gap, sepBlank)
			if lines > 1 {
				gap = sepBreak
			}
			i += size
			continue
		}
		t := token{start: i, end: i + size, sep: gap, word: none.word}
		switch {
		case digit(text[i]):
			for t.end < stop && digit(text[t.end]) {
				t.end++
			}
			t.lower, t.digits = text[i:t.end], t.end-i
			t.value = number(t.lower)
		case unicode.Is(unicode.Nd, r):
			var figures []byte
			for t.end = i; t.end < stop; t.end += size {
				if r, size = utf8.DecodeRuneInString(text[t.end:]); !unicode.Is(unicode.Nd, r) {
					break
				}
				figures = append(figures, figure10(r))
			}
			t.lower, t.digits = string(figures), len(figures)
			t.value = number(t.lower)
		case isWord(r):
			t.capital = unicode.IsUpper(r)
			t.end = i + lang.wordLength(text[i:stop])
			t.lower = normal(text[i:t.end])
			if w := lang.lexicon[t.lower]; w != nil {
				t.word = w
			}
		default:
			t.mark = r
		}
		tokens = append(tokens, t)
		i, gap, lines = t.end, sepNone, 0
	}
	return tokens, notes
}

// noteForms are the forms in which Annotate writes a date; a 0 stands for any digit.
var noteForms = []string{
	" (0000-00-00)", " (0000-00-00 to 0000-00-00)", " (0000-00-00/0000-00-00)", " (0000/0000)", " (0000-00-00 00:00)", " (0000-00)", " (0000-Q0)", " (0000)", " (0000 to 0000)",
}

// noteLength is the length of the note at the start of text, 0 if there is none.
func noteLength(text string) int {
	if len(text) < 2 || text[1] != '(' {
		return 0
	}
next:
	for _, form := range noteForms {
		if len(text) < len(form) {
			continue
		}
		for i := 0; i < len(form); i++ {
			if form[i] != text[i] && !(form[i] == '0' && digit(text[i])) {
				continue next
			}
		}
		return len(form)
	}
	return 0
}

// wordLength is the length of the word at the start of text. A word may hold a hyphen or an apostrophe (avant-hier, aujourd'hui) if the language has one such.
func (l *language) wordLength(text string) int {
	if r, _ := utf8.DecodeRuneInString(text); isDense(r) {
		return l.denseWord(text)
	}
	n := wordLength(text)
	if n < len(text) && !(text[n] == '-' || text[n] == '\'' || strings.HasPrefix(text[n:], "’")) || n == len(text) || l.code == "en" {
		return n
	}
	_, size := utf8.DecodeRuneInString(text[n:])
	if more := wordLength(text[n+size:]); more > 0 && l.lexicon[normal(text[:n+size+more])] != nil {
		return n + size + more
	}
	return n
}

// normal is the form of words in the lexicon: lower case, composed, with straight apostrophes, without joiners.
func normal(word string) string {
	lower := strings.ToLower(unjoined(word))
	for i := 0; i < len(lower); i++ {
		if lower[i] >= utf8.RuneSelf {
			return strings.ReplaceAll(strings.ReplaceAll(norm.NFC.String(lower), "’", "'"), "i̇", "i") // the last is Turkish İ in lower case
		}
	}
	return lower
}

func unjoined(word string) string {
	if !strings.ContainsRune(word, zeroWidthNonJoiner) && !strings.ContainsRune(word, zeroWidthJoiner) {
		return word
	}
	return strings.Map(func(r rune) rune {
		if r == zeroWidthNonJoiner || r == zeroWidthJoiner {
			return -1
		}
		return r
	}, word)
}

// wordLength is the length of the letters at the start of text.
func wordLength(text string) int {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if !isWord(r) || r >= '0' && r <= '9' || isDense(r) {
			return i
		}
		i += size
	}
	return len(text)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// figure10 is the ASCII digit of a decimal digit of any script: ３, ٣, ३. Unicode encodes those of a script one after the other from zero on
// (The Unicode Standard, section 4.6).
func figure10(r rune) byte {
	zero := r
	for unicode.Is(unicode.Nd, zero-1) {
		zero--
	}
	return byte((r-zero)%10) + '0'
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == zeroWidthNonJoiner || r == zeroWidthJoiner
}

func wordAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return isWord(r)
}

func wordBefore(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return isWord(r)
}

// number is the value of a run of digits, or a large one if it doesn't fit.
func number(digits string) int {
	const large = 1_000_000_000
	if len(digits) > 9 {
		return large
	}
	n := 0
	for i := 0; i < len(digits); i++ {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// The joiners of letters, which stand inside words of Persian and Bengali.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// isDense reports whether r is of a script in which words may follow each other without spaces: of East Asia, or Thai.
func isDense(r rune) bool {
	return 0x0E01 <= r && r <= 0x0E4E || r >= 0x2E80 && !(r >= 0xFF01 && r <= 0xFF5E) && r < 0x30000
}

// denseWord is the length of the longest word of the language at the start of text, one character if there is none.
func (l *language) denseWord(text string) int {
	for n := min(len(text), l.longest); n > 0; n-- {
		if n < len(text) && !utf8.RuneStart(text[n]) {
			continue
		}
		if l.lexicon[text[:n]] != nil {
			return n
		}
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}
