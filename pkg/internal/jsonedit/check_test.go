package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memoryd/memoryd/fixtures/datasets"
)

// Each accident is pinned to where it is reported and how.
func TestCheckNamesAccidents(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"empty", "", "line 1, column 1: empty document"},
		{"only a byte order mark", "\ufeff", "line 1, column 1: empty document"},
		{"only white space", " \r\n\t", "line 1, column 1: only white space, no value"},
		{"all NUL", "\x00\x00\x00", "line 1, column 1: NUL byte; the file is damaged, not written completely, or UTF-16"},
		{"NUL padding", "{}\n\x00\x00", "line 2, column 1: NUL byte; the file is damaged, not written completely, or UTF-16"},
		{"NUL in a string", "[\"a\x00\"]", "line 1, column 4: NUL byte; the file is damaged, not written completely, or UTF-16"},
		{"UTF-16 little endian", "\xff\xfe{\x00}\x00", "line 1, column 1: UTF-16 text; save the file as UTF-8"},
		{"UTF-16 big endian", "\xfe\xff\x00{\x00}", "line 1, column 1: UTF-16 text; save the file as UTF-8"},
		{"conflict", "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n", "line 2, column 1: git conflict marker <<<<<<<; resolve the merge first"},
		{"conflict at start", "<<<<<<< HEAD\n{}", "line 1, column 1: git conflict marker <<<<<<<; resolve the merge first"},
		{"conflict after a BOM", "\ufeff<<<<<<< HEAD\n{}", "line 1, column 1: git conflict marker <<<<<<<; resolve the merge first"},
		{"conflict half resolved", "[1\n>>>>>>> theirs\n]", "line 2, column 1: git conflict marker >>>>>>>; resolve the merge first"},
		{"conflict after the end", "{}\n=======\n", "line 2, column 1: git conflict marker =======; resolve the merge first"},
		{"line comment", "// note\n{}", "line 1, column 1: comment; JSON has none"},
		{"block comment", `{"a": /* one */ 1}`, "line 1, column 7: comment; JSON has none"},
		{"comment after comma", "{\"a\": 1, // one\n\"b\": 2}", "line 1, column 10: comment; JSON has none"},
		{"comment after value", "[1 // one\n]", "line 1, column 4: comment; JSON has none"},
		{"comment after the end", "{} # done", "line 1, column 4: comment; JSON has none"},
		{"division", "[4/2]", "line 1, column 3: found / where , or ] should be"},
		{"single quotes", "{'a': 1}", "line 1, column 2: wrong quote; JSON strings need double quotes"},
		{"single quoted value", `{"a": 'b'}`, "line 1, column 7: wrong quote; JSON strings need double quotes"},
		{"curly quotes", "{“a”: 1}", "line 1, column 2: curly quote; JSON strings need straight double quotes"},
		{"trailing comma in array", "[\n  1,\n]", "line 2, column 4: trailing comma before ]"},
		{"trailing comma in object", `{"a":1 , }`, "line 1, column 8: trailing comma before }"},
		{"only a comma", "[,]", "line 1, column 2: found , where a value should be"},
		{"two commas", `{"a":1,,"b":2}`, "line 1, column 8: found , where a key in double quotes should be"},
		{"NaN", `{"a":NaN}`, "line 1, column 6: NaN is not JSON; use null"},
		{"Infinity", "[Infinity]", "line 1, column 2: Infinity is not JSON; use null"},
		{"minus Infinity", "[-Infinity]", "line 1, column 3: -Infinity is not JSON; use null"},
		{"undefined", "[undefined]", "line 1, column 2: undefined is not JSON; use null"},
		{"Python", `{"a": True}`, "line 1, column 7: True must be written true"},
		{"unquoted value", `{"a": yes}`, "line 1, column 7: unknown word yes; a string needs double quotes"},
		{"unquoted key", `{a: 1}`, "line 1, column 2: key a needs double quotes"},
		{"misspelt literal", `[nul]`, "line 1, column 2: unknown word nul; a string needs double quotes"},
		{"literal with a tail", `[nulls]`, "line 1, column 6: missing comma before s"},
		{"two documents", "{\"a\":1}\n{\"b\":2}", "line 2, column 1: a second document after the first; a file must hold exactly one"},
		{"trailing garbage", "{}}", "line 1, column 3: found } after the end of the document"},
		{"cut off in a string", "{\n\"a", "line 2, column 3: document is cut off: it ends inside a string"},
		{"cut off in a rune", "[\"caf\xc3", "line 1, column 7: document is cut off: it ends inside a string"},
		{"cut off in an escape", `["\u12`, "line 1, column 7: document is cut off: it ends inside a string"},
		{"cut off before the last digit of an escape", `["\u123`, "line 1, column 8: document is cut off: it ends inside a string"},
		{"cut off after a backslash", `["\`, "line 1, column 4: document is cut off: it ends inside a string"},
		{"cut off in a literal", `[tru`, "line 1, column 5: document is cut off: it ends where a value should be"},
		{"cut off in a number", `[1.`, "line 1, column 4: document is cut off: it ends inside a number"},
		{"cut off before a key", `{"a":1, `, "line 1, column 9: document is cut off: it ends inside an object"},
		{"cut off after a key", `{"a"`, "line 1, column 5: document is cut off: it ends inside an object"},
		{"cut off before a value", `{"a":`, "line 1, column 6: document is cut off: it ends where a value should be"},
		{"cut off after a member", "{\"a\":1\n", "line 2, column 1: document is cut off: it ends inside an object"},
		{"cut off in an array", `[[1]`, "line 1, column 5: document is cut off: it ends inside an array"},
		{"line break in string", "[\"a\nb\"]", `line 1, column 4: line break inside a string; close the string or write \n`},
		{"tab in string", "[\"a\tb\"]", `line 1, column 4: control character U+0009 inside a string; write it as \u0009`},
		{"bad escape", `["a\x41"]`, `line 1, column 4: bad escape: \ before x41; write \\ for a backslash`},
		{"Windows path", `["C:\é"]`, `line 1, column 5: bad escape: \ before 'é' (U+00E9); write \\ for a backslash`},
		{"bad hex escape", `["\u12G4"]`, `line 1, column 3: bad escape: \u needs four hexadecimal digits`},
		{"leading zero", "[012]", "line 1, column 2: number with a leading zero"},
		{"leading zero at the start", "00", "line 1, column 1: number with a leading zero"},
		{"negative leading zero", "[-012]", "line 1, column 3: number with a leading zero"},
		{"leading plus", "[+1]", "line 1, column 2: number with a leading +"},
		{"no digit before the point", "[.5]", "line 1, column 2: number without a digit before its decimal point"},
		{"no digit after the point", "[1.e3]", "line 1, column 4: number without a digit after its decimal point"},
		{"no digit in exponent", "[1e]", "line 1, column 4: number without a digit in its exponent"},
		{"no digit in signed exponent", "[1e-]", "line 1, column 5: number without a digit in its exponent"},
		{"only a minus", "[- 1]", "line 1, column 3: minus sign without a digit"},
		{"hexadecimal", "[0x1F]", "line 1, column 3: hexadecimal number; JSON has only decimal ones"},
		{"invalid UTF-8 in string", "[\"a\xffb\"]", "line 1, column 4: invalid UTF-8 byte 0xff"},
		{"surrogate in UTF-8", "[\"\xed\xa0\x80\"]", "line 1, column 3: invalid UTF-8 byte 0xed"},
		{"overlong", "[\"\xc0\xaf\"]", "line 1, column 3: invalid UTF-8 byte 0xc0"},
		{"invalid UTF-8 outside", "[\xc3]", "line 1, column 2: invalid UTF-8 byte 0xc3"},
		{"column counts runes", `{"é":"€","x":}`, "line 1, column 14: found } where a value should be"},
		{"BOM does not count", "\ufeff[,]", "line 1, column 2: found , where a value should be"},
		{"no-break space", "[1,\u00a02]", "line 1, column 4: found U+00A0 where a value should be"},
		{"second BOM", "\ufeff\ufeff{}", "line 1, column 1: found U+FEFF where a value should be"},
		{"escape sequence is not printed", "[\x1b[31m]", "line 1, column 2: found U+001B where a value should be"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", "line 2, column 2: missing comma before a string"},
		{"missing comma in array", "[1 2]", "line 1, column 4: missing comma before 2"},
		{"missing colon", `{"a" 1}`, "line 1, column 6: found 1 where the : after a key should be"},
		{"number as key", `{1: 2}`, "line 1, column 2: found 1 where a key in double quotes should be"},
		{"wrong closer", `[1}`, "line 1, column 3: found } where , or ] should be"},
		{"wrong closer of object", `{"a":1]`, "line 1, column 7: found ] where , or } should be"},
		{"too deep", strings.Repeat("[", MaxDepth) + "{}", "line 1, column 1001: nested more than 1000 deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check([]byte(tt.doc))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Check(%q) = %v, want an *Error", tt.doc, err)
			}
			if err.Error() != tt.want {
				t.Errorf("Check(%q)\n got %s\nwant %s", tt.doc, err, tt.want)
			}
			if json.Valid([]byte(tt.doc)) && !strings.Contains(tt.want, "UTF-8") && !strings.Contains(tt.want, "deep") {
				t.Errorf("encoding/json accepts %q", tt.doc)
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `null`, ` true `, "\ufeff{}", "\ufeff \r\n[1]\n\n",
		`[1.10, 1E+2, 1e400, 0.10, -0.0e-0, 12345678901234567890123]`,
		`{"a":1,"a":2}`, `["\ud800", "\udc00\ud800", "\ud83d\ude39"]`, `["\"\\\/\b\f\n\r\t\u0000"]`,
		"[\"\u2028\u2029\x7f\U0010ffff\"]", `{"":{"":[]}}`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		strings.Repeat(`{"a":`, MaxDepth) + "1" + strings.Repeat("}", MaxDepth),
	} {
		if err := Check([]byte(doc)); err != nil {
			t.Errorf("Check(%.60q) = %v", doc, err)
		}
	}
}

func TestCheckRefusesTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("needs 512 MiB")
	}
	doc := make([]byte, MaxSize+1)
	err := Check(doc)
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("Check of %d bytes = %v, want too large", len(doc), err)
	}
}

// A fault must be found wherever it falls in the eight bytes taken at a time.
func TestScanStringAtEveryOffset(t *testing.T) {
	for n := range 40 {
		pad := strings.Repeat("x", n)
		for _, bad := range []string{"\x00", "\x1f", "\n", "\xff", "\x80", `\x`, `\u12g`} {
			for _, after := range []string{"", "abcdefghij", "€ÿ\x7f\\n"} {
				doc := `["` + pad + bad + after + `"]`
				var e *Error
				if err := Check([]byte(doc)); !errors.As(err, &e) || e.Offset != 2+n {
					t.Fatalf("Check(%q) = %v, want a fault at %d", doc, err, 2+n)
				}
			}
		}
		for _, good := range []string{"", `\"`, `\\`, "é", "\x7f", " ", "!", "#", "[", "]", "日本語テキスト", `\u00e9`} {
			doc := `["` + pad + good + pad + `"]`
			if err := Check([]byte(doc)); err != nil {
				t.Fatalf("Check(%q) = %v", doc, err)
			}
		}
	}
}

// TestRuneLen compares with the library all that three bytes can be, the last of which may be
// missing or stand for more.
func TestRuneLen(t *testing.T) {
	for first := utf8.RuneSelf; first < 256; first++ {
		for rest := range 1 << 16 {
			b := []byte{byte(first), byte(rest >> 8), byte(rest), 0x80}
			for n := 1; n <= len(b); n++ {
				r, want := utf8.DecodeRune(b[:n])
				if r == utf8.RuneError && want == 1 {
					want = 0
				}
				if is := runeLen(b[:n]); is != want {
					t.Fatalf("runeLen(% x) = %d, want %d", b[:n], is, want)
				}
			}
		}
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	doc := indexDocument(50)
	if n := testing.AllocsPerRun(20, func() {
		if Check(doc) != nil {
			t.Fatal("index document is broken")
		}
	}); n != 0 {
		t.Errorf("Check allocates %v times, want 0", n)
	}
}

func TestSpan(t *testing.T) {
	tests := []struct{ doc, want string }{
		{"{}", "{}"}, {"\ufeff \r\n[1, 2]\n\t", "[1, 2]"}, {" 1 ", "1"}, {"", ""}, {" \n ", ""}, {"\ufeff", ""},
	}
	for _, tt := range tests {
		start, end := Span([]byte(tt.doc))
		if got := tt.doc[start:end]; got != tt.want {
			t.Errorf("Span(%q) = %q, want %q", tt.doc, got, tt.want)
		}
	}
}

// Documents of the shared robustness set, if it is there.
func TestCheckRobustnessSet(t *testing.T) {
	type document struct {
		ID, Kind, Expect string
		B64              []byte
	}
	seen := map[string]int{}
	for c := range datasets.Rows[document](t, "dev/json_robustness.jsonl") {
		seen[c.Expect]++
		err := Check(c.B64)
		switch {
		case (c.Expect == "accept" || c.Expect == "warn") && err != nil:
			t.Errorf("%s: %v, want it accepted", c.ID, err)
		case c.Expect == "reject" && err == nil:
			t.Errorf("%s: accepted, want it rejected: %.80q", c.ID, c.B64)
		case err != nil && strings.HasSuffix(err.Error(), ": "):
			t.Errorf("%s: empty message", c.ID)
		}
		exercise(t, c.B64, "id", "content")
	}
	if seen["accept"] == 0 || seen["reject"] == 0 || seen["warn"] == 0 {
		t.Fatalf("read %v", seen)
	}
}

// exercise calls everything on a document of any kind; nothing may panic, and
// what Apply gives back must pass the gate.
func exercise(t *testing.T, doc []byte, names ...string) {
	t.Helper()
	before := bytes.Clone(doc)
	Get(doc, names...)
	Elements(doc, names...)
	DuplicateKeys(doc)
	StyleOf(doc)
	Compact(doc)
	Indent(doc, " ", "\t")
	Quote(string(doc))
	for _, e := range []Edit{Set([]byte(`{"x":[1]}`), names...), Delete(names...), Append([]byte(`"x"`), names...), Set(doc, names...)} {
		out, err := Apply(doc, e)
		if (err == nil) != (out != nil) {
			t.Errorf("%s of %.80q: result %.80q with error %v", e.op, doc, out, err)
		}
		if err == nil && Check(out) != nil {
			t.Errorf("%s of %.80q: broken result %.80q", e.op, doc, out)
		}
	}
	if _, err := EditArray(doc, names, ArrayEdit{Remove: map[int]bool{0: true}}); err == nil && Check(doc) != nil {
		t.Errorf("EditArray took the broken %.80q", doc)
	}
	if !bytes.Equal(doc, before) {
		t.Errorf("document changed from %.80q to %.80q", before, doc)
	}
}
