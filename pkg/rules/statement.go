package rules

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// statement is what a memory says, whatever its case and spaces.
func statement(m *workspace.Memory) string {
	return strings.Join(strings.Fields(strings.ToLower(m.Text())), " ")
}

// statementHashOf is a hash of the statement, which is never put together. It is the same on
// all machines, for it is kept.
func statementHashOf(m *workspace.Memory) uint64 {
	h := newHasher()
	m.EachText(h.add)
	return h.hash()
}

// hasher hashes a text that comes in pieces of whole characters: in lower case, with one
// space behind each word, eight bytes at a time.
type hasher struct {
	sum  uint64
	rest uint64 // bytes that are not in sum yet
	n    uint   // of how many bits, less than 64
	gap  uint64 // top if no word has begun since the last space, else 0

	kept *keptSet
}

func newHasher() *hasher { return &hasher{gap: top, kept: keptCase()} }

// keptSet has characters of two bytes that are no space and have no other lower case.
type keptSet [0x800 / 64]uint64

var keptCase = sync.OnceValue(func() *keptSet {
	var p keptSet
	for c := rune(utf8.RuneSelf); c < 0x800; c++ {
		if unicode.ToLower(c) == c && !unicode.IsSpace(c) {
			p[c/64] |= 1 << (c % 64)
		}
	}
	return &p
})

// has reports whether that is known of a character that is not ASCII. Of three bytes those of
// Chinese, Japanese and Korean are.
func (p *keptSet) has(c rune) bool {
	if c < 0x800 {
		return p[c/64]>>(c%64)&1 != 0
	}
	return 0x3001 <= c && c < 0xA640 || 0xAC00 <= c && c < 0xD7A4
}

const (
	each8 = 0x0101010101010101
	top   = 0x80
)

// eight are the first eight bytes of a text.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func (h *hasher) add(piece string) {
	for len(piece) > 0 {
		if len(piece) >= 8 && h.add8(eight(piece)) {
			piece = piece[8:]
			continue
		}
		c, size := utf8.DecodeRuneInString(piece)
		if size > 1 && h.kept.has(c) {
			for i := range size {
				h.put(uint64(piece[i]), 8)
			}
			h.gap, piece = 0, piece[size:]
			continue
		}
		piece = piece[size:]
		switch {
		case unicode.IsSpace(c):
			h.end()
		case c < utf8.RuneSelf:
			h.put(uint64(unicode.ToLower(c)), 8)
			h.gap = 0
		default:
			for _, b := range []byte(string(unicode.ToLower(c))) {
				h.put(uint64(b), 8)
			}
			h.gap = 0
		}
	}
}

// add8 adds eight characters of ASCII, if all are printed and no space follows another one.
func (h *hasher) add8(x uint64) bool {
	spaces := ^((x ^ ' '*each8) + (top-1)*each8) & (top * each8) // of ASCII, no byte carries into the next
	if (x|^(x+(top-' ')*each8))&(top*each8)|spaces&(spaces<<8|h.gap) != 0 {
		return false
	}
	capitals := (x + (top-'A')*each8) &^ (x + (top-1-'Z')*each8) & (top * each8)
	h.put(x|capitals>>2, 64)
	h.gap = spaces >> 56
	return true
}

// hash ends the text.
func (h *hasher) hash() uint64 {
	h.end()
	h.put(0, 64) // so that nothing is left over
	return h.sum ^ h.sum>>32
}

// end ends a word.
func (h *hasher) end() {
	if h.gap == 0 {
		h.put(' ', 8)
		h.gap = top
	}
}

// put adds up to eight bytes of n bits.
func (h *hasher) put(x uint64, n uint) {
	h.rest |= x << h.n
	if h.n += n; h.n < 64 {
		return
	}
	h.n -= 64
	h.sum = (h.sum ^ h.rest) * 0x9e3779b97f4a7c15
	h.sum = h.sum<<29 | h.sum>>35
	h.rest = x >> (n - h.n)
}
