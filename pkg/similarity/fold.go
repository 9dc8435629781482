package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// normalised returns text compatibility-composed and case-folded, but for the case of ASCII letters. Only what is not ASCII takes
// time: with the character before it, on which it may act.
func normalised(text string) string {
	var out strings.Builder
	done := 0
	for i := beyondASCII(text, 0); i < len(text); i = beyondASCII(text, i) {
		from := max(i-1, done)
		for i < len(text) && text[i] >= utf8.RuneSelf {
			i++
		}
		if part := text[from:i]; !settled(part) {
			if !utf8.ValidString(part) {
				return compose(text) // what becomes of invalid bytes may depend on those behind them
			}
			if out.Cap() == 0 {
				out.Grow(len(text) + len(text)/8)
			}
			out.WriteString(text[done:from])
			out.WriteString(compose(part))
			done = i
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

func compose(s string) string { return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s))) }

// fold is the normal form of a word: compatibility-composed and case-folded.
func fold(s string) string {
	if isASCII(s) || settled(s) {
		return strings.ToLower(s)
	}
	return compose(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s))
}

// settled reports whether s is in normal form but for the case of ASCII letters. It may say no where it is.
func settled(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf && !caseless(r) {
			return false
		}
	}
	return norm.NFKC.IsNormalString(s)
}

// caseless reports the characters that case folding leaves, as far as they are common: the small letters of Europe, punctuation,
// arrows, signs, the scripts of East Asia, emoji. None is a format character.
func caseless(r rune) bool {
	switch {
	case r < 0x250:
		return r >= 0xE0 && unicode.IsLower(r)
	case r < 0x2000:
		return 0x3AC <= r && r <= 0x3CE && r != 0x3C2 || 0x430 <= r && r <= 0x45F
	}
	return 0x2010 <= r && r <= 0x2027 || 0x2190 <= r && r < 0x2460 || 0x2500 <= r && r < 0x2C00 ||
		0x3000 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4 || 0x1F300 <= r && r < 0x1FB00
}
