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
