package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Next cuts the first piece off a text. Merges never cross these borders.
func Next(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size <= 1:
		return text[:size]
	case isWord(r):
		return text[:word(text)]
	case unicode.IsNumber(r):
		n := size
		for range 2 {
			r, size := utf8.DecodeRuneInString(text[n:])
			if !unicode.IsNumber(r) {
				break
			}
			n += size
		}
		return text[:n]
	}
	// One character that is no letter, digit or line end goes with the word behind it.
	if r != '\n' && r != '\r' {
		if after, _ := utf8.DecodeRuneInString(text[size:]); isWord(after) {
			return text[:size+word(text[size:])]
		}
	}
	if !unicode.IsSpace(r) || r == ' ' && startsMark(text[1:]) {
		n := size
		for n < len(text) && startsMark(text[n:]) {
			_, size := utf8.DecodeRuneInString(text[n:])
			n += size
		}
		for n < len(text) && (text[n] == '\n' || text[n] == '\r' || text[n] == '/') {
			n++
		}
		return text[:n]
	}
	return blank(text)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// startsMark reports whether a text begins with punctuation or a symbol, or with a
// mark that combines with one.
func startsMark(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && (r != utf8.RuneError || size > 1) && !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// word is the length of the word that a text begins with: capitals and then small
// letters, where letters without case are both. Where no small letter follows the
// capitals, it ends behind the last letter without case; if there is none of these, with
// the capitals. An English ending such as 's belongs to it.
func word(text string) int {
	n, caseless, small := 0, 0, false
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !isWord(r) {
			break
		}
		capital := unicode.IsUpper(r) || unicode.IsTitle(r)
		if capital && small {
			break
		}
		n += size
		switch {
		case unicode.IsLower(r):
			small = true
		case !capital:
			caseless = n
		}
	}
	if !small && caseless > 0 {
		n = caseless
	}
	if strings.HasPrefix(text[n:], "'") {
		for _, ending := range [...]string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
			if len(text) >= n+len(ending) && strings.EqualFold(text[n:n+len(ending)], ending) {
				return n + len(ending)
			}
		}
	}
	return n
}

// blank cuts off white space: up to its last line end, or all of it but for the last
// character, which goes with what stands behind it.
func blank(text string) string {
	n, end, last := 0, 0, 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unicode.IsSpace(r) {
			break
		}
		last = n
		n += size
		if r == '\n' || r == '\r' {
			end = n
		}
	}
	switch {
	case end > 0:
		return text[:end]
	case n < len(text) && last > 0:
		return text[:last]
	}
	return text[:n]
}
