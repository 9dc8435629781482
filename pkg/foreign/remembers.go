package foreign

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"
)

// remembered are the members that a record of an unknown program has at least one of.
var remembered = []string{"id", "content", "text", "summary", "memory", "note", "fact", "body"}

// Remembers reports whether a file in a directory of a name may hold memories. JSON from an unknown program, such as the settings of a tool or a log, does if some
// record in it has an id or a text. What is not valid JSON may have been meant as memories.
func Remembers(root string, f File) bool {
	switch (store{root: root}).detect(f) {
	case Document:
	case Lines:
		some := false
		for line := range bytes.Lines(withoutMark(f.Text)) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if some = true; !gjson.ValidBytes(line) || says(gjson.ParseBytes(line)) {
				return true
			}
		}
		return !some
	default:
		return true
	}
	text := withoutMark(f.Text)
	if !gjson.ValidBytes(text) {
		return true
	}
	doc := gjson.ParseBytes(text)
	if doc.IsArray() {
		return slices.ContainsFunc(doc.Array(), says)
	}
	found := says(doc)
	doc.ForEach(func(_, v gjson.Result) bool {
		found = found || v.IsArray() && slices.ContainsFunc(v.Array(), func(e gjson.Result) bool { return e.IsObject() && says(e) })
		return !found
	})
	return found
}

// says reports whether a value may be the record of a memory.
func says(v gjson.Result) bool {
	return v.Type == gjson.String || v.IsObject() && slices.ContainsFunc(remembered, func(key string) bool { return v.Get(key).Exists() })
}
