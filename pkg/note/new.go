package note

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	words "github.com/memoryd/memoryd/pkg/text"
)

// Word is the host's word for the kind of a memory: its own where that is one, else the one that is nearest to our type.
func Word(kind, word string) string {
	switch word = strings.ToLower(word); {
	case layout.HostType(word):
		return word
	case kind == "procedural":
		return "feedback"
	}
	return "project"
}

// Kind is our type for a host's word.
func Kind(word string) string {
	if word == "feedback" {
		return "procedural"
	}
	return "factual"
}

// nameMost is how many characters the name of a new note has at most that nobody named.
const nameMost = 60

// New is a note in the host's form, and its name, for a record that somebody saves. Everything that the record says stands in the text
// below the front matter. Nested tells that the type stands below "metadata:".
func New(record []byte, nested bool) (text []byte, title string) {
	r := gjson.ParseBytes(record)
	says := saidBy(r.Get("content"))
	summary := strings.Join(strings.Fields(cmp.Or(says.summary, firstSentence(strings.TrimSpace(says.details)))), " ")
	title = strings.Join(strings.Fields(cmp.Or(says.title, strings.TrimRight(words.TruncateWords(summary, nameMost), "."))), " ")
	var b bytes.Buffer
	b.WriteString("---\n")
	write := func(key, value string) { b.WriteString(key + ": " + mdedit.Quoted(value) + "\n") }
	write("name", title)
	write("description", summary)
	if nested {
		b.WriteString("metadata:\n  ")
	}
	write("type", Word(r.Get("type").String(), r.Get("subtype").String()))
	b.WriteString("---\n\n" + strings.Trim(says.details, "\r\n") + "\n")
	return b.Bytes(), title
}

// Text is the text below the front matter of the note that is made of a record, without blank lines around it.
func Text(record []byte) string {
	return strings.TrimSpace(saidBy(gjson.GetBytes(record, "content")).details)
}

// said is a content as a note says it.
type said struct{ title, summary, details string }

// saidBy is a content as a note says it: what has no place of its own is in the text. A summary alone is the text, too.
func saidBy(content gjson.Result) (s said) {
	if content.Type == gjson.String {
		return said{details: content.Str, summary: firstSentence(strings.TrimSpace(content.Str))}
	}
	s = said{content.Get("title").String(), content.Get("summary").String(), content.Get("details").String()}
	if s.details == "" {
		s.details = s.summary
	}
	content.ForEach(func(key, v gjson.Result) bool {
		if !slices.Contains([]string{"title", "summary", "details"}, key.Str) && v.Type != gjson.Null {
			s.details = strings.TrimRight(s.details, "\n") + "\n\n## " + key.Str + "\n\n" + written(v)
		}
		return true
	})
	s.details = strings.TrimLeft(s.details, "\n")
	return s
}

// written is a value as Markdown: text, a list of texts, or JSON as code.
func written(v gjson.Result) string {
	if v.IsArray() && !slices.ContainsFunc(v.Array(), func(e gjson.Result) bool { return e.Type == gjson.JSON }) {
		var b strings.Builder
		for _, e := range v.Array() {
			b.WriteString("- " + strings.ReplaceAll(e.String(), "\n", "\n  ") + "\n")
		}
		return b.String()
	}
	if v.Type == gjson.JSON {
		return "```json\n" + v.Raw + "\n```\n"
	}
	return v.String() + "\n"
}

// Keep is the line of a note that was made of a record, with what the note has no place for.
func (f *Folder) Keep(line Line, data, record []byte) (Line, error) {
	made, err := f.Record(line, data)
	if err != nil {
		return line, err
	}
	was := gjson.ParseBytes(made)
	for key, v := range gjson.ParseBytes(record).Map() {
		if v.Type == gjson.Null || slices.Contains([]string{"id", "content", "created_at", "updated_at"}, key) || was.Get(gjson.Escape(key)).Raw == v.Raw ||
			key == "access_count" && v.Int() == 0 || key == "priority" && v.Str == "medium" {
			continue
		}
		if line.Fields == nil {
			line.Fields = map[string]json.RawMessage{}
		}
		line.Fields[key] = json.RawMessage(v.Raw)
	}
	return line, nil
}

// NewName is the name of a new note: by its title, in the form that the names of the others have. A name that is taken gets a number.
func NewName(names []string, word, title string) string {
	typed := 0
	for _, name := range names {
		if first, _, ok := strings.Cut(path.Base(name), "_"); ok && layout.HostType(first) {
			typed++
		}
	}
	dash := "-"
	if 2*typed > len(names) {
		dash = "_"
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	stem := ""
	for _, w := range words {
		if len(stem)+len(w) > 50 {
			break
		}
		stem = strings.TrimPrefix(stem+dash+w, dash)
	}
	stem = cmp.Or(stem, "note")
	if dash == "_" && word != "" {
		stem = word + dash + stem
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name) })
	}
	name := stem + ".md"
	for n := 2; taken(name) || layout.Instructions(strings.ToUpper(stem)+".md") || strings.EqualFold(name, "MEMORY.md"); n++ {
		name = fmt.Sprint(stem, dash, n, ".md")
		if !taken(name) {
			break
		}
	}
	return name
}
