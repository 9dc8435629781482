package briefing

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/retention"
)

func writeXML(r Request, entries []entry, used int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s version=\"%s\" generated-at=\"%s\">\n", Tag, version(entries), stamp(r.At))
	fmt.Fprintf(&b, "  <note>%s</note>\n", note)
	if r.Project != "" || r.Agent != "" {
		b.WriteString("  <project")
		attribute(&b, "path", cleanLine(r.Project, 300))
		attribute(&b, "agent", cleanLine(r.Agent, 100))
		b.WriteString("/>\n")
	}
	fmt.Fprintf(&b, "  <token-budget used=\"%d\" available=\"%d\"/>\n", used, r.Tokens)
	memories, sums := split(entries)
	fmt.Fprintf(&b, "  <memories count=\"%d\">\n", len(memories))
	for _, group := range groups(memories) {
		fmt.Fprintf(&b, "    <memory-group type=\"%s\" count=\"%d\">\n", xmlValue(group[0].group), len(group))
		for _, e := range group {
			b.WriteString(xmlEntry(e))
		}
		b.WriteString("    </memory-group>\n")
	}
	b.WriteString("  </memories>\n")
	if len(sums) > 0 {
		fmt.Fprintf(&b, "  <summaries count=\"%d\">\n", len(sums))
		for _, e := range sums {
			b.WriteString(xmlEntry(e))
		}
		b.WriteString("  </summaries>\n")
	}
	b.WriteString("  <status>\n")
	if last := r.Status.lastRun(); last != "" {
		fmt.Fprintf(&b, "    <last-consolidation>%s</last-consolidation>\n", last)
	}
	fmt.Fprintf(&b, "    <total-memories>%d</total-memories>\n    <tier-distribution", r.Status.Total)
	for _, t := range retention.Tiers() {
		attribute(&b, t.String(), fmt.Sprint(r.Status.tier(t)))
	}
	fmt.Fprintf(&b, "/>\n  </status>\n</%s>\n", Tag)
	return b.String()
}

// attribute writes an attribute, unless it is empty.
func attribute(b *strings.Builder, name, value string) {
	if value != "" {
		fmt.Fprintf(b, ` %s="%s"`, name, xmlValue(value))
	}
}

func xmlEntry(e entry) string {
	var b strings.Builder
	name := "memory"
	if e.group == summaries {
		name = "memory-summary"
	}
	b.WriteString("      <" + name)
	attribute(&b, "id", cleanLine(e.id, 200))
	attribute(&b, "tier", e.tier.String())
	attribute(&b, "score", scored(e.score))
	attribute(&b, "created", e.created)
	attribute(&b, "updated", e.updated)
	if e.members > 1 {
		attribute(&b, "members", fmt.Sprint(e.members))
	}
	attribute(&b, "copies", e.copies)
	if e.cut {
		attribute(&b, "shortened", "true")
	}
	b.WriteString(">")
	if e.summary != "" {
		b.WriteString("<summary>" + xmlText(e.summary) + "</summary>")
	}
	fmt.Fprintf(&b, "<content>%s</content></%s>\n", xmlText(e.text), name)
	return b.String()
}
