package foreign

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
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

// readLines reads JSON lines. Empty lines stay in front of the next record.
func readLines(format Format, f File) (parts []part, misfits []Misfit) {
	text := string(f.Text)
	n, from, at := 0, 0, 0 // lines; where what stands in front of the next record begins; where the line does
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
		place := fmt.Sprintf("%s:%d", f.Name, n)
		p, what := readValue(format, line)
		if what != "" {
			misfits = append(misfits, Misfit{place, what, true})
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
	return parts, misfits
}

// lifted are the members of an object that tell about a note and don't belong to what it says.
var lifted = []string{
	"id", "type", "tags", "created_at", "createdAt", "updated_at", "updatedAt", "modified", "modified_at", "timestamp", "date", "last_accessed",
}

// lifts are those of a format.
func lifts(format Format) []string {
	if format == Graph {
		return lifted[1:2]
	}
	return lifted
}

// readValue reads one JSON value of a list; what says why it can't be a memory.
func readValue(format Format, raw string) (p part, what string) {
	if jsonedit.Check([]byte(raw)) != nil {
		return p, "not valid JSON"
	}
	v := gjson.Parse(raw)
	p.Type, p.Source.Raw = memory.Semantic, raw
	switch {
	case format == Graph && !element(v):
		return p, "neither an entity nor a relation"
	case v.Type == gjson.String:
		if strings.TrimSpace(v.Str) == "" {
			return p, "says nothing"
		}
		p.Content, p.key = []byte(raw), string(memory.DigestOf([]byte(raw)))
		return p, ""
	case !v.IsObject():
		return p, "neither an object nor a text"
	}
	if dup := jsonedit.DuplicateKeys([]byte(raw)); len(dup) > 0 {
		return p, "the key " + dup[0] + " stands twice"
	}
	if format != Graph && own(v) {
		p.Own, p.ID = []byte(raw), v.Get("id").Str
		return p, ""
	}
	content := jsonedit.Compact([]byte(raw))
	for _, key := range lifts(format) {
		if _, ok := jsonedit.Get(content, key); ok {
			var err error
			if content, err = jsonedit.Apply(content, jsonedit.Delete(key)); err != nil {
				return p, err.Error()
			}
		}
	}
	if p.Content = content; string(content) == "{}" {
		return p, "says nothing"
	}
	if format == Graph {
		p.Subtype = v.Get("type").Str
		p.key = strings.Join([]string{p.Subtype, v.Get("name").Str, v.Get("from").Str, v.Get("relationType").Str, v.Get("to").Str}, "\x00")
		return p, ""
	}
	if t := v.Get("type").Str; slices.Contains(types, t) {
		p.Type = t
	}
	for _, t := range v.Get("tags").Array() {
		if t.Type == gjson.String && strings.TrimSpace(t.Str) != "" {
			p.Tags = append(p.Tags, t.Str)
		}
	}
	told := func(key string) string { return jsonedit.Text(v.Get(key)) }
	p.date(told, []string{"created_at", "createdAt", "timestamp", "date"}, []string{"updated_at", "updatedAt", "modified", "modified_at"})
	if p.key = v.Get("id").String(); p.key == "" {
		p.key = string(memory.DigestOf([]byte(raw)))
	}
	return p, ""
}

// types are those that the rules know.
var types = []string{memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic, memory.Working}

// own reports whether a value is a record of a workspace, written out as it is.
func own(v gjson.Result) bool {
	return v.Get("id").Type == gjson.String && v.Get("id").Str != "" && v.Get("type").Type == gjson.String && v.Get("content").Exists() &&
		v.Get("scope").Type == gjson.String && v.Get("created_by").Type == gjson.String
}

// date reads the times of a record: of each list of fields the first that can be read; each may also have _iso or _epoch behind its name.
// What is told and can't be read is noted.
func (p *part) date(told func(key string) string, created, updated []string) {
	first := func(keys []string) (at time.Time) {
		for _, k := range keys {
			for _, form := range []string{"", "_iso", "_epoch"} {
				text := strings.TrimSpace(told(k + form))
				if at = timestamp.Parse(text); !at.IsZero() {
					return at
				}
				if text != "" {
					p.Undated = append(p.Undated, fmt.Sprintf("%s %.100q", k+form, text))
				}
			}
		}
		return at
	}
	p.CreatedAt, p.UpdatedAt = first(created), first(updated)
}

// render writes content as its format would, if nothing else is known of it.
func render(format Format, content []byte) string {
	switch format {
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

// rebuilt is an imported value with what was edited of it: the members that differ.
func rebuilt(format Format, raw string, content []byte, tags []string) (text, lost string) {
	is := gjson.ParseBytes(content)
	was := gjson.Parse(raw)
	if raw == "" || !is.IsObject() || !was.IsObject() {
		switch {
		case format != Graph:
			if len(tags) > 0 {
				lost = "tags"
			}
			return render(format, content), lost
		case element(gjson.Parse(render(format, content))):
			return render(format, content), ""
		}
		return graphText(is.String()), "no entity any more: written as one"
	}
	had := map[string]string{}
	was.ForEach(func(k, v gjson.Result) bool { had[k.String()] = string(jsonedit.Compact([]byte(v.Raw))); return true })
	has := map[string]bool{}
	var edits []jsonedit.Edit
	is.ForEach(func(k, v gjson.Result) bool {
		key := k.String()
		if has[key] = true; had[key] != string(jsonedit.Compact([]byte(v.Raw))) {
			edits = append(edits, jsonedit.Set([]byte(v.Raw), key))
		}
		return true
	})
	was.ForEach(func(k, _ gjson.Result) bool {
		if !has[k.String()] && !slices.Contains(lifts(format), k.String()) {
			edits = append(edits, jsonedit.Delete(k.String()))
		}
		return true
	})
	if value := jsonedit.Strings(tags); format != Graph && (had["tags"] != "" || len(tags) > 0) && had["tags"] != string(jsonedit.Compact(value)) {
		edits = append(edits, jsonedit.Set(value, "tags"))
	}
	doc, err := jsonedit.Apply([]byte(raw), edits...)
	if err != nil {
		return render(format, content), "what was imported can't be edited, and is written anew: " + err.Error()
	}
	return string(doc), ""
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
