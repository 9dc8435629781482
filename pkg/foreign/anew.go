package foreign

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// anew writes a memory that was not imported, and lists what the format has no place for.
func anew(format Format, m *memory.Memory) (text, lost string) {
	record := gjson.ParseBytes(m.Raw())
	switch format {
	case Lines, Document:
		return string(jsonedit.Compact(Whole(m))), ""
	case Graph:
		return graphOf(m, record)
	case Tool:
		return withNewline(strings.Join(texts(m), "\n\n")), left(record, m)
	}
	var b strings.Builder
	b.WriteString("---\n")
	put := func(key string, value []byte) { b.WriteString(key + ": " + string(value) + "\n") }
	title := or(m.Content().Get("title").String(), m.Title())
	if format == Claude {
		put("name", jsonedit.Quote(oneLine(or(title, m.ID))))
		line, _ := m.Summary()
		if full := m.Content().Get("summary").String(); slices.Contains(texts(m), strings.TrimSpace(full)) {
			line = full // it is said nowhere else
		}
		put("description", jsonedit.Quote(oneLine(line)))
		put("type", []byte(claudeType(m)))
	} else {
		if title != "" {
			put("title", jsonedit.Quote(title))
		}
		if s := m.Content().Get("summary").String(); s != "" {
			put("summary", jsonedit.Quote(s))
		}
		put("type", jsonedit.Quote(m.Type))
	}
	if len(m.Tags) > 0 {
		put("tags", jsonedit.Strings(m.Tags))
	}
	if !m.CreatedAt.IsZero() {
		put("created_at", []byte(timestamp.Format(m.CreatedAt)))
	}
	if !m.UpdatedAt.IsZero() {
		key := "updated_at"
		if format == Claude {
			key = "modified"
		}
		put(key, []byte(timestamp.Format(m.UpdatedAt)))
	}
	b.WriteString("---\n\n" + withNewline(prose(m)))
	return b.String(), left(record, m, "type", "tags", "created_at", "updated_at")
}

// Whole is the complete record of a memory: with its scope where the record leaves that to its place.
func Whole(m *memory.Memory) []byte {
	raw := m.Raw()
	edits := scopeEdits(m, gjson.ParseBytes(raw))
	if len(edits) == 0 {
		return raw
	}
	whole, err := jsonedit.Apply(raw, edits...)
	if err != nil { // a record with a member twice
		return raw
	}
	return whole
}

// scopeEdits are what a record lacks of its scope.
func scopeEdits(m *memory.Memory, record gjson.Result) (edits []jsonedit.Edit) {
	if strings.TrimSpace(record.Get("scope").Str) == "" {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(m.Scope.Kind), "scope"))
	}
	if m.Scope.ID != "" && record.Get("scope_id").Str == "" {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(m.Scope.ID), "scope_id"))
	}
	return edits
}

// claudeType is the type of an auto memory for one of ours.
func claudeType(m *memory.Memory) string {
	switch {
	case to(claudeTypes, m.Subtype) != "":
		return m.Subtype
	case m.Type == memory.Procedural:
		return "feedback"
	}
	return "project"
}

// prose is what a memory says as a text for people: its details where it has any, else all its texts.
func prose(m *memory.Memory) string {
	c := m.Content()
	if c.Type == gjson.String {
		return c.Str
	}
	if d := c.Get("details"); d.Type == gjson.String && strings.TrimSpace(d.Str) != "" {
		return d.Str
	}
	return m.Text()
}

// texts is all that a memory says for people, where there is no front matter: title and
// summary before the details, unless these say the same.
func texts(m *memory.Memory) (all []string) {
	text := strings.TrimRight(prose(m), "\r\n")
	if d := m.Content().Get("details"); d.Type == gjson.String {
		for _, t := range []string{or(m.Content().Get("title").String(), m.Title()), m.Content().Get("summary").String()} {
			if t = strings.TrimSpace(t); t != "" && !strings.Contains(text, strings.TrimSuffix(t, "…")) && !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	} else if t := strings.TrimSpace(m.Title()); t != "" && !strings.Contains(text, t) {
		all = append(all, t)
	}
	return append(all, text)
}

func withNewline(text string) string { return strings.TrimRight(text, "\r\n") + "\n" }

// left lists the fields of a record that have no place besides those named. What memoryd counts and sets by itself is not told.
func left(record gjson.Result, m *memory.Memory, named ...string) string {
	var lost []string
	record.ForEach(func(k, v gjson.Result) bool {
		switch key := k.String(); {
		case slices.Contains([]string{"id", "created_by", "last_accessed", "access_count", "scope_id", "origin", Key}, key),
			key == "title", slices.Contains(named, key),
			v.Type == gjson.Null, v.Type == gjson.String && v.Str == "", v.IsArray() && v.Get("#").Int() == 0,
			key == "priority" && v.Str == "medium", key == "scope" && v.Str == memory.Global.Kind:
		case key == "content":
			v.ForEach(func(k, member gjson.Result) bool {
				if v.IsObject() && (member.Type != gjson.String || !slices.Contains([]string{"title", "summary", "details"}, k.String())) {
					lost = append(lost, "the structure of its content")
					return false
				}
				return v.IsObject()
			})
		default:
			lost = append(lost, key)
		}
		return true
	})
	if m.Scope != memory.Global && strings.TrimSpace(record.Get("scope").Str) == "" {
		lost = append(lost, "scope")
	}
	if s := SourceOf(m); s != nil {
		if readFront(strings.TrimPrefix(s.Before, "\ufeff")).length > 0 {
			lost = append(lost, "the rest of its front matter")
		}
	}
	return strings.Join(lost, ", ")
}

// graphOf makes an entity of a memory: named by its id, its texts the observations. What has the members of an entity or a
// relation is written as that.
func graphOf(m *memory.Memory, record gjson.Result) (text, lost string) {
	lost = left(record, m, "type")
	if c := m.Content(); c.IsObject() {
		if t := render(Graph, []byte(c.Raw)); jsonedit.Check([]byte(t)) == nil && element(gjson.Parse(t)) {
			return t, strings.TrimPrefix(strings.ReplaceAll(lost, "the structure of its content", ""), ", ")
		}
	}
	return `{"type":"entity","name":` + string(jsonedit.Quote(m.ID)) + `,"entityType":` + string(jsonedit.Quote(or(m.Type, memory.Semantic))) +
		`,"observations":` + string(jsonedit.Strings(texts(m))) + `}`, lost
}
