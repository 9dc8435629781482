package text

import (
	"unicode"
	"unicode/utf8"
)

// IsWord reports whether r can be part of a word: a letter, a mark or a number of any script. The underscore is none of them.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r]&(letterByte|digitByte) != 0
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// IsUnspaced reports whether r belongs to a script that is written without spaces between words. Digits make numbers in any script.
func IsUnspaced(r rune) bool {
	const prolonged = 'ー' // of both kana, so that Unicode counts it to neither
	return r >= 0x0E00 && (r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.IsDigit(r))
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsASCII reports whether s has ASCII characters only.
func IsASCII(s string) bool { return indexNonASCII(s, 0) == len(s) }

// indexNonASCII is the offset of the first byte from i on that is not ASCII, or the length of s. It tests eight bytes at a time.
func indexNonASCII(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		t := s[i : i+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		if x&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// Classes of bytes.
const (
	letterByte uint8 = 1 << iota
	upperByte        // besides
	digitByte
	spaceByte
)

var class = func() (t [256]uint8) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = letterByte, letterByte|upperByte
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = digitByte
	}
	for _, c := range " \t\n\v\f\r" {
		t[c] = spaceByte
	}
	return t
}()
