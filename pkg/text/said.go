package text

import (
	"strings"
	"unicode"
)

// Said is what a text says, whatever its case, spacing, punctuation, accents, invisible characters and letters that look like others: two texts
// with one form say the same to a reader. Signs that change a value stay: those between digits, before one, and those of arithmetic and money.
// Words are counted by blanks; of scripts without any, two characters are a word.
func Said(s string) (form string, words int) {
	plain := []rune(Plain(s))
	var b strings.Builder
	unspaced := 0
	in := false // a word
	digit := func(i int) bool { return i >= 0 && i < len(plain) && unicode.IsDigit(plain[i]) }
	for i, r := range plain {
		switch {
		case IsUnspaced(r):
			unspaced++
			b.WriteRune(r)
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				words++
			}
			in = true
			if like, ok := lookAlikes[r]; ok {
				r = like
			}
			b.WriteRune(r)
		case unicode.In(r, unicode.Sm, unicode.Sc) && r != '|' && r != '~', r == '%', r == '#' && in:
			b.WriteRune(r)
		case r == '-' && digit(i+1) && !in:
			b.WriteRune(r)
		default:
			if !unicode.In(r, unicode.Cf, unicode.Mn) {
				if digit(i-1) && digit(i+1) {
					b.WriteByte('.')
				}
				if unicode.IsSpace(r) {
					in = false
				}
			}
		}
	}
	return b.String(), words + unspaced/2
}

// lookAlikes are letters of Greek and Cyrillic, in lower case, that look like Latin ones in one of their cases.
var lookAlikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'н': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'о': 'o', 'р': 'p', 'ԛ': 'q',
	'ѕ': 's', 'т': 't', 'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x',
	'α': 'a', 'β': 'b', 'ε': 'e', 'η': 'h', 'ι': 'i', 'κ': 'k', 'μ': 'm', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'y', 'χ': 'x', 'ζ': 'z',
}
