package workspace

import (
	"strings"

	"github.com/tidwall/gjson"
)

// proseKeys are content fields whose names say nothing about what they hold.
var proseKeys = map[string]bool{
	"title": true, "summary": true, "description": true, "details": true, "text": true,
	"note": true, "notes": true, "body": true, "content": true, "message": true,
}

// Text is what a memory says, as one text: the strings, numbers and truth values
// of its content in the order of the file. Names of fields count, except those of
// plain prose ("summary", "details", …) and of list elements. A memory without
// content has the empty text.
func (m *Memory) Text() string {
	content := m.Content()
	if content.Type == gjson.String {
		return content.Str
	}
	var b strings.Builder
	writeText(&b, content)
	return b.String()
}

func writeText(b *strings.Builder, v gjson.Result) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			if child.Type == gjson.Null || child.IsObject() && child.Raw == "{}" || child.IsArray() && child.Raw == "[]" {
				return true
			}
			if !proseKeys[key.Str] {
				b.WriteString(key.Str)
				b.WriteString(": ")
			}
			writeText(b, child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			writeText(b, child)
			return true
		})
	case v.Type == gjson.String:
		b.WriteString(v.Str)
		b.WriteByte('\n')
	case v.Type != gjson.Null:
		b.WriteString(v.Raw)
		b.WriteByte('\n')
	}
}

// blank reports whether writeText writes white space at most.
func blank(v gjson.Result) bool {
	switch {
	case v.IsObject():
		empty := true
		v.ForEach(func(key, child gjson.Result) bool {
			if child.Type == gjson.Null || child.IsObject() && child.Raw == "{}" || child.IsArray() && child.Raw == "[]" {
				return true
			}
			empty = proseKeys[key.Str] && blank(child)
			return empty
		})
		return empty
	case v.IsArray():
		empty := true
		v.ForEach(func(_, child gjson.Result) bool {
			empty = blank(child)
			return empty
		})
		return empty
	case v.Type == gjson.String:
		return strings.TrimSpace(v.Str) == ""
	}
	return v.Type == gjson.Null
}
