package supersession

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What is known of a word by its bytes is what its characters tell.
func TestWordsAreWhatTheirCharactersTell(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "word", "Word", "DNS", "1", "2,500", "adr-12", "café", "É", "ß", "١", "it's", "it’s", "don't", "a.b", "x_y", "5%", "$7", "€9", "日本",
		" ", " ", " ", ", ", ". ", ": ", "\n", "(", ")", "-", "->", "→", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 20).Draw(t, "parts"), "")
		for _, w := range words(text) {
			raw := text[w.start:w.end]
			first, _ := utf8.DecodeRuneInString(raw)
			if w.key != key(raw) || w.capital != unicode.IsUpper(first) || w.digit != strings.ContainsFunc(raw, unicode.IsDigit) {
				t.Fatalf("%q in %q is %+v", raw, text, w)
			}
		}
	})
}
