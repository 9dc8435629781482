package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var kindNames = [...]string{"word", "compound", "number", "identifier", "url", "unspaced", "sign"}

func tokens(s string) (out []string) {
	for t := range Tokens(s) {
		out = append(out, kindNames[t.Kind]+" "+s[t.Start:t.End])
	}
	return out
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \n\t ", ""},
		{"Don't panic.", "word Don't|word panic|sign ."},
		{"state-of-the-art and/or", "compound state-of-the-art|compound and/or"},
		{"1,000 of 1,2 at 10:30 on 2026-03-11", "number 1,000|word of|number 1,2|word at|number 10:30|word on|number 2026-03-11"},
		{"getUser v1.2.3 api_key a@b.org std::vec main.go:12", "identifier getUser|identifier v1.2.3|identifier api_key|identifier a@b.org|identifier std::vec|identifier main.go:12"},
		{"_stress_ and __init__", "sign _|word stress|sign _|word and|sign _|sign _|word init|sign _|sign _"},
		{"see https://example.org/a?b=c.", "word see|url https://example.org/a?b=c|sign ."},
		{"note:text a && b", "word note|sign :|word text|word a|sign &|sign &|word b"},
		{"東京でGoを", "unspaced 東京で|word Go|unspaced を"},
		{"ราคา 5 บาท", "unspaced ราคา|number 5|unspaced บาท"},
		{"größer ٨٤٤٣ हिन्दी", "word größer|number ٨٤٤٣|word हिन्दी"},
		{"a\u00a0b\u2003c", "word a|word b|word c"},
		{"\xff ok", "sign \xff|word ok"},
	} {
		if got := strings.Join(tokens(c.text), "|"); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Between two tokens is white space only, no token is empty, and to stop early does no harm.
func TestTokensCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("aB1_-./:@#'’, \n東ア\u0301://")), 0, 40, -1)).Draw(t, "text")
		at := 0
		for tok := range Tokens(s) {
			if tok.Start < at || tok.End <= tok.Start || strings.TrimFunc(s[at:tok.Start], unicode.IsSpace) != "" {
				t.Fatalf("token %+v behind %d in %q", tok, at, s)
			}
			at = tok.End
		}
		if strings.TrimFunc(s[at:], unicode.IsSpace) != "" {
			t.Fatalf("%q is left", s[at:])
		}
		for range Tokens(s) {
			break
		}
	})
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"parentRowId": "parent row id", "cmd/main.go": "cmd main go", "https://example.org/A": "example org a", "C++": "c++", "": "",
	} {
		if got := strings.Join(NameWords(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{"Straße": "strasse", "ＡＢＣ": "abc", "so\u00adft": "soft", "É": "é", "e\u0301": "é", "ABC": "abc", "\xff": "\ufffd"} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"Éclair": "eclair", "ﬁn": "fin", "ABC": "abc", "Ångström": "angstrom"} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

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

// hard draws texts of what normalisation is about: letters with marks, characters that become others, broken ones.
var hard = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom(strings.Split("a|B|é|É|ß|ſ|ﬁ|…|½|²|\u00a0|\u200b|\u00ad|\u0301|\u0345|İ|ŉ|ǰ|Σ|ς|ΰ|ё|K|Ⓐ|Ⅷ|東|京|ー|각|\u1100|\u1161|\u11a8|👍|→|´|\xff|\xe2\x80|\xf3|'|’| |\n|cent", "|")),
		rapid.String(),
	), 0, 20).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
})

// Normal is what folding the whole text gives, ASCII capitals aside.
func TestNormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hard.Draw(t, "text")
		if got, want := strings.ToLower(Normal(s)), strings.ToLower(compose(s)); got != want {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
	})
}

func FuzzNormal(f *testing.F) {
	f.Add("E\u0301t\u00e9 \xf3´ …")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := strings.ToLower(Normal(s)), strings.ToLower(compose(s)); got != want {
			t.Fatalf("%q: %q, as a whole %q", s, got, want)
		}
	})
}

func TestSentenceEnds(t *testing.T) {
	for _, c := range []struct {
		text     string
		informal bool
		want     []string
	}{
		{"One. Two! Three? Four… Five", false, []string{"One.", " Two!", " Three?", " Four…", " Five"}},
		{"Dr. Lee waited 120 ms. Then e.g. No. 5 ran v1.2 at 3.5 p.m. The rest followed.", false, []string{"Dr. Lee waited 120 ms.", " Then e.g. No. 5 ran v1.2 at 3.5 p.m.", " The rest followed."}},
		{"A `b. C` d (e. F). G", false, []string{"A `b. C` d (e. F).", " G"}},
		{"終わり。次だ！はい", false, []string{"終わり。", "次だ！", "はい"}},
		{"deployed it. it broke.", true, []string{"deployed it.", " it broke."}},
		{"deployed it. it broke.", false, []string{"deployed it. it broke."}},
		{"", false, nil},
	} {
		var got []string
		at := 0
		for _, end := range SentenceEnds(c.text, 0, c.informal) {
			if end > at {
				got = append(got, c.text[at:end])
			}
			at = end
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
	if !Informal("it broke. we fixed it. it works. all is well. done") || Informal("It broke. We fixed it. It works.") {
		t.Error("Informal doesn't tell lower case from sentences")
	}
}

func FuzzSentenceEnds(f *testing.F) {
	f.Add("One. Two (a. b) `c. d` … x", 1)
	f.Fuzz(func(t *testing.T, s string, from int) {
		from = max(0, min(from, len(s)))
		last := 0
		for _, end := range SentenceEnds(s, from, false) {
			if end < last || end > len(s) {
				t.Fatalf("an end at %d behind %d of %d", end, last, len(s))
			}
			last = end
		}
		if last != len(s) && utf8.ValidString(s) {
			t.Fatalf("the last sentence ends at %d of %d", last, len(s))
		}
	})
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"the port is 80", "the port is 8080 now", "=the port is|-80|+8080 now"},
		{"a b", "a  b", "=a b"},
		{"a\nb", "a b", "=a|-\n|=b"},
		{"", "new", "+new"},
		{"old", "", "-old"},
		{"", "", ""},
	} {
		var got []string
		for _, r := range Diff(c.before, c.after) {
			got = append(got, [...]string{"=", "-", "+"}[r.Change]+strings.Join(r.Words, " "))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func ExampleTokens() {
	s := "Deploy v1.2 to eu-west"
	for t := range Tokens(s) {
		fmt.Println(s[t.Start:t.End], t.Kind == KindIdentifier)
	}
	// Output:
	// Deploy false
	// v1.2 true
	// to false
	// eu-west false
}
