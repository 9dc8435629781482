package similarity

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// slowly is lexer.read without its short cuts for words, numbers and identifiers of ASCII letters and digits, and for punctuation.
func slowly(text string) []token {
	l := lexer{text: text, lexicon: lexicon(), gap: gapSentence}
	for i := l.lineStart(0); i < len(text); {
		i = l.next(i)
	}
	l.tokens = join(l.tokens)
	markNegation(l.tokens)
	return l.tokens
}

func describeTokens(tokens []token) (out []string) {
	for _, t := range tokens {
		v := *t.value
		date := ""
		if v.date != nil {
			date = fmt.Sprint(*v.date)
		}
		t.value, v.date = nil, nil
		out = append(out, fmt.Sprintf("%+v %+v %s", t, v, date))
	}
	return out
}

// A word, number or identifier is the same token by the short cut and without it, whatever stands around it; and each has the hash of its key.
func TestPlainWords(t *testing.T) {
	var l lexer // of several texts, one after the other
	same := func(t interface{ Fatalf(string, ...any) }, text string) {
		l.read(text, nil)
		if got, want := describeTokens(l.tokens), describeTokens(slowly(text)); !slices.Equal(got, want) {
			t.Fatalf("%q:\n%q\nwithout the short cut\n%q", text, got, want)
		}
		for _, token := range l.tokens {
			if token.hash != hashWord(token.key) || token.lists != lexicon().of(token.hash) && token.lists != 0 {
				t.Fatalf("%q: token %+v", text, token)
			}
		}
	}
	for c := range utf8.RuneSelf {
		for _, word := range []string{"rest", "Rest", "REST", "C", "A", "c6", "H2O", "fooBar", "HTTPd", "42", "0", "007", "v2", "5ms", "dr"} {
			for _, behind := range []string{"", " ", "\n", "x", "x/y", "X", "5", "é", "東", "s", ")", "//x", "+", ":x", " x", ".", "\\", "000", "000,000", "30"} {
				same(t, word+string(rune(c))+behind)
				same(t, "in "+word+string(rune(c))+behind+" on")
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { same(t, hard.Draw(t, "text")) })
}

func TestLexicon(t *testing.T) {
	for word, in := range map[string]lists{
		"not": isFunction | isNegator, "refuse": isRefusal, "march": isMonth | isCalendar | isAlsoWord, "twenty": isNumeral, "dont": isJoined,
		"cent": isCent | isMeasure, "sgt": isHonorific, "million": isMeasure, "queue": 0, "": 0,
	} {
		if got := lexicon().of(hashWord(word)); got != in {
			t.Errorf("%q is in lists %b, not %b", word, got, in)
		}
	}
	for word := range joined {
		if !mayBeJoined([]byte(word)) {
			t.Errorf("%s is not told to be a verb with its negation", word)
		}
	}
}

// What was compared before on the same desk is not seen.
func TestDeskIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(hard, 2, 4).Draw(t, "texts")
		for _, text := range texts {
			texts = append(texts, text[:len(text)/2]+"\n"+text) // with a lead
		}
		used := takeDesk()
		defer used.leave()
		for range 6 {
			a, b := rapid.SampledFrom(texts).Draw(t, "a"), rapid.SampledFrom(texts).Draw(t, "b")
			if a == b {
				continue
			}
			fresh := &desk{readings: [2]*reading{{}, {}}}
			if got, want := used.differences(a, b), fresh.differences(a, b); !slices.Equal(got, want) {
				t.Fatalf("%q and %q: %q, on a desk of their own %q", a, b, got, want)
			}
		}
	})
}

// A word is told to be a name in the same way by its first questions and by later ones.
func TestAsName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r reading
		r.read(hard.Draw(t, "text"))
		type answer struct{ proper, lower bool }
		first := map[uint64]answer{}
		for range 3 {
			for _, key := range r.keys {
				proper, lower := r.asName(key)
				got := answer{proper, lower}
				if want, ok := first[key]; ok && got != want {
					t.Fatalf("%q: %+v, then %+v, after %d questions", r.text, want, got, r.asked)
				}
				first[key] = got
			}
		}
	})
}
