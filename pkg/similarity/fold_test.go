package similarity

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What is taken for caseless is left by case folding, by lower case, and is seen.
func TestCaseless(t *testing.T) {
	n := 0
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		s := string(r)
		if !utf8.ValidRune(r) || !settled(s) {
			continue
		}
		n++
		if compose(s) != s || strings.ToLower(s) != s || unicode.Is(unicode.Cf, r) {
			t.Errorf("%U becomes %q, in lower case %q", r, compose(s), strings.ToLower(s))
		}
	}
	if n < 30_000 {
		t.Errorf("only %d characters are told to be in normal form", n)
	}
}

// hard draws texts of what normalisation and lexing are about: letters with marks, characters that become others, broken ones.
var hard = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom(strings.Split("a|B|é|É|ß|ſ|ﬁ|…|½|²|\u00a0|\u200b|\u00ad|\u0301|\u0345|İ|ŉ|ǰ|Σ|ς|ΰ|ё|K|Ⓐ|Ⅷ|東|京|ー|각|\u1100|\u1161|\u11a8|👍|→|´|\xff|\xe2\x80|\xf3|'|’|-| |\n|`|.|,|:|/|5|12|cent|per|dont|Not|ms|May|A|%|#|+|++|(|()|@|\\|_|::|://|°C|rest|Rest|HTTP|It's|a\na b\n", "|")),
		text,
	), 0, 20).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
})

// A text is normalised part by part as it is as a whole.
func TestNormalised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hard.Draw(t, "text")
		if got, want := strings.ToLower(normalised(s)), strings.ToLower(compose(s)); got != want {
			t.Fatalf("%q: %q, as a whole %q", s, got, want)
		}
	})
}

func FuzzNormalised(f *testing.F) {
	f.Add("E\u0301t\u00e9 \xf3´ …")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := strings.ToLower(normalised(s)), strings.ToLower(compose(s)); got != want {
			t.Fatalf("%q: %q, as a whole %q", s, got, want)
		}
	})
}
