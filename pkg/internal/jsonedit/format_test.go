package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestQuote(t *testing.T) {
	tests := []struct{ s, want string }{
		{"", `""`},
		{"plain é € \U0001f639", "\"plain é € \U0001f639\""},
		{`"\/`, `"\"\\/"`},
		{"<b>&\u2028\x7f", "\"<b>&\u2028\x7f\""},
		{"\b\f\n\r\t\x00\x1f", `"\b\f\n\r\t\u0000\u001f"`},
		{"a\xffb\xed\xa0\x80", "\"a\ufffdb\ufffd\ufffd\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(Quote(tt.s)); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.s, got, tt.want)
		}
	}
}

func TestQuoteDecodesToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		s := rapid.SampledFrom([]string{string(b), rapid.String().Draw(t, "text")}).Draw(t, "s")
		var got string
		if err := json.Unmarshal(Quote(s), &got); err != nil {
			t.Fatal(err)
		}
		if want := string(bytes.ToValidUTF8([]byte(s), nil)); len(want) == len(s) && got != s {
			t.Fatalf("Quote(%q) decodes to %q", s, got)
		}
		if err := Check(Quote(s)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestStrings(t *testing.T) {
	if got := string(Strings([]string{"a", `"`, ""})); got != `["a","\"",""]` {
		t.Errorf("= %s", got)
	}
	if got := string(Strings(nil)); got != `[]` {
		t.Errorf("of none = %s", got)
	}
}

func TestStyleOf(t *testing.T) {
	tests := []struct {
		doc  string
		want Style
	}{
		{`{}`, Style{"", "\n", ":"}},
		{"{}\r\n", Style{"", "\r\n", ":"}},
		{`{"a":1}`, Style{"", "\n", ":"}},
		{`{"a" : 1}`, Style{"", "\n", ": "}},
		{`{"a": "b:c\n  x"}`, Style{"", "\n", ": "}},
		{"\ufeff{\n  \"a\": 1\n}", Style{"  ", "\n", ": "}},
		{"{\r\n\t\"a\":1\r\n}", Style{"\t", "\r\n", ":"}},
		{"[\n    1\n]", Style{"    ", "\n", ": "}},
		{"{\"a\": [\n    1\n]}", Style{"    ", "\n", ": "}},
		{"  {\n     \"a\": 1\n  }", Style{"   ", "\n", ": "}},
		{"{\n\"a\": 1\n}", Style{"", "\n", ": "}},
		{"", Style{"", "\n", ":"}},
	}
	for _, tt := range tests {
		if got := StyleOf([]byte(tt.doc)); got != tt.want {
			t.Errorf("StyleOf(%q) = %q, want %q", tt.doc, got, tt.want)
		}
	}
}

func TestIndentIsBounded(t *testing.T) {
	const depth = 20_000
	got := Indent([]byte(strings.Repeat("[", depth)+"1"+strings.Repeat("]", depth)), "", " ")
	if len(got) > MaxDepth*MaxDepth+3*depth || string(Compact(got)) != strings.Repeat("[", depth)+"1"+strings.Repeat("]", depth) {
		t.Errorf("%d levels became %d bytes", depth, len(got))
	}
}

// Compact and Indent are those of encoding/json.
func TestFormatAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t, "").bytes
		start, end := Span(doc)
		value := doc[start:end]
		prefix := rapid.SampledFrom([]string{"", "  ", "> "}).Draw(t, "prefix")
		unit := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "unit")
		var want bytes.Buffer
		if err := json.Compact(&want, value); err != nil {
			t.Fatal(err)
		}
		if got := Compact(value); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("Compact(%s)\n%s", value, cmp.Diff(want.String(), string(got)))
		}
		want.Reset()
		if err := json.Indent(&want, value, prefix, unit); err != nil {
			t.Fatal(err)
		}
		if got := Indent(value, prefix, unit); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("Indent(%s)\n%s", value, cmp.Diff(want.String(), string(got)))
		}
	})
}
