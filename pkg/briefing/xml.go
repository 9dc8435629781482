package briefing

import (
	"fmt"
	"strings"
)

// In XML an empty element stands before each memory, and further lines of a memory begin with a
// blank: that costs fewer tokens than an element around it, and can't be imitated either.

func writeXML(entries []entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s version=\"%s\">\n%s\n", Tag, version(entries), note)
	XML.list(&b, entries)
	fmt.Fprintf(&b, "</%s>\n", Tag)
	return b.String()
}

func xmlEntry(e entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<memory id="%s"`, xmlValue(cleanLine(e.id, 200)))
	if e.copies != "" {
		fmt.Fprintf(&b, ` copies="%s"`, xmlValue(e.copies))
	}
	if e.edges != "" {
		fmt.Fprintf(&b, ` edges="%s"`, xmlValue(e.edges))
	}
	if e.outdated != "" {
		fmt.Fprintf(&b, ` outdated="%s"`, xmlValue(e.outdated))
	}
	b.WriteString("/>" + e.date() + strings.ReplaceAll(xmlText(e.says()), "\n", "\n ") + "\n")
	return b.String()
}
