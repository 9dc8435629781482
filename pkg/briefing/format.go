package briefing

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
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
		return writeMarkdown(entries)
	case JSON:
		return writeJSON(r, entries)
	}
	return writeXML(entries)
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

// heading writes what stands above the memories of a scope.
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
