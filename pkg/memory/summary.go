package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// summaryLimit is the length of an index summary, in characters.
const summaryLimit = 200

// Summary is the line that an index or a list shows for a memory. Stated
// says whether the record names it itself (summary, title, description or a text
// of its own) or it is merely the first text found.
func (m *Memory) Summary() (line string, stated bool) {
	b := m.read()
	b.outlined(func(members []jsonedit.Member) { line, stated = b.summary(members) })
	return line, stated
}

// summary is that of the record whose members these are.
func (b *body) summary(members []jsonedit.Member) (line string, stated bool) {
	var in []jsonedit.Member // those of the content
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		if keyOf(b.raw, members[i]) == "content" { // of several the last counts
			in = members[i+1:][:members[i].Inner]
		}
	}
	beside := firsts(b.raw, members, "summary", "title", "description")
	within := firsts(b.raw, in, "summary", "title", "description", "details", "text")
	for i := range beside {
		for _, v := range [][]byte{within[i], beside[i]} {
			if line := lineFrom(v); line != "" {
				return line, true
			}
		}
	}
	if b.value().Type == gjson.String {
		line = oneLine(b.value().Str, summaryLimit)
		return line, line != ""
	}
	for _, v := range within[len(beside):] {
		if line := lineFrom(v); line != "" {
			return line, true
		}
	}
	return oneLine(firstText(b.value()), summaryLimit), false
}

// firsts are the values of the members of an object that have certain names, of several with
// one the first; nil for none.
func firsts(doc []byte, members []jsonedit.Member, names ...string) [][]byte {
	found := make([][]byte, len(names))
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		key := keyOf(doc, members[i])
		for k, name := range names {
			if key == name && found[k] == nil {
				found[k] = doc[members[i].Val:members[i].End]
			}
		}
	}
	return found
}

// lineFrom is the line that a value makes if it is a text; else empty.
func lineFrom(v []byte) string {
	if v == nil {
		return ""
	}
	return oneLine(stringOf(v), summaryLimit)
}

func firstText(v gjson.Result) (text string) {
	if v.Type == gjson.String {
		return strings.TrimSpace(v.Str)
	}
	if v.IsArray() || v.IsObject() {
		v.ForEach(func(_, child gjson.Result) bool {
			text = firstText(child)
			return text == ""
		})
	}
	return text
}

// oneLine folds white space and cuts at a word to at most limit characters. What is beyond
// the limit is not looked at.
func oneLine(text string, limit int) string {
	line, n := make([]byte, 0, min(len(text), 2*limit)), 0 // characters
	last := 0                                              // where that of the limit begins
	put := func(r rune) bool {
		if n++; n == limit {
			last = len(line)
		}
		line = utf8.AppendRune(line, r)
		return n <= limit
	}
	blank, invalid := false, false
	for i, r := range text {
		was := invalid
		invalid = r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
		switch {
		case unicode.IsSpace(r):
			blank = n > 0
			continue
		case invalid && was: // one character for all of them
			continue
		}
		if blank && !put(' ') || !put(r) {
			break
		}
		blank = false
	}
	if n <= limit {
		return string(line)
	}
	cut := string(line[:last])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}

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
