package delta

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

func TestOf(t *testing.T) {
	texts := []string{"", "a", "a\nb\nc\n", "a\nx\nc\n", "a,b,c,d", "c,b,a", strings.Repeat("x,\n", 50), "a\na\na\nb", "b\na\na\na\n"}
	for _, from := range texts {
		for _, text := range texts {
			if got := Apply([]byte(from), Of([]byte(from), []byte(text))); string(got) != text {
				t.Errorf("%q from %q: %q", text, from, got)
			}
		}
	}
	if Apply([]byte("abc"), []Hunk{{At: 2, Copy: 5}}) != nil {
		t.Error("a hunk that doesn't fit")
	}
}

// One piece that stands elsewhere doesn't make everything between into text.
func TestOfIsShort(t *testing.T) {
	var lines []string
	for i := range 20_000 {
		lines = append(lines, fmt.Sprintf("{\"id\": \"mem_%d\",\n", i), "\"type\": \"semantic\",\n", "},\n")
	}
	from := strings.Join(lines, "")
	moved := "\"summary\": \"only once\",\n"
	text := "new\n" + moved + strings.Join(lines[3:30_000], "") + strings.Join(lines[30_003:], "") + "end"
	from += moved
	hunks := Of([]byte(from), []byte(text))
	if got := Apply([]byte(from), hunks); string(got) != text {
		t.Fatal("another text")
	}
	literal := 0
	for _, h := range hunks {
		literal += len(h.Text)
	}
	if literal > 200 || len(hunks) > 10 {
		t.Errorf("%d hunks with %d bytes of text", len(hunks), literal)
	}
}

// FuzzDelta tells any text by any other.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("a,b,c\n"), []byte("a,x,c\n"), 0, 3)
	f.Add([]byte(""), []byte("x"), -1, 1<<62)
	f.Add([]byte("a\na\na\n"), []byte("a\na\n"), 1<<62, 1<<62)
	f.Fuzz(func(t *testing.T, from, text []byte, at, n int) {
		if got := Apply(from, Of(from, text)); !bytes.Equal(got, text) {
			t.Fatalf("%q by %q gives %q", text, from, got)
		}
		Apply(from, []Hunk{{At: at, Copy: n, Text: text}}) // whatever a record says
	})
}

// What no edit has told of, and is long, is told in a few words nevertheless.
func TestBackOfMuch(t *testing.T) {
	lines := func(from int) []byte {
		var out bytes.Buffer
		for i := from; i < 60_000; i++ {
			fmt.Fprintf(&out, "\"mem_%d\",\n", i)
		}
		return out.Bytes()
	}
	old := slices.Concat([]byte("head"), lines(0), []byte("old end"))
	now := slices.Concat([]byte("head"), lines(7), []byte("new end"))
	hunks := back(old, now, []jsonedit.Kept{{Len: 4}}, Of)
	if got := Apply(now, hunks); !bytes.Equal(got, old) || len(old)+len(now) < long {
		t.Fatalf("%d bytes of %d, or another text", len(got), len(old))
	}
	said := 0
	for _, h := range hunks {
		said += len(h.Text)
	}
	if said > 200 || len(hunks) > 5 {
		t.Errorf("%d hunks with %d bytes of text", len(hunks), said)
	}
}

// What an edit says to have kept tells the old text by the new one, whatever is repeated.
func TestBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var old, now []byte
		var kept []jsonedit.Kept
		piece := rapid.SliceOfN(rapid.SampledFrom([]byte("ab,\n")), 0, 6)
		for range rapid.IntRange(0, 5).Draw(t, "pieces") {
			old, now = append(old, piece.Draw(t, "gone")...), append(now, piece.Draw(t, "new")...)
			both := piece.Draw(t, "kept")
			kept = append(kept, jsonedit.Kept{Old: len(old), New: len(now), Len: len(both)})
			old, now = append(old, both...), append(now, both...)
		}
		old, now = append(old, piece.Draw(t, "gone")...), append(now, piece.Draw(t, "new")...)
		if got := Apply(now, back(old, now, kept, Of)); !bytes.Equal(got, old) {
			t.Fatalf("%q from %q, which kept %v, gives %q", old, now, kept, got)
		}
	})
}

// Whatever is in step is told right, and in full where the one is an edit of the other.
func TestInStep(t *testing.T) {
	var record []string
	for i := range 3000 {
		record = append(record, fmt.Sprintf("{\n  \"id\": \"mem_%d\",\n  \"type\": \"semantic\",\n  \"tags\": [\"a\", \"b\"],\n  \"content\": \"note %d says %d times %s\"\n},\n", i, i, i*i, strings.Repeat("the same words ", 8)))
	}
	from := []byte(strings.Join(record, ""))
	rapid.Check(t, func(t *rapid.T) {
		text, changed := []byte{}, 0
		for i := 0; i < len(record); {
			n := rapid.IntRange(1, len(record)-i).Draw(t, "as they were")
			text = append(text, strings.Join(record[i:i+n], "")...)
			i = min(i+n+rapid.IntRange(0, 3).Draw(t, "gone"), len(record))
			now := strings.Repeat("\"new\": \"text\",\n", rapid.IntRange(0, 5).Draw(t, "new"))
			text, changed = append(text, now...), changed+1
		}
		hunks := back(text, from, inStep(from, text), compared)
		if got := Apply(from, hunks); !bytes.Equal(got, text) {
			t.Fatal("another text")
		}
		said := 0
		for _, h := range hunks {
			said += len(h.Text)
		}
		if said > 400*changed {
			t.Fatalf("%d bytes said after %d changes", said, changed)
		}
	})
}

func FuzzInStep(f *testing.F) {
	f.Add([]byte("abcdefgh"), []byte("xabcdefgh"), 40)
	f.Fuzz(func(t *testing.T, from, text []byte, n int) {
		from, text = bytes.Repeat(from, 1+uint8Of(n)), append(bytes.Repeat(from, 1+uint8Of(n/256)), text...)
		if got := Apply(from, back(text, from, inStep(from, text), compared)); !bytes.Equal(got, text) {
			t.Fatalf("%q by %q gives %q", text, from, got)
		}
	})
}

func uint8Of(n int) int { return int(uint8(n)) }
