package cli

import (
	"strings"

	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/text"
)

// wordDiff writes two texts as one: words that only the first has as [-so-],
// words that only the second has as {+so+}, coloured on a terminal.
func wordDiff(style term.Style, before, after string) string {
	var words []string
	for _, run := range text.Diff(term.Printable(before), term.Printable(after)) {
		// Inside a mark, a line break is white space.
		marked := strings.TrimSpace(strings.ReplaceAll(strings.Join(run.Words, " "), "\n", " "))
		switch run.Change {
		case text.Deleted:
			words = append(words, style.Red("[-"+marked+"-]"))
		case text.Inserted:
			words = append(words, style.Green("{+"+marked+"+}"))
		default:
			words = append(words, run.Words...)
		}
	}
	return oneLineBreak.Replace(strings.Join(words, " "))
}

// oneLineBreak keeps one of several line breaks behind each other.
var oneLineBreak = strings.NewReplacer(" \n ", "\n", "\n", "")
