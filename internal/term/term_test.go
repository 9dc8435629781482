package term

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTable(t *testing.T) {
	tab := &Table{Head: []string{"ID", "N", "TEXT"}, Right: map[int]bool{1: true}, Cut: true}
	tab.Row("日本", "7", "first\nsecond")
	tab.Row("abcde", "123", "\x1b[2Jred")
	want := "ID       N  TEXT\n" +
		"日本     7  first second\n" +
		"abcde  123  \\x1b[2Jred\n"
	if got := tab.Format("", Style{}); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	tab.Spare = []int{1}
	if got, want := tab.Format("", Style{Width: 20}), "ID     TEXT\n日本   first second\nabcde  \\x1b[2Jred\n"; got != want {
		t.Errorf("without the spare column:\n%s\nwant\n%s", got, want)
	}
	for _, l := range strings.Split(tab.Format("", Style{Width: 18}), "\n") {
		if Columns(l) > 18 {
			t.Errorf("%q has %d columns", l, Columns(l))
		}
	}
	coloured := tab.Format("  ", Style{Colour: true})
	if !strings.Contains(coloured, "\x1b[2mID\x1b[0m") {
		t.Errorf("no colour: %q", coloured)
	}
}

func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-c 日é\x{0301}]{0,30}`).Draw(t, "text")
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		got := Cut(text, limit)
		if Columns(got) > limit || !utf8.ValidString(got) || Columns(text) <= limit && got != text {
			t.Fatalf("cut(%q, %d) = %q", text, limit, got)
		}
	})
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":  "plain\ttext\n",
		"日本語 é":          "日本語 é",
		"\x1b]0;x\x07":   `\x1b]0;x\a`,
		"a\rb\x7f\u009b": `a\rb\x7f\u009b`,
		"a\u202eb":       `a\u202eb`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	if got, want := CommandLine([]string{"a", "", "b c", "it's", `\x\y`}), `a '' 'b c' 'it'\''s' '\x\y'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
