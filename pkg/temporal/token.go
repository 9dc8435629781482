package temporal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a run of letters and digits, or a single other character.
type token struct {
	start, end int
	lower      string // the lower-cased word; "" for other characters
	digits     bool   // the word is a number of up to 9 digits
	value      int    // its value
	sep        sep    // what stands between this token and the one before
}

type sep byte

const (
	sepNone  sep = iota
	sepBlank     // blanks, with one line break at most
	sepBreak     // an empty line, protected text, or the start of the text
)

// tokenize splits text into tokens, leaving out what is protected.
func tokenize(text string) []token {
	var tokens []token
	shield := protected(text)
	gap := sepBreak
	lines := 0
	for i := 0; i < len(text); {
		if len(shield) > 0 && i >= shield[0].start {
			i, gap, lines = max(i, shield[0].end), sepBreak, 0
			shield = shield[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			if r == '\n' {
				lines++
			}
			if gap == sepNone {
				gap = sepBlank
			}
			if lines > 1 {
				gap = sepBreak
			}
			i += size
		case isWord(r):
			end := i + size
			for end < len(text) && (len(shield) == 0 || end < shield[0].start) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !isWord(r) {
					break
				}
				end += size
			}
			t := token{start: i, end: end, lower: strings.ToLower(text[i:end]), sep: gap}
			t.value, t.digits = parseDigits(t.lower)
			tokens = append(tokens, t)
			i, gap, lines = end, sepNone, 0
		default:
			tokens = append(tokens, token{start: i, end: i + size, sep: gap})
			i, gap, lines = i+size, sepNone, 0
		}
	}
	return tokens
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWord(r) && r != utf8.RuneError
}

// parseDigits reads a number of one to nine ASCII digits.
func parseDigits(word string) (int, bool) {
	if len(word) == 0 || len(word) > 9 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(word); i++ {
		if word[i] < '0' || word[i] > '9' {
			return 0, false
		}
		n = n*10 + int(word[i]-'0')
	}
	return n, true
}
