package tomledit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A key is found however it is written, and a value is changed alone.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "a = 1\n", "[a]\nb = 1\n", "\ufeffa.b = 1 # c\r\n", "a = { b = [1, 2], }\n", "[[a]]\nb = 1\n[[a]]\nb = { c = 1 }\n[a.d]\nb = 1\n",
		"a = [ # b\n\"x\",\n]\n'b' = '''\n'''\n", "[a.b.c]\nd = 2026-01-01\ne = 07:00:00\n", "a = {\n b = 1, # c\n d = 2\n}\n", "[ a . \"b\" ]\n",
	} {
		f.Add([]byte(text), "a", "b")
	}
	f.Fuzz(func(t *testing.T, text []byte, section, key string) {
		d, err := Parse(text)
		var v map[string]any
		if other := Decode(text, &v); (err == nil) != (other == nil) {
			t.Fatalf("%v, but the decoder says %v", err, other)
		}
		if err != nil || !utf8.ValidString(section) || !utf8.ValidString(key) {
			return
		}
		if n := strings.Count(string(text), "\n") + 1; len(d.starts) != n {
			t.Fatalf("%d lines, not %d", len(d.starts), n)
		}
		for _, path := range [][]string{{key}, {section, key}} {
			set, err := d.Set(path, "12345")
			if err != nil {
				continue
			}
			now, err := Parse(set)
			if err != nil {
				continue // the callers parse it too
			}
			n := now.Root.find(path)
			if n == nil || n.Value != int64(12345) {
				t.Fatalf("%q in\n%s\nis %+v in\n%s", path, text, n, set)
			}
			if was := d.Root.find(path); was != nil { // the rest is as it was
				back, err := now.Set(path, string(text[was.value.start:was.value.end]))
				if err != nil || !bytes.Equal(back, text) {
					t.Fatalf("%v: back is\n%s\nnot\n%s", err, back, text)
				}
				continue
			}
			left, err := now.Unset(path)
			if err != nil {
				t.Fatal(err)
			}
			if after, err := Parse(left); err != nil || after.Root.find(path) != nil {
				t.Fatalf("%v: taken out of\n%s\nis\n%s", err, set, left)
			}
		}
	})
}

// Texts made to take long are read or refused in seconds, whatever their size.
func TestHostileTexts(t *testing.T) {
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"dots":               strings.Repeat("a.", 200_000) + "a = 1\n",
		"braces":             strings.Repeat("a={", 200_000),
		"braces closed":      strings.Repeat("a={", 9000) + strings.Repeat("}", 9000),
		"brackets":           "a=" + strings.Repeat("[", 1_000_000),
		"brackets closed":    "a=" + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"keys":               each(200_000, "a%d=1\n"),
		"keys as allowed":    each(MaxKeys, "a%d=1\n"),
		"headers":            each(200_000, "[a.b%d]\n"),
		"lists of tables":    strings.Repeat("[[a]]\n[[a.b]]\n", 100_000),
		"keys of a table":    "a = {" + each(200_000, "b%d=1,") + "}\n",
		"a long text":        "a = \"" + strings.Repeat("x", 4<<20) + "\"\n",
		"a long key":         strings.Repeat("x", 4<<20) + " = 1\n",
		"a long comment":     "#" + strings.Repeat("x", 4<<20),
		"lines":              strings.Repeat("\n", 4<<20),
		"underscores":        "a = 1" + strings.Repeat("_1", 1<<20),
		"the same key":       strings.Repeat("a = 1\n", 100_000),
		"escapes":            "a = \"" + strings.Repeat(`\u0041`, 500_000) + "\"\n",
		"dots, many at once": strings.Repeat(strings.Repeat("a.", 1000)+"b = 1\n", 500),
	} {
		start := time.Now()
		_, err := Parse([]byte(text))
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v, %v", name, took, err)
		} else {
			t.Logf("%s: %v, %.60v", name, took, err)
		}
	}
}
