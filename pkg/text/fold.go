package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold is the normal form of a word: compatibility-composed (NFKC), case-folded, without format characters such as soft hyphens.
func Fold(word string) string {
	if IsASCII(word) || settled(word) {
		return strings.ToLower(word)
	}
	return compose(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, word))
}

// Normal is the normal form of a text, compatibility-composed and case-folded, but for the case of ASCII letters. Only what is not ASCII
// takes time: with the character before it, with which it may combine.
func Normal(s string) string {
	var out strings.Builder
	done := 0
	for i := indexNonASCII(s, 0); i < len(s); i = indexNonASCII(s, i) {
		from := max(i-1, done)
		for i < len(s) && s[i] >= utf8.RuneSelf {
			i++
		}
		if part := s[from:i]; !settled(part) {
			if !utf8.ValidString(part) {
				return compose(s) // what becomes of invalid bytes may depend on those behind them
			}
			if out.Cap() == 0 {
				out.Grow(len(s) + len(s)/8)
			}
			out.WriteString(s[done:from])
			out.WriteString(compose(part))
			done = i
		}
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

func compose(s string) string { return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s))) }

// Plain is a word as it is searched for: in lower case, compatibility-decomposed (NFKD), without accents.
func Plain(word string) string {
	if IsASCII(word) {
		return strings.ToLower(word)
	}
	return string(AppendPlain(nil, word))
}

// AppendPlain appends the form of [Plain] to dst.
func AppendPlain(dst []byte, word string) []byte {
	if IsASCII(word) {
		for i := range len(word) {
			c := word[i]
			if class[c]&upperByte != 0 {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
		}
		return dst
	}
	for _, r := range norm.NFKD.String(word) {
		if unicode.In(r, unicode.Mn, unicode.Cf) {
			continue
		}
		r = unicode.ToLower(r)
		if base, ok := bases[r]; ok {
			dst = append(dst, base...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// bases are the letters that people write where they haven't got the one that has no decomposition.
var bases = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'ŋ': "n", 'ĸ': "k", 'ſ': "s", 'ى': "ي", 'ة': "ه",
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

// LetterForm is the form of a letter that stands for its typographic variants: ё is written е, Romanian has cedillas for commas (no language
// has both), Persian and Arabic have two keh and yeh, the apostrophe has two forms. It is -1 for vowel points and the line that stretches Arabic
// words, which are not letters. The words of the data files are found in either form.
func LetterForm(r rune) rune {
	switch {
	case r < 0x80:
	case r == 'ё':
		return 'е'
	case r == 'ţ':
		return 'ț'
	case r == 'ş':
		return 'ș'
	case r == '’' || r == 'ʼ':
		return '\''
	case r == 'ي' || r == 'ى':
		return 'ی'
	case r == 'ك':
		return 'ک'
	case r == 'ـ' || IsVowelPoint(r):
		return -1
	}
	return r
}

// IsVowelPoint reports the marks of Arabic and Hebrew that most texts leave out.
func IsVowelPoint(r rune) bool {
	return 0x64B <= r && r <= 0x652 || r == 0x670 || 0x591 <= r && r <= 0x5C7 && unicode.Is(unicode.Mn, r)
}

// withForms adds to words of a data file the forms of those that have variant letters, each behind its word.
func withForms(words []string) []string {
	for i := len(words) - 1; i >= 0; i-- {
		if form := strings.Map(LetterForm, words[i]); form != words[i] {
			words = slices.Insert(words, i+1, form)
		}
	}
	return words
}
