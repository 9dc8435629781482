package tokens_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/tokens"
	"github.com/memoryd/memoryd/pkg/tokens/internal/bpe"
)

// Of the texts in testdata, whole and cut into chunks of 50, 200 and 1000 bytes, counts
// are those of o200k (by tools/tokens). An estimate is never below and, but for what is
// rounded up, never a tenth above.
func TestAgainstTokenizer(t *testing.T) {
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
				if got := tokens.Count(chunk); got != want[i] {
					t.Errorf("%s, chunk %d of %d bytes: %d tokens, counted %d in %q", name, i, length, want[i], got, chunk)
				}
				if got := tokens.Estimate(chunk); got < want[i] || 10*got > 11*want[i] && got > want[i]+1 {
					t.Errorf("%s, chunk %d of %d bytes: %d tokens, estimated %d in %q", name, i, length, want[i], got, chunk)
				}
			}
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

// What isn't UTF-8 is counted as it would be shown.
func TestInvalidBytes(t *testing.T) {
	for _, text := range []string{"\xff", "a\xff\xfeb", "\xe6\x97", "x \xffy\n"} {
		if got, want := tokens.Count(text), tokens.Count(string([]rune(text))); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

// Any text: its pieces are the text; a count is at least one for each piece and at most one
// for each byte; the estimate is above it by no more than it says.
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
	shown := string([]rune(text))
	pieces := 0
	for rest := shown; rest != ""; pieces++ {
		piece := bpe.Next(rest)
		if piece == "" || !strings.HasPrefix(rest, piece) {
			t.Fatalf("%q begins with the piece %q", rest, piece)
		}
		rest = rest[len(piece):]
	}
	n, estimate := tokens.Count(text), tokens.Estimate(text)
	if n < pieces || n > len(shown) {
		t.Fatalf("%q: %d tokens of %d pieces", text, n, pieces)
	}
	if estimate < n || 100*(estimate-n) >= 5*n+100 {
		t.Fatalf("%q: %d tokens, estimated %d", text, n, estimate)
	}
}

// A word without an end is counted like others (what o200k makes of it is known), in
// time that BenchmarkCount shows.
func TestLongWord(t *testing.T) {
	if got := tokens.Count(strings.Repeat("a", 20_000)); got != 2500 {
		t.Errorf("%d tokens, want 2500", got)
	}
}

func BenchmarkCount(b *testing.B) {
	for _, name := range []string{"prose", "code", "json", "zh"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokens.Count(string(text))
			}
		})
	}
	b.Run("one letter", func(b *testing.B) {
		text := strings.Repeat("a", 20_000)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			tokens.Count(text)
		}
	})
}
