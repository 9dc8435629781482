package foreign

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// graph reports whether a text is a knowledge graph of the MCP reference server: its first line that says anything is an entity
// or a relation.
func graph(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return gjson.ValidBytes(line) && element(gjson.ParseBytes(line))
		}
	}
	return false
}

// element reports whether a value is an entity or a relation, by the members that the reference server reads.
func element(v gjson.Result) bool {
	text := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { return v.Get(k).Type != gjson.String })
	}
	switch v.Get("type").Str {
	case "entity":
		return text("name", "entityType") && v.Get("observations").IsArray()
	case "relation":
		return text("from", "to", "relationType")
	}
	return false
}

// lineFormat is the format of JSON lines by the first one that says anything.
func lineFormat(text []byte) Format {
	for line := range bytes.Lines(withoutMark(text)) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !gjson.ValidBytes(line) {
			return ""
		}
		v := gjson.ParseBytes(line)
		for i := range kinds {
			if k := &kinds[i]; k.list == "" && k.fits(v) {
				return k.format
			}
		}
		return ""
	}
	return ""
}

// withoutMark is a text without the mark of its byte order.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// readLines reads JSON lines. Empty lines stay in front of the next record.
func readLines(format Format, f File) (parts []part, misfits []Misfit) {
	text := string(f.Text)
	n, from, at := 0, 0, 0 // lines; where what is in front of the next record begins; where the line does
	var others unlike
	for raw := range strings.Lines(text) {
		n, at = n+1, at+len(raw)
		line := strings.Trim(raw, " \t\r\n")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line == "" {
			continue
		}
		head, tail, _ := strings.Cut(raw, line)
		p, err := readValue(format, "", line)
		if others.count(err) {
			continue
		}
		if err != nil {
			misfits = append(misfits, Misfit{fmt.Sprintf("%s:%d%s", f.Name, n, columnOf(err, len([]rune(head)))), err.Error(), true})
			from = at
			continue
		}
		p.Line = n
		p.Source.Before, p.Source.After, p.Source.Index = text[from:at-len(raw)]+head, tail, len(parts)
		parts, from = append(parts, p), at
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Source.After += text[from:]
	}
	for i := range parts {
		parts[i].Source.Of = len(parts)
	}
	return parts, append(misfits, others.told(f.Name)...)
}

// render writes content as its format would, if nothing else is known of it.
func render(format Format, content []byte) string {
	switch format.Base() {
	case Graph:
		compact := string(jsonedit.Compact(content))
		kind := "entity"
		if gjson.GetBytes(content, "relationType").Exists() {
			kind = "relation"
		}
		return `{"type":"` + kind + `",` + strings.TrimPrefix(compact, "{")
	case Lines, Document:
		return string(jsonedit.Compact(content))
	}
	return body(gjson.ParseBytes(content))
}

// graphText is an entity that says a text.
func graphText(text string) string {
	return `{"type":"entity","name":` + string(jsonedit.Quote(text)) + `,"entityType":"semantic","observations":[]}`
}

// joinLines makes JSON lines: one to an entry, whatever layout it has.
func joinLines(format Format, all []*entry) []byte {
	var b bytes.Buffer
	for _, e := range all {
		if n := b.Len(); n > 0 && b.Bytes()[n-1] != '\n' {
			b.WriteByte('\n')
		}
		switch {
		case e.from != nil:
			b.WriteString(e.from.Before + e.text + e.from.After)
		case format == Graph: // the reference server ends its file without a newline
			b.WriteString(e.text)
		default:
			b.WriteString(e.text + "\n")
		}
	}
	return b.Bytes()
}
