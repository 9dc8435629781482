package similarity

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each token has the hash of its key, and the lists of its key unless it stands for several words.
func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hard.Draw(t, "text")
		for _, token := range tokenize(s, nil) {
			if token.hash != hashWord(token.key) || token.lists != lexicon()[token.key] && token.lists != 0 || token.value == nil {
				t.Fatalf("%q: token %+v", s, token)
			}
		}
	})
}

func TestLexicon(t *testing.T) {
	for word, in := range map[string]lists{
		"not": isFunction | isNegator, "refuse": isRefusal, "march": isMonth | isCalendar | isAlsoWord, "twenty": isNumeral, "dont": isJoined,
		"cent": isCent | isMeasure, "sgt": isHonorific, "million": isMeasure, "queue": 0, "": 0,
	} {
		if got := lexicon()[word]; got != in {
			t.Errorf("%q is in lists %b, not %b", word, got, in)
		}
	}
	for word := range joined {
		if !mayBeJoined([]byte(word)) {
			t.Errorf("%s is not told to be a verb with its negation", word)
		}
	}
}

// hard draws texts of what normalisation and lexing are about: letters with marks, characters that become others, broken ones.
var hard = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom(strings.Split("a|B|é|É|ß|ſ|ﬁ|…|½|²|\u00a0|\u200b|\u00ad|\u0301|\u0345|İ|ŉ|ǰ|Σ|ς|ΰ|ё|K|Ⓐ|Ⅷ|東|京|ー|각|\u1100|\u1161|\u11a8|👍|→|´|\xff|\xe2\x80|\xf3|'|’|-| |\n|`|.|,|:|/|5|12|cent|per|dont|Not|ms|May|A|%|#|+|++|(|()|@|\\|_|::|://|°C|rest|Rest|HTTP|It's|a\na b\n", "|")),
		prose,
	), 0, 20).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
})
