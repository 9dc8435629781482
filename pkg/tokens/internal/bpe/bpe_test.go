package bpe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/tokens/internal/bpe"
)

// Pieces are where the encoder's pattern has them.
func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"Hello world":          "Hello| world",
		"it's I'LL don't":      "it's| I'LL| don't",
		"getUserID HTTPServer": "get|User|ID| HTTPServer",
		"a  b":                 "a| | b",
		"a \n\n  b":            "a| \n\n| | b",
		"x=12345;\n\ny":        "x|=|123|45|;\n\n|y",
		"/usr/bin//":           "/usr|/bin|//",
		"日本語、です":               "日本語|、です",
		"日本ABC 日本ABC語x":        "日本|ABC| 日本ABC語x",
		"ABC語DEF":              "ABC語|DEF",
		"e\u0301A\u0301B":      "e\u0301|A\u0301|B",
		"!!\u2764\ufe0f":       "!!\u2764\ufe0f",
		"\u2764\ufe0f\u2764":   "\u2764\ufe0f|\u2764",
		"ǅungla":               "ǅungla",
		"end   ":               "end|   ",
		" -- ":                 " --| ",
		"\xff\xfea":            "\xff|\xfe|a",
	} {
		var got []string
		for rest := text; rest != ""; {
			piece := bpe.Next(rest)
			got = append(got, piece)
			rest = rest[len(piece):]
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, "|"), want)
		}
	}
}

// A few tokens may all want the same places: then there are more of these. Many equal ones
// always do.
func TestBuildMakesRoom(t *testing.T) {
	if _, err := bpe.Build(strings.Fields("a aa aaab aac ab abaca abb ac b ba c ca")); err != nil {
		t.Error(err)
	}
	if _, err := bpe.Build(strings.Fields(strings.Repeat("a ", 100))); err == nil {
		t.Error("a hundred equal tokens have gone in")
	}
}

// Counts are those of merging the plain way, with a vocabulary of any tokens.
func TestMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := map[string]int{}
		tokens := rapid.SliceOfNDistinct(rapid.StringMatching(`[abc]{1,5}`), 0, 100, rapid.ID[string]).Draw(t, "tokens")
		for i, token := range tokens {
			ranks[token] = i
		}
		v, err := bpe.Build(tokens)
		if err != nil {
			t.Fatal(err)
		}
		word := rapid.StringMatching(`[abc]{1,60}`).Draw(t, "word")
		want := plainly(word, ranks)
		c := bpe.Counter{Vocabulary: v}
		if got := c.Count(word); got != want {
			t.Fatalf("%q: %d tokens, want %d", word, got, want)
		}
		if got := c.Count(word + " " + word); got < want {
			t.Fatalf("%q twice: %d tokens, once %d", word, got, want)
		}
	})
}

func plainly(word string, ranks map[string]int) int {
	if _, ok := ranks[word]; ok {
		return 1
	}
	parts := strings.Split(word, "")
	for {
		best, at := len(ranks), -1
		for i := range len(parts) - 1 {
			if rank, ok := ranks[parts[i]+parts[i+1]]; ok && rank < best {
				best, at = rank, i
			}
		}
		if at < 0 {
			return len(parts)
		}
		parts = slices.Replace(parts, at, at+2, parts[at]+parts[at+1])
	}
}

// A full table knows all its tokens, and takes next to nothing else for one.
func TestVocabulary(t *testing.T) {
	var tokens []string
	for i := range 100_000 {
		tokens = append(tokens, fmt.Sprintf("k%d", i))
	}
	v, err := bpe.Build(tokens)
	if err != nil {
		t.Fatal(err)
	}
	c := bpe.Counter{Vocabulary: v}
	for i := range tokens {
		if !v.Has(tokens[i]) {
			t.Fatalf("%s isn't known", tokens[i])
		}
	}
	wrong := 0
	for i := range tokens {
		if v.Has(fmt.Sprintf("x%d", i)) {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of %d strings are taken for tokens", wrong, len(tokens))
	}
	if n := c.Count("zzz"); n != 3 {
		t.Errorf("what is no token at all is %d tokens, want one for each byte", n)
	}
}

func TestBuildRefuses(t *testing.T) {
	for what, tokens := range map[string][]string{
		"a token that is too long": {strings.Repeat("x", 256)},
		"too many":                 make([]string, 1<<18),
	} {
		if _, err := bpe.Build(tokens); err == nil {
			t.Error("built with", what)
		}
	}
}
