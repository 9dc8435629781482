package similarity

import (
	"slices"
	"strings"
	"testing"
)

func wordsOf(text string) []string {
	var out []string
	s := wordScanner{each: func(w []byte) { out = append(out, string(w)) }}
	s.read(text)
	for i, w := range out {
		if s.hashes[i] != hashWord(w) {
			panic("another hash than that of " + w)
		}
	}
	var quick wordScanner // as nobody is shown the words
	if quick.read(text); !slices.Equal(quick.hashes, s.hashes) {
		panic("other hashes of words that nobody is shown, of " + text)
	}
	return out
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		" \t\n ...!? --- ":            "",
		"Don't  panic!":               "do not panic",
		"don’t, DO NOT":               "do not do not",
		"dont can't cannot won't":     "do not can not can not will not",
		"isn't it? It's; that's":      "is not it it is that is",
		"I'm we're they've she'll":    "i am we are they have she will",
		"users' Python's let's":       "users python let us",
		"O'Brien l'été":               "o brien l été",
		"1,000 and 1000, 1,2 12,34":   "1000 and 1000 1 2 12 34",
		"1,000,000":                   "1000000",
		"foo_bar baz-qux a/b.c":       "foo bar baz qux a b c",
		"É\u0301cole E\u0301COLE":     "é\u0301cole école",
		"STRASSE Straße ﬁne":          "strasse strasse fine",
		"Ｆｕｌｌ １２":                     "full 12",
		"東京都に住む":                      "東京 京都 都に に住 住む",
		"東 a京b東a京":                    "東 a 京 b 東 a 京",
		"ภาษา":                        "ภา าษ ษา",
		"한국어 문장":                      "한국어 문장",
		"soft\u00adhyphen zero\u200b": "softhyphen zero",
		"great 👍 │ table ●":           "great 👍 table",
		"'quoted' “text”":             "quoted text",
		"a'":                          "a",
		"x\xffy":                      "x � y",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("words of %q:\n got %q\nwant %q", text, got, want)
		}
	}
}
