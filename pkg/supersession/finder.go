package supersession

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder finds quickly the words of a text that begin in one of several ways, in capitals or not. It compares only where
// the first three bytes might be those of one.
type finder struct {
	bits   [1 << 10]uint64
	begins map[uint16][]begin
}

// begin is how a word begins, at least three bytes, and the group that it came with.
type begin struct {
	text  string
	group int
}

func newFinder(groups ...[]string) *finder {
	f := &finder{begins: map[uint16][]begin{}}
	for group, begins := range groups {
		for _, b := range begins {
			first, n := utf8.DecodeRuneInString(b)
			for _, form := range []string{b, string(unicode.ToUpper(first)) + b[n:], strings.ToUpper(b)} {
				if len(form) < 3 {
					continue
				}
				h := three(form[0], form[1], form[2])
				f.bits[h>>6] |= 1 << (h & 63)
				if e := (begin{form, group}); !slices.ContainsFunc(f.begins[h], func(o begin) bool {
					return o.group == group && strings.EqualFold(o.text, form) && len(o.text) == len(form)
				}) {
					f.begins[h] = append(f.begins[h], e)
				}
			}
		}
	}
	return f
}

// three is a hash of three bytes, the same for capitals of ASCII.
func three(a, b, c byte) uint16 {
	return uint16(a|0x20)<<11 ^ uint16(b|0x20)<<5 ^ uint16(c|0x20) ^ uint16(a|0x20)>>3
}

// all yields where words of the text begin in one of the ways, and in which. A line break is a space.
func (f *finder) all(text string) iter.Seq2[int, begin] {
	return func(yield func(int, begin) bool) {
		before := false // a letter of ASCII
		for i := 0; i+2 < len(text); i++ {
			c := text[i]
			letter := isASCIILetter(c)
			if letter && before {
				continue
			}
			before = letter
			h := three(c, text[i+1], text[i+2])
			if f.bits[h>>6]>>(h&63)&1 == 0 {
				continue
			}
			for _, b := range f.begins[h] {
				if n := len(b.text); n <= len(text)-i && begins(text[i:i+n], b.text) && !yield(i, b) {
					return
				}
			}
		}
	}
}

// begins reports whether a piece of text, of the same length, is how a word begins.
func begins(text, begin string) bool {
	for i := range len(text) {
		c, b := text[i], begin[i]
		switch {
		case c == b, c == '\n' && b == ' ', c|0x20 == b|0x20 && isASCIILetter(c):
		case c < utf8.RuneSelf && b < utf8.RuneSelf:
			return false
		default:
			return strings.EqualFold(strings.ReplaceAll(text, "\n", " "), begin)
		}
	}
	return true
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
