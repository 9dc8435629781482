package jsonedit

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// fault says what the scanner wanted at the offset where it stopped.
type fault uint8

const (
	none           fault = iota
	wantValue            // any value
	wantKey              // a key in double quotes
	wantColon            // : after a key
	wantMemberEnd        // , or } after a member
	wantElementEnd       // , or ] after an element
	wantEnd              // nothing more
	inString             // a valid character inside a string
	badEscape            // a valid escape, at its backslash
	badNumber            // a digit
	tooDeep              // less nesting
)

// The scan functions check one construct that begins at doc[i] and return the
// offset after it, or the offset of the first offending byte and the fault.
// They recurse: MaxDepth bounds the stack, and nothing is allocated.

func scanValue(doc []byte, i, depth int) (int, fault) {
	i = skipSpace(doc, i)
	if i == len(doc) {
		return i, wantValue
	}
	switch c := doc[i]; c {
	case '"':
		return scanString(doc, i)
	case '{', '[':
		if depth == MaxDepth {
			return i, tooDeep
		}
		if c == '{' {
			return scanObject(doc, i, depth+1)
		}
		return scanArray(doc, i, depth+1)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return scanNumber(doc, i)
	case 't':
		return scanLiteral(doc, i, "true")
	case 'f':
		return scanLiteral(doc, i, "false")
	case 'n':
		return scanLiteral(doc, i, "null")
	}
	return i, wantValue
}

func scanObject(doc []byte, i, depth int) (int, fault) {
	last, f := false, none
	if i = skipSpace(doc, i+1); i < len(doc) && doc[i] == '}' {
		return i + 1, none
	}
	for {
		if _, i, f = scanKey(doc, i); f != none {
			return i, f
		}
		if i, f = scanValue(doc, i, depth); f != none {
			return i, f
		}
		if i, last, f = scanNext(doc, i, '}', wantMemberEnd); last || f != none {
			return i, f
		}
		i = skipSpace(doc, i)
	}
}

func scanArray(doc []byte, i, depth int) (int, fault) {
	last, f := false, none
	if i = skipSpace(doc, i+1); i < len(doc) && doc[i] == ']' {
		return i + 1, none
	}
	for {
		if i, f = scanValue(doc, i, depth); f != none {
			return i, f
		}
		if i, last, f = scanNext(doc, i, ']', wantElementEnd); last || f != none {
			return i, f
		}
	}
}

// scanKey checks a key and the colon behind it. The key ends before the quote at end-1; its value begins at the offset returned, or behind
// white space.
func scanKey(doc []byte, i int) (end, value int, f fault) {
	if i == len(doc) || doc[i] != '"' {
		return i, i, wantKey
	}
	if end, f = scanString(doc, i); f != none {
		return end, end, f
	}
	if i = skipSpace(doc, end); i == len(doc) || doc[i] != ':' {
		return end, i, wantColon
	}
	return end, i + 1, none
}

// scanNext checks what follows a member or an element: a comma, or what closes the object or the array, which is then done.
func scanNext(doc []byte, i int, closing byte, want fault) (next int, last bool, f fault) {
	i = skipSpace(doc, i)
	if i == len(doc) || doc[i] != ',' && doc[i] != closing {
		return i, false, want
	}
	return i + 1, doc[i] == closing, none
}

func scanLiteral(doc []byte, i int, word string) (int, fault) {
	if len(doc)-i < len(word) || string(doc[i:i+len(word)]) != word {
		return i, wantValue
	}
	return i + len(word), none
}

func scanNumber(doc []byte, i int) (int, fault) {
	if doc[i] == '-' {
		i++
	}
	first := i
	if i = skipDigits(doc, i); i == first {
		return i, badNumber
	}
	if doc[first] == '0' && i > first+1 {
		return first, badNumber
	}
	if i < len(doc) && doc[i] == '.' {
		first = i + 1
		if i = skipDigits(doc, first); i == first {
			return i, badNumber
		}
	}
	if i < len(doc) && (doc[i] == 'e' || doc[i] == 'E') {
		if i++; i < len(doc) && (doc[i] == '+' || doc[i] == '-') {
			i++
		}
		first = i
		if i = skipDigits(doc, first); i == first {
			return i, badNumber
		}
	}
	return i, none
}

func skipDigits(doc []byte, i int) int {
	for i < len(doc) && '0' <= doc[i] && doc[i] <= '9' {
		i++
	}
	return i
}

// scanString takes eight bytes at a time as long as none of them needs a look.
func scanString(doc []byte, i int) (int, fault) {
	i++
	for i < len(doc) {
		if len(doc)-i >= 8 {
			special := specials(binary.LittleEndian.Uint64(doc[i:]))
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) / 8
		}
		switch c := doc[i]; {
		case c == '"':
			return i + 1, none
		case c == '\\':
			n := escapeLen(doc[i:])
			if n == 0 {
				return i, badEscape
			}
			i += n
		case c < ' ':
			return i, inString
		case c < utf8.RuneSelf:
			i++
		default:
			for i < len(doc) && doc[i] >= utf8.RuneSelf {
				n := runeLen(doc[i:])
				if n == 0 {
					return i, inString
				}
				i += n
			}
		}
	}
	return i, inString
}

// runeLen returns the length of the character at the start of b, which is not ASCII; 0 if it
// is not UTF-8. Of nearly all with two or three bytes the first bits of each tell it (RFC 3629,
// section 4).
func runeLen(b []byte) int {
	switch c := b[0]; {
	case 0xC2 <= c && c < 0xE0 && len(b) > 1 && b[1]&0xC0 == 0x80:
		return 2
	case 0xE1 <= c && c < 0xED && len(b) > 2 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80:
		return 3
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return n
}

// specials returns a word whose lowest set bit is in the first byte of w that
// is a quote, a backslash, a control character or not ASCII; 0 if none is.
// Subtracting borrows only out of a byte that matches, so bits above the
// lowest one may be wrong and the lowest is right (S. E. Anderson, Bit
// Twiddling Hacks, "Determine if a word has a byte less than n"). What a byte
// that is not ASCII does to the differences is no matter: it counts anyway.
func specials(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^('"'*ones), w^('\\'*ones)
	return (w | (w - ' '*ones) | (quote - ones) | (slash - ones)) & highs
}

// escapeLen returns the length of the escape at the start of b, 0 if it is bad.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
