package similarity

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// A text begins with a lead when it does so without any white space in both.
func TestBegins(t *testing.T) {
	squash := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	piece := rapid.SampledFrom([]string{"a", "b", "ab", " ", "\t", "\n", "é", "\u00a0", "\u3000", "日", "\x1f", "\u0085", ".", "…"})
	rapid.Check(t, func(t *rapid.T) {
		lead := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "lead"), "")
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "text"), "")
		if rapid.Bool().Draw(t, "alike") {
			text = lead + text
		}
		told := strings.TrimRightFunc(lead, unicode.IsSpace)
		told = strings.TrimSuffix(strings.TrimSuffix(told, "..."), "…")
		if got, want := begins(text, lead), strings.HasPrefix(squash(text), squash(told)); got != want {
			t.Fatalf("%q begins with %q: %v", text, lead, got)
		}
	})
}
