package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func fuzzSeeds() []string {
	return []string{"", " ", "{}", pretty, motley, "\ufeff[1]\r\n", `{"a":1,"\u0061":2}`, `["\ud800\u0041"]`, "{\n<<<<<<< HEAD\n",
		`[1,]`, `{'a':1}`, "[NaN]", "{}{}", `["\`, "[\"\xff\"]", "[01]", "\xff\xfe{\x00", strings.Repeat("[", MaxDepth+1), `[-`, `"\u12`, "[\n\t{\n\t\t\"a\": 1\n\t}\n]"}
}

// FuzzCheck: the gate is encoding/json and UTF-8 and the depth limit.
func FuzzCheck(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := Check(doc)
		outlined(t, &Outline{}, doc)
		text := bytes.TrimPrefix(doc, bom)
		want := utf8.Valid(text) && json.Valid(text) && depth(text) <= MaxDepth
		if (err == nil) != want {
			t.Fatalf("Check(%q) = %v, want accepted: %v", doc, err, want)
		}
		if err == nil {
			return
		}
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(doc) || e.Line < 1 || e.Column < 1 || e.Msg == "" {
			t.Fatalf("Check(%q) = %#v", doc, err)
		}
		if strings.ContainsFunc(e.Msg, unicode.IsControl) || !utf8.ValidString(e.Msg) {
			t.Fatalf("message %q is not safe to print", e.Msg)
		}
		if n := bytes.Count(doc[:e.Offset], []byte("\n")) + 1; e.Line != n {
			t.Fatalf("line %d, want %d", e.Line, n)
		}
	})
}

// depth of a valid text.
func depth(text []byte) int {
	d := json.NewDecoder(bytes.NewReader(text))
	level, deepest := 0, 0
	for {
		switch tok, err := d.Token(); {
		case err != nil:
			return deepest
		case tok == json.Delim('{') || tok == json.Delim('['):
			level++
			deepest = max(deepest, level)
		case tok == json.Delim('}') || tok == json.Delim(']'):
			level--
		}
	}
}

// FuzzApply: nothing panics, and what an edit says it did, it did.
func FuzzApply(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add([]byte(s), "a", "0", []byte(`{"x":[1,2]}`))
		f.Add([]byte(s), "content", "title", []byte("[\n  1\n]"))
	}
	f.Fuzz(func(t *testing.T, doc []byte, a, b string, raw []byte) {
		for _, path := range [][]string{{}, {a}, {a, b}} {
			exercise(t, doc, path...)
			out, err := Apply(doc, Set(raw, path...))
			if err != nil {
				continue
			}
			r, ok := Get(out, path...)
			if !ok || !bytes.Equal(Compact([]byte(r.Raw)), compactValue(raw)) {
				t.Fatalf("set %q to %q in %q = %q", path, raw, doc, out)
			}
			if len(path) == 0 {
				continue
			}
			gone, err := Apply(out, Delete(path...))
			if err != nil {
				t.Fatalf("delete %q in %q: %v", path, out, err)
			}
			if _, had := Get(doc, path...); !had && !reflect.DeepEqual(Compact(gone), Compact(doc)) {
				t.Fatalf("set and deleted %q: %q became %q", path, doc, gone)
			}
		}
		elements, ok := Elements(doc, a)
		if !ok || len(elements) == 0 {
			return
		}
		last := len(elements) - 1
		e := ArrayEdit{Remove: map[int]bool{last: true}, Insert: []Insertion{{last, []byte(elements[last].Raw)}}}
		out, err := EditArray(doc, []string{a}, e)
		if err == nil && !bytes.Equal(Compact(out), Compact(doc)) {
			t.Fatalf("element put back: %q became %q", doc, out)
		}
	})
}

func compactValue(raw []byte) []byte {
	start, end := Span(raw)
	return Compact(raw[start:end])
}
