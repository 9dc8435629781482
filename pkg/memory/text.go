package memory

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
func (m *Memory) Text() string { return m.read().text() }

func (b *body) text() string { return TextOf(b.value()) }

// TextOf is [Memory.Text] of a content, or of a part of one.
func TextOf(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	var text strings.Builder
	text.Grow(len(v.Raw)) // what is quoted and laid out is longer
	writeText(func(piece string) { text.WriteString(piece) }, v)
	return text.String()
}

func writeText(f func(string), v gjson.Result) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			writeField(f, key.Str, child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			writeText(f, child)
			return true
		})
	case v.Type == gjson.String:
		f(v.Str)
		f("\n")
	case v.Type != gjson.Null:
		f(v.Raw)
		f("\n")
	}
}

func writeField(f func(string), key string, v gjson.Result) {
	if v.Type == gjson.Null || v.IsObject() && v.Raw == "{}" || v.IsArray() && v.Raw == "[]" {
		return
	}
	writeKey(f, key)
	writeText(f, v)
}

func writeKey(f func(string), key string) {
	if !proseKeys[key] {
		f(key)
		f(": ")
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
