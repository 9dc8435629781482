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
	"github.com/memoryd/memoryd/pkg/tokens/internal/model"
)

// The texts in testdata, and how many tokens o200k makes of them (counted by calibrate):
// an estimate is never below, and no more than a tenth above. The model has not learnt
// from them.
func TestAgainstTokenizer(t *testing.T) {
	text, err := os.ReadFile("testdata/counts.json")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	if err := json.Unmarshal(text, &counts); err != nil || len(counts) < 7 {
		t.Fatal(len(counts), err)
	}
	for name, want := range counts {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got := tokens.Estimate(string(text))
		if ratio := float64(got) / float64(want); ratio < 1 || ratio > 1.1 {
			t.Errorf("%s: %d tokens, estimated %d (%.3f)", name, want, got, ratio)
		} else {
			t.Logf("%s: %d tokens, estimated %d (%.3f)", name, want, got, ratio)
		}
	}
}

func TestTables(t *testing.T) {
	data, err := os.ReadFile("model.bin")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Marshal()) != string(data) {
		t.Error("the tables are written back as others")
	}
	if _, err := model.Unmarshal(data[1:]); err == nil {
		t.Error("tables of another size are read")
	}
	for text, want := range map[string]bool{"我们": true, "です": true, "ました": true, "卍薔": false} {
		if m.Known(text) != want {
			t.Errorf("%s is known: %t", text, !want)
		}
	}
}

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
		"end   ":               "end|   ",
		" -- ":                 " --| ",
		"\xff\xfea":            "\xff|\xfe|a",
	} {
		var got []string
		for rest := text; rest != ""; {
			piece, _ := model.Next(rest)
			got = append(got, piece)
			rest = rest[len(piece):]
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, "|"), want)
		}
	}
}

// Any text: its pieces are the text; the estimate is of the order of its length, grows
// with it, and is the same each time.
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
	rest, n := text, 0
	for rest != "" {
		piece, _ := model.Next(rest)
		if piece == "" || !strings.HasPrefix(rest, piece) {
			t.Fatalf("%q begins with the piece %q", rest, piece)
		}
		rest = rest[len(piece):]
		n++
	}
	got := tokens.Estimate(text)
	if (got == 0) != (text == "") || got < n || got > 5*utf8.RuneCountInString(text)+1 {
		t.Fatalf("%q: %d tokens of %d pieces", text, got, n)
	}
	if twice := tokens.Estimate(text + "\n" + text); twice < got {
		t.Fatalf("%q: %d tokens, twice it is %d", text, got, twice)
	}
}

func BenchmarkEstimate(b *testing.B) {
	text, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Estimate(string(text))
	}
}
