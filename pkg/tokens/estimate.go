package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Costs in tenths of a token. They were fitted to counts of o200k_base so that none of the
// texts in testdata comes out too low.
const (
	token     = 10
	start     = 30 // for any text at all
	lower     = 11 // a word; the first three letters
	title     = 12 // the same with a capital
	letter    = 1  // each further letter of a word
	titled    = 2  // the same after a capital
	capital   = 6  // each further capital of a word in capitals
	capitals  = 8  // each further capital before small letters
	attached  = 2  // a word right behind a letter or a digit
	rare      = 8  // two letters that seldom follow each other in a word
	mark      = 7  // each further mark of a run
	latin     = 12 // a letter with an accent
	alphabet  = 6  // a letter of another alphabet
	ideograph = 13 // a character of Chinese, Japanese or Korean
	wideMark  = 14 // a mark outside ASCII
	wideByte  = 10 // each byte of other characters
)

// longest is the length from which on each letter of a run counts as a token: it is not a word.
const longest = 16

// Estimate is how many tokens a text is, rather too many than too few; 0 for no text.
func Estimate(text string) int {
	if text == "" {
		return 0
	}
	sum := start
	for i := 0; i < len(text); {
		c := text[i]
		n, cost := 1, 0
		switch {
		case isLetter(c):
			if i > 0 && (isLetter(text[i-1]) || isDigit(text[i-1])) {
				cost = attached
			}
			n = wordLength(text[i:])
			cost += wordCost(text[i : i+n])
		case isDigit(c):
			n = runLength(text[i:], isDigit)
			cost = (n + 2) / 3 * token
		case isSpace(c):
			n = runLength(text[i:], isSpace)
			cost = spaceCost(text[i:i+n], i+n < len(text) && isDigit(text[i+n]))
		case c < utf8.RuneSelf:
			n = runLength(text[i:], isMark)
			cost = token + (n-1)*mark
		default:
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			cost = wideCost(r, n)
		}
		i, sum = i+n, sum+cost
	}
	return (sum + token - 1) / token
}

func isLetter(c byte) bool  { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isSmall(c byte) bool   { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isSpace(c byte) bool   { return c <= ' ' }
func isMark(c byte) bool    { return c > ' ' && c < utf8.RuneSelf && !isLetter(c) && !isDigit(c) }

func runLength(text string, in func(byte) bool) (n int) {
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}

// wordLength is the length of the capitals and the small letters behind them that a text
// begins with.
func wordLength(text string) int {
	n := runLength(text, isCapital)
	return n + runLength(text[n:], isSmall)
}

// usual are the letters that mostly follow each letter, from a to z, in English words and
// in names of code.
var usual = [26]string{
	"bcdfghiklmnprstuvwy", "aeijloruy", "acehiklortu", "adeioqrsu", "abcdefgiklmnoprstvwxy", "aefilortu", "aehilors", "aeiortu",
	"abcdefgklmnoprstvx", "eosu", "aeins", "adefilostuy", "abeimoprstuy", "acdefgiknostuvy", "abcdfgiklmnoprstuvw", "acdehiloprstu", "au",
	"acdefgiklmnoprstuy", "acehiklnopstuw", "acefhilorstuwy", "abcdegilmnprst", "aei", "aehinors", "aceipt", "deopst", "aeio",
}

func wordCost(word string) (cost int) {
	for i := 1; i < len(word); i++ {
		if strings.IndexByte(usual[word[i-1]|0x20-'a'], word[i]|0x20) < 0 {
			cost += rare
		}
	}
	upper := runLength(word, isCapital)
	small := len(word) - upper
	switch {
	case len(word) > longest:
		return cost + token*(len(word)-6)
	case small == 0:
		return cost + token + capital*(upper-1)
	case upper > 0:
		return cost + title + titled*max(small-2, 0) + capitals*(upper-1)
	}
	return cost + lower + letter*max(small-3, 0)
}

// spaceCost is that of white space: up to the last line end it is one token, the rest
// another. Its last blank belongs to what follows, but for a digit.
func spaceCost(space string, beforeDigit bool) (cost int) {
	if i := strings.LastIndexAny(space, "\r\n"); i >= 0 {
		cost, space = token, space[i+1:]
	}
	if len(space) > 1 {
		cost += token + len(space)/32*token
	}
	if beforeDigit && space != "" {
		cost += token
	}
	return cost
}

var (
	ideographs = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}
	alphabets  = []*unicode.RangeTable{unicode.Cyrillic, unicode.Arabic, unicode.Devanagari, unicode.Greek, unicode.Hebrew, unicode.Thai}
)

// wideCost is that of a character outside ASCII, which has n bytes.
func wideCost(r rune, n int) int {
	switch {
	case unicode.In(r, ideographs...):
		return ideograph
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.In(r, alphabets...):
		return alphabet
	case unicode.IsPunct(r):
		return wideMark
	}
	return wideByte * n
}
