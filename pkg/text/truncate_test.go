package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		s           string
		n           int
		want, words string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "ab…"},
		{"äöüß", 3, "äö…", "äö…"},
		{"one two three", 12, "one two thr…", "one two…"},
		{"one two three", 9, "one two …", "one two…"},
		{"one two three", 8, "one two…", "one two…"},
		{"o nethreefour", 12, "o nethreefo…", "o nethreefo…"},
		{"日本語のテキスト", 4, "日本語…", "日本語…"},
		{"ab", 1, "…", "…"},
		{"ab", 0, "…", "…"},
	} {
		if got, words := Truncate(tt.s, tt.n), TruncateWords(tt.s, tt.n); got != tt.want || words != tt.words {
			t.Errorf("%q, %d: %q and %q, want %q and %q", tt.s, tt.n, got, words, tt.want, tt.words)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "n")
		for _, got := range []string{Truncate(s, n), TruncateWords(s, n)} {
			start, cut := strings.CutSuffix(got, "…")
			if utf8.RuneCountInString(got) > n || got != s && !(cut && strings.HasPrefix(s, start)) {
				t.Fatalf("%q, %d: %q", s, n, got)
			}
		}
	})
}

func TestPlural(t *testing.T) {
	for word, want := range map[string]string{"memory": "memories", "day": "days", "index": "indexes", "pair": "pairs"} {
		if got := Plural(2, word); got != want || Plural(1, word) != word || Plural(0, word) != want {
			t.Errorf("%s: %s", word, got)
		}
	}
}
