package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a piece of text is.
type Kind byte

// The kinds.
const (
	Word    Kind = iota // letters, with the one character before them that isn't one
	Digits              // up to three
	Marks               // punctuation and symbols, with line ends behind them
	Lines               // white space that ends a line
	Spaces              // other white space
	Invalid             // a byte that is no UTF-8
)

// Next cuts the first piece off a text, where a byte-pair encoder of today would: its
// merges never cross these borders.
func Next(text string) (piece string, k Kind) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size <= 1:
		return text[:size], Invalid
	case isLetter(r):
		return text[:size+letters(text[size:], unicode.IsUpper(r))], Word
	case unicode.IsNumber(r):
		n := size
		for range 2 {
			r, size := utf8.DecodeRuneInString(text[n:])
			if !unicode.IsNumber(r) {
				break
			}
			n += size
		}
		return text[:n], Digits
	}
	// One character that is no letter, digit or line end goes with the word behind it.
	if r != '\n' && r != '\r' {
		if after, width := utf8.DecodeRuneInString(text[size:]); isLetter(after) {
			return text[:size+width+letters(text[size+width:], unicode.IsUpper(after))], Word
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
		return text[:n], Marks
	}
	return blank(text)
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// startsMark reports whether a text begins with punctuation or a symbol.
func startsMark(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && (r != utf8.RuneError || size > 1) && !unicode.IsSpace(r) && !isLetter(r) && !unicode.IsNumber(r)
}

// letters is the length of the rest of a word: it ends where a capital follows a small
// letter. An English ending such as 's belongs to it.
func letters(text string, upper bool) int {
	n, small := 0, !upper
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !isLetter(r) || unicode.IsUpper(r) && small {
			break
		}
		small = small || unicode.IsLower(r)
		n += size
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
func blank(text string) (string, Kind) {
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
		return text[:end], Lines
	case n < len(text) && last > 0:
		return text[:last], Spaces
	}
	return text[:n], Spaces
}
