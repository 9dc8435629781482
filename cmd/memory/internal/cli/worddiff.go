package cli

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// wordDiff writes two texts as one: words that only the first has as [-so-],
// words that only the second has as {+so+}, coloured on a terminal.
func (c *call) wordDiff(before, after string) string {
	old, fresh := oneWordPerLine(before), oneWordPerLine(after)
	var b strings.Builder
	at := 0
	for _, e := range udiff.Lines(old, fresh) {
		b.WriteString(old[at:e.Start])
		if gone := strings.TrimSuffix(old[e.Start:e.End], "\n"); gone != "" {
			b.WriteString(c.style.red("[-" + flat(gone) + "-]"))
			b.WriteByte('\n')
		}
		if added := strings.TrimSuffix(e.New, "\n"); added != "" {
			b.WriteString(c.style.green("{+" + flat(added) + "+}"))
			b.WriteByte('\n')
		}
		at = e.End
	}
	b.WriteString(old[at:])
	text := strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", " ")
	return strings.ReplaceAll(strings.ReplaceAll(text, " "+lineEnd+" ", "\n"), lineEnd, "")
}

// lineEnd stands for a line end of the text among its words; no text from a file
// holds it, since control characters have been made printable.
const lineEnd = "\x00"

// oneWordPerLine makes a diff by lines one by words. Line ends of the text become
// words of their own.
func oneWordPerLine(text string) string {
	text = strings.ReplaceAll(printable(strings.TrimSpace(text)), "\n", " "+lineEnd+" ")
	return strings.Join(strings.Fields(text), "\n") + "\n"
}

// flat is a run of words as it stands inside a mark.
func flat(words string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(words, "\n", " "), lineEnd, " "))
}
