package briefing

import (
	"fmt"
	"strings"
)

func writeMarkdown(entries []entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s begin version=%s -->\n## Memories\n\n%s\n", Tag, version(entries), note)
	Markdown.list(&b, entries)
	fmt.Fprintf(&b, "<!-- %s end -->\n", Tag)
	return b.String()
}

func markdownEntry(e entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- `%s`", codeText(cleanLine(e.id, 200)))
	if e.copies != "" {
		fmt.Fprintf(&b, " (also `%s`)", codeText(e.copies))
	}
	b.WriteString(" " + e.date() + markdownText(e.says()))
	if e.edges != "" {
		b.WriteString(" (" + markdownText(e.edges) + ")")
	}
	if e.outdated != "" {
		b.WriteString(" (outdated: " + markdownText(e.outdated) + ")")
	}
	b.WriteString("\n")
	return b.String()
}

// markdownText escapes a text of one line: it begins no block, holds no markup, and is
// no comment of HTML, and takes in no file.
func markdownText(text string) string {
	return imported.ReplaceAllString(markdownEscaper.Replace(strings.Join(strings.Fields(text), " ")), `${1}\@`)
}

var markdownEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "[", `\[`, "]", `\]`)

// codeText is what may stand between backticks.
func codeText(text string) string {
	return imported.ReplaceAllString(strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(text), "${1}＠")
}
