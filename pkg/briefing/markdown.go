package briefing

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/retention"
)

func writeMarkdown(r Request, entries []entry, used int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s begin version=%s generated-at=%s -->\n", Tag, version(entries), stamp(r.At))
	b.WriteString("## Memories\n\n" + note + "\n\n")
	if r.Project != "" {
		fmt.Fprintf(&b, "Project: %s\n\n", markdownText(cleanLine(r.Project, 300)))
	}
	memories, sums := split(entries)
	for _, group := range groups(memories) {
		b.WriteString("### " + markdownText(group[0].group) + "\n\n")
		for _, e := range group {
			b.WriteString(markdownEntry(e))
		}
		b.WriteString("\n")
	}
	if len(sums) > 0 {
		b.WriteString("### " + summaries + "\n\n")
		for _, e := range sums {
			b.WriteString(markdownEntry(e))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %d tokens; %d memories in all", used, r.Tokens, r.Status.Total)
	for _, t := range retention.Tiers() {
		fmt.Fprintf(&b, ", %d %s", r.Status.tier(t), t)
	}
	if last := r.Status.lastRun(); last != "" {
		b.WriteString("; consolidated " + last)
	}
	fmt.Fprintf(&b, ".\n<!-- %s end -->\n", Tag)
	return b.String()
}

func markdownEntry(e entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- `%s` (%s, %s", codeText(cleanLine(e.id, 200)), e.tier, scored(e.score))
	if e.created != "" {
		b.WriteString(", " + e.created)
	}
	if e.updated != "" {
		b.WriteString(", updated " + e.updated)
	}
	if e.members > 1 {
		fmt.Fprintf(&b, ", of %d", e.members)
	}
	if e.copies != "" {
		fmt.Fprintf(&b, ", also `%s`", codeText(e.copies))
	}
	b.WriteString(")")
	if e.summary != "" {
		b.WriteString(" **" + markdownText(e.summary) + "**")
	}
	b.WriteString(" " + markdownText(e.text) + "\n")
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
