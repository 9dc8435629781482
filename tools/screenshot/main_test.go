package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// The picture in the repository shows what the program prints today.
func TestPictureIsCurrent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs a pseudo terminal of Linux")
	}
	got, err := draw("../..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../docs/run.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/run.svg is out of date: go run ./tools/screenshot")
	}
}

func TestSelected(t *testing.T) {
	const out = "a 1\na 2\n\nb\n\nc\n\nd\n"
	const gap = "\x1b[2m…\x1b[0m"
	for _, c := range []struct{ show, want string }{
		{"", "a 1|a 2||b||c||d"},
		{"a", "a 1|a 2|" + gap},
		{"b c", gap + "|b||c|" + gap},
		{"a d", "a 1|a 2|" + gap + "|d"},
	} {
		if got := strings.Join(selected(out, strings.Fields(c.show)), "|"); got != c.want {
			t.Errorf("show %q: %q, want %q", c.show, got, c.want)
		}
	}
}

func TestPiecesAndWrap(t *testing.T) {
	got := wrap(pieces("  one \x1b[31mtwo\x1b[0m three"), 10)
	want := [][]piece{{{"  one ", ""}, {"two", "r"}}, {{"  ", ""}, {"three", ""}}}
	if text := func(rows [][]piece) (s string) {
		for _, row := range rows {
			for _, p := range row {
				s += p.text
			}
			s = strings.TrimRight(s, " ") + "\n"
		}
		return s
	}; text(got) != text(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := pieces("\x1b[1mbold\x1b[0m plain"); !reflect.DeepEqual(got, []piece{{"bold", "b"}, {" plain", ""}}) {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", strings.Repeat("x", 25), strings.Repeat(" ", 25), strings.Repeat("äö ", 9)} {
		for _, row := range wrap(pieces(text), 10) {
			n := 0
			for _, p := range row {
				n += len([]rune(p.text))
			}
			if n > 10 {
				t.Errorf("%q: a row of %d columns", text, n)
			}
		}
	}
}

func TestPictureIsXML(t *testing.T) {
	var doc struct {
		Text []string `xml:"text"`
	}
	if err := xml.Unmarshal(svg([]string{`<a> & "b"`}, 40), &doc); err != nil {
		t.Fatal(err)
	}
	if want := `<a> & "b"`; doc.Text[len(doc.Text)-1] != want {
		t.Errorf("%q, want %q", doc.Text, want)
	}
}
