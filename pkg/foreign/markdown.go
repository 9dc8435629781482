package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// indexFile is the index of Claude Code's auto memory.
const indexFile = "MEMORY.md"

// claudeTypes are the types of Claude Code's auto memory, and ours for them.
var claudeTypes = []pair{
	{"user", memory.Factual}, {"feedback", memory.Procedural}, {"project", memory.Factual}, {"reference", memory.Factual},
}

// readText reads a file of text as one memory: front matter and blank lines stand in front of what it says.
func readText(format Format, f File) ([]part, []Misfit) {
	text := string(f.Text)
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	var front frontMatter
	if format != Tool {
		front = readFront(text[start:])
		start += front.length
	}
	rest := strings.TrimLeft(text[start:], " \t\r\n")
	// Blanks in front of the first line that says something may mean something: code, an item of a list.
	if lines := text[start : len(text)-len(rest)]; !strings.HasSuffix(lines, "\n") {
		rest = lines[strings.LastIndexByte(lines, '\n')+1:] + rest
	}
	said := strings.TrimRight(rest, " \t\r\n")
	p := part{Record: Record{Type: memory.Semantic}}
	p.Source.Raw, p.Source.Of = said, 1
	p.Source.Before, p.Source.After = text[:len(text)-len(rest)], rest[len(said):]
	misfits := front.told(f.Name)
	content := struct {
		Title   string `json:"title,omitempty"`
		Summary string `json:"summary,omitempty"`
		Details string `json:"details,omitempty"`
	}{front.value("title", "name"), front.value("summary", "description"), said}
	if strings.TrimSpace(said) == "" && content.Summary == "" {
		return nil, append(misfits, Misfit{f.Name, "says nothing", true})
	}
	if word := front.value("type"); !p.kindOfText(format, f.Name, word) {
		delete(front.used, "type")
	}
	p.Tags = front.tags()
	if format.Base() == Markdown {
		p.note(format, front, f.Name, said)
	}
	p.Author = author(func(key string) string { return front.value(key) }, authorFields)
	p.date(func(key string) string { return front.value(key) }, []string{"created_at", "created", "date"}, []string{"updated_at", "updated", "modified"})
	p.Content = encode(content)
	p.keep(&front)
	return []part{p}, misfits
}

// keep gives the members of front matter that were not read yet their places in the memory: under their names where it has such members, else
// among its metadata.
func (p *part) keep(front *frontMatter) {
	var rest []byte
	seen := map[string]bool{}
	for _, within := range []bool{false, true} {
		for _, m := range front.members {
			if m.within != within {
				continue
			}
			if !seen[m.key] && front.used[m.key] {
				seen[m.key] = true
				continue
			}
			v := gjson.ParseBytes(m.value)
			switch {
			case p.place(m.key, v, Metadata):
			case seen[m.key]:
				p.notes = append(p.notes, fmt.Sprintf("%s stands in the front matter and in its %s: left out is %s", m.key, Metadata, excerpt(v.Raw)))
			default:
				seen[m.key] = true
				rest = append(rest, member(m.key, v.Raw)...)
			}
		}
	}
	if rest != nil {
		p.Fields = append(p.Fields, Field{Metadata, append(append([]byte{'{'}, bytes.TrimSuffix(rest, []byte{','})...), '}')})
	}
}

// kindOfText gives a text a type, by the word that its front matter has for it, and reports whether that is told.
func (p *part) kindOfText(format Format, file, word string) bool {
	switch {
	case slices.Contains(types, word):
		p.Type = word
	case format == Claude && to(claudeTypes, word) != "":
		p.Type, p.Subtype = to(claudeTypes, word), word
	case format == Claude && file == indexFile:
		p.Subtype = "index"
		return false
	default:
		p.Subtype = word
	}
	return true
}

// encode writes JSON as people read it.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // texts and times always encode
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// body is what a file says of a memory's content.
func body(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	return content.Get("details").String()
}

// frontLost reports what was edited of an imported file that the file as it is written would not give back.
func frontLost(e *entry, text string) (lost []string) {
	again, _ := readText(e.from.Format, File{e.from.File, []byte(e.from.Before + text + e.from.After)})
	var written gjson.Result
	var tags []string
	for _, p := range again {
		written, tags = gjson.ParseBytes(p.Content), p.Tags
	}
	if !slices.Equal(e.Tags, tags) {
		lost = append(lost, "tags")
	}
	content := e.Content()
	for _, key := range []string{"title", "summary"} {
		if content.Get(key).String() != written.Get(key).String() {
			lost = append(lost, key)
		}
	}
	content.ForEach(func(k, _ gjson.Result) bool {
		if !slices.Contains([]string{"title", "summary", "details"}, k.String()) {
			lost = append(lost, "content."+k.String())
		}
		return content.IsObject()
	})
	return lost
}

// indexed brings the index of an auto memory along: files that it doesn't name get a line at its end.
func indexed(files []File, of map[string][]*entry) ([]File, []Misfit) {
	at := slices.IndexFunc(files, func(f File) bool { return f.Name == indexFile })
	index := ""
	if at >= 0 {
		index = string(files[at].Text)
	}
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(index, func(r rune) bool { return strings.ContainsRune(" \t\r\n()[]<>`\"'", r) }) {
		named[strings.TrimPrefix(word, "./")] = true
	}
	var lines strings.Builder
	var fresh []*entry
	names := map[*entry]string{}
	for _, f := range files {
		if f.Name == indexFile || of[f.Name][0].from != nil || named[f.Name] {
			continue
		}
		fresh = append(fresh, of[f.Name][0])
		names[of[f.Name][0]] = f.Name
	}
	slices.SortStableFunc(fresh, func(a, b *entry) int { return byUse(a.Memory, b.Memory) })
	for _, e := range fresh {
		line, _ := e.Summary()
		title := or(e.Content().Get("title").String(), e.Title(), strings.TrimSuffix(path.Base(names[e]), ".md"))
		lines.WriteString("- [" + escape(title) + "](" + names[e] + ") — " + oneLine(line) + "\n")
	}
	if lines.Len() == 0 {
		return files, nil
	}
	if index != "" && !strings.HasSuffix(index, "\n") {
		index += "\n"
	}
	index += lines.String()
	if at < 0 {
		files = append([]File{{Name: indexFile}}, files...)
		at = 0
	}
	files[at].Text = []byte(index)
	if strings.Count(index, "\n") > 200 || len(index) > 25_000 {
		return files, []Misfit{{indexFile, "longer than the 200 lines or 25 KB that Claude Code loads", false}}
	}
	return files, nil
}

// byUse orders memories as an index is best cut off: pinned and critical ones first, then what was used or changed last.
func byUse(a, b *memory.Memory) int {
	first := func(m *memory.Memory) int {
		switch {
		case m.Pinned():
			return 0
		case m.Priority == "critical":
			return 1
		}
		return 2
	}
	last := func(m *memory.Memory) time.Time {
		if m.LastAccessed.After(m.UpdatedAt) {
			return m.LastAccessed
		}
		return m.UpdatedAt
	}
	return cmp.Or(cmp.Compare(first(a), first(b)), last(b).Compare(last(a)))
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

func escape(text string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(oneLine(text))
}

func or(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
