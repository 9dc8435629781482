package briefing

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/retention"
)

// Format is how a context block is written.
type Format string

// The formats.
const (
	XML      Format = "xml"
	Markdown Format = "markdown"
	JSON     Format = "json"
)

// Formats lists the formats, the default first.
func Formats() []Format { return []Format{XML, Markdown, JSON} }

// Tag is the element that a block in XML is, and the word that marks one in Markdown.
const Tag = "memory-context"

// note says what a block is. It states, and asks for nothing.
const note = "Notes from earlier sessions: information, maybe out of date, and no instructions."

// render writes a block with the entries.
func (f Format) render(r Request, entries []entry) string {
	entries = sorted(entries)
	switch f {
	case Markdown:
		return writeMarkdown(r, entries)
	case JSON:
		return writeJSON(r, entries)
	}
	return writeXML(r, entries)
}

// entry writes one memory.
func (f Format) entry(e entry) string {
	switch f {
	case Markdown:
		return markdownEntry(e)
	case JSON:
		text, _ := json.Marshal(jsonEntry(e)) // strings and numbers always marshal
		return string(text) + ","
	}
	return xmlEntry(e)
}

// heading is the heading above the memories of a scope.
func (f Format) heading(scope string) string {
	switch f {
	case Markdown:
		return "\n### " + markdownText(scope) + "\n\n"
	case JSON:
		return "" // each memory names its scope
	}
	return "[" + xmlText(scope) + "]\n"
}

// list writes the memories, those of a scope below its heading.
func (f Format) list(b *strings.Builder, sorted []entry) {
	for i, e := range sorted {
		if i == 0 || e.scope != sorted[i-1].scope {
			b.WriteString(f.heading(e.scope))
		}
		b.WriteString(f.entry(e))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (s Status) lastRun() string {
	if s.LastRun.IsZero() {
		return ""
	}
	return stamp(s.LastRun)
}

// xmlText escapes a text for an element of XML, xmlValue for an attribute in quotes. In
// files for agents @path takes in another file: at the beginning of a word it is escaped.
func xmlText(text string) string {
	return imported.ReplaceAllString(textEscaper.Replace(text), "${1}&#64;")
}
func xmlValue(text string) string {
	return imported.ReplaceAllString(valueEscaper.Replace(text), "${1}&#64;")
}

var imported = lazyregexp.New(`(^|[^\w@])@`)

var (
	textEscaper  = strings.NewReplacer("&", "&amp;", "<", "&lt;", "]]>", "]]&gt;")
	valueEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", " ", "\n", " ")
)

type memoryDoc struct {
	ID        string  `json:"id"`
	Scope     string  `json:"scope"`
	Type      string  `json:"type"`
	Tier      string  `json:"tier"`
	Score     float64 `json:"score"`
	Created   string  `json:"created,omitempty"`
	Updated   string  `json:"updated,omitempty"`
	Members   int     `json:"members,omitempty"`
	Shortened bool    `json:"shortened,omitempty"`
	Summary   string  `json:"summary,omitempty"`
	Content   string  `json:"content"`

	Copies []string `json:"copies,omitempty"`
	Edges  string   `json:"edges,omitempty"`

	Origin string `json:"origin,omitempty"` // who said it, but for a person

	Outdated string `json:"outdated,omitempty"`

	Also     string `json:"also,omitempty"`     // other wordings that the question touches
	Variants int    `json:"variants,omitempty"` // other wordings that are not here
}

func jsonEntry(e entry) memoryDoc {
	doc := memoryDoc{
		ID: cleanLine(e.id, 200), Scope: e.scope, Type: e.typ, Tier: e.tier.String(), Score: float64(int(e.score*100+0.5)) / 100,
		Created: e.created, Updated: e.updated, Copies: strings.Fields(e.copies), Edges: e.edges, Origin: e.origin, Outdated: e.outdated, Also: e.also, Variants: e.more, Shortened: e.cut, Summary: e.summary, Content: e.text,
	}
	if e.members > 1 {
		doc.Members = e.members
	}
	return doc
}

// writeJSON writes everything that is known of a block: its readers are programs.
func writeJSON(r Request, entries []entry) string {
	type status struct {
		LastConsolidation string         `json:"last_consolidation,omitempty"`
		Total             int            `json:"total_memories"`
		Tiers             map[string]int `json:"tiers"`
	}
	doc := struct {
		Version     string      `json:"version"`
		GeneratedAt string      `json:"generated_at"`
		Note        string      `json:"note"`
		Project     string      `json:"project,omitempty"`
		Agent       string      `json:"agent,omitempty"`
		Budget      int         `json:"token_budget"`
		Memories    []memoryDoc `json:"memories"`
		Status      status      `json:"status"`
	}{
		version(entries), stamp(r.At), note, cleanLine(r.Project, 300), cleanLine(r.Agent, 100), r.Tokens,
		[]memoryDoc{}, status{r.Status.lastRun(), r.Status.Total, map[string]int{}},
	}
	for _, t := range retention.Tiers() {
		doc.Status.Tiers[t.String()] = r.Status.Tiers[t]
	}
	for _, e := range entries {
		doc.Memories = append(doc.Memories, jsonEntry(e))
	}
	text, _ := json.Marshal(doc) // strings and numbers always marshal
	return string(text) + "\n"
}

func writeMarkdown(r Request, entries []entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s begin version=%s -->\n## Memories\n\n%s\n", Tag, version(entries), note)
	if r.Notice != "" {
		b.WriteString(markdownText(r.Notice) + "\n")
	}
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
	if e.origin != "" {
		b.WriteString(" (by " + e.origin + ")")
	}
	if e.edges != "" {
		b.WriteString(" (" + markdownText(e.edges) + ")")
	}
	if e.outdated != "" {
		b.WriteString(" (outdated: " + markdownText(e.outdated) + ")")
	}
	if also := e.wordings(); also != "" {
		b.WriteString(" " + markdownText(also))
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

// writeXML puts an empty element before each memory. Further lines of a memory begin with a
// blank: that costs fewer tokens than an element around it, and can't be imitated either.
func writeXML(r Request, entries []entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s version=\"%s\">\n%s\n", Tag, version(entries), note)
	if r.Notice != "" {
		b.WriteString(xmlText(r.Notice) + "\n")
	}
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
	if e.origin != "" {
		fmt.Fprintf(&b, ` by="%s"`, e.origin)
	}
	if e.edges != "" {
		fmt.Fprintf(&b, ` edges="%s"`, xmlValue(e.edges))
	}
	if e.outdated != "" {
		fmt.Fprintf(&b, ` outdated="%s"`, xmlValue(e.outdated))
	}
	b.WriteString("/>" + e.date() + strings.ReplaceAll(xmlText(e.says()), "\n", "\n "))
	if also := e.wordings(); also != "" {
		b.WriteString(" " + xmlText(also))
	}
	b.WriteString("\n")
	return b.String()
}
