package tokens_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/tokens"
)

// No text in testdata, whole or cut into chunks of 50, 200 and 1000 bytes, is more tokens of
// o200k_base than its estimate. Whole texts of what blocks mostly consist of are not
// estimated at more than half above the count.
func TestAgainstCounts(t *testing.T) {
	doc, err := os.ReadFile("testdata/counts.json")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[int][]int{}
	if err := json.Unmarshal(doc, &counts); err != nil || len(counts) < 10 {
		t.Fatal(len(counts), err)
	}
	for name, lengths := range counts {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for length, want := range lengths {
			all := chunks(string(text), length)
			if len(all) != len(want) {
				t.Fatalf("%s: %d chunks of %d bytes, %d were counted", name, len(all), length, len(want))
			}
			for i, chunk := range all {
				if got := tokens.Estimate(chunk); got < want[i] {
					t.Errorf("%s, chunk %d of %d bytes: %d tokens, estimated %d in %q", name, i, length, want[i], got, chunk)
				}
			}
		}
		usual := slices.Contains([]string{"prose.txt", "block.txt", "code.txt", "json.txt"}, name)
		if got, want := tokens.Estimate(string(text)), lengths[0][0]; usual && 2*got > 3*want || got > 3*want {
			t.Errorf("%s: %d tokens, estimated %d", name, want, got)
		}
	}
}

// chunks cuts a text at characters, into chunks of at most so many bytes; 0: not at all.
func chunks(text string, length int) (all []string) {
	for length > 0 && len(text) > length {
		n := length
		for !utf8.RuneStart(text[n]) {
			n--
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return append(all, text)
}

// An estimate of any text is 0 for the empty one only, and more text is not fewer tokens.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text"))
	})
}

func FuzzEstimate(f *testing.F) {
	for _, text := range []string{"", "Hello\r\n  world's", "日本\xe6", "\U0001F469\u200d", "====== ///\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

func check(t interface{ Fatalf(string, ...any) }, text string) {
	n := tokens.Estimate(text)
	if (n == 0) != (text == "") || n > 3+4*len(text) {
		t.Fatalf("%q: %d tokens", text, n)
	}
	if twice := tokens.Estimate(text + "\n" + text); twice < n {
		t.Fatalf("%q: %d tokens, twice the text %d", text, n, twice)
	}
}

// A word without an end is nobody's word: each of its letters may be a token.
func TestLongWord(t *testing.T) {
	if got := tokens.Estimate(strings.Repeat("ab", 10_000)); got < 19_000 {
		t.Errorf("%d tokens", got)
	}
}

func BenchmarkEstimate(b *testing.B) {
	for _, name := range []string{"prose", "code", "json", "zh"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokens.Estimate(string(text))
			}
		})
	}
}
