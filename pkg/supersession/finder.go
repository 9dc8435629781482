package supersession

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder tells quickly whether a text has a word that begins in one of several ways, in capitals or not. It compares only where
// the first three bytes might be those of one.
type finder struct {
	bits   [1 << 10]uint64
	begins map[uint16][]string
}

func newFinder(begins []string) *finder {
	f := &finder{begins: map[uint16][]string{}}
	for _, b := range begins {
		first, n := utf8.DecodeRuneInString(b)
		for _, form := range []string{b, string(unicode.ToUpper(first)) + b[n:], strings.ToUpper(b)} {
			if len(form) < 3 {
				continue
			}
			h := three(form[0], form[1], form[2])
			f.bits[h>>6] |= 1 << (h & 63)
			if list := f.begins[h]; len(list) == 0 || list[len(list)-1] != form {
				f.begins[h] = append(list, form)
			}
		}
	}
	return f
}

// three is a hash of three bytes, the same for capitals of ASCII.
func three(a, b, c byte) uint16 {
	return uint16(a|0x20)<<11 ^ uint16(b|0x20)<<5 ^ uint16(c|0x20) ^ uint16(a|0x20)>>3
}

// in reports whether a word of the text begins so.
func (f *finder) in(text string) bool {
	for i := 0; i+2 < len(text); i++ {
		h := three(text[i], text[i+1], text[i+2])
		if f.bits[h>>6]>>(h&63)&1 == 0 || i > 0 && isASCIILetter(text[i-1]) {
			continue
		}
		for _, b := range f.begins[h] {
			if len(text)-i >= len(b) && strings.EqualFold(text[i:i+len(b)], b) {
				return true
			}
		}
	}
	return false
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
