package foreign

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// indexFile is the index of Claude Code's auto memory.
const indexFile = "MEMORY.md"

// claudeTypes are the types of Claude Code's auto memory, and ours for them.
var claudeTypes = map[string]string{
	"user": memory.Factual, "feedback": memory.Procedural, "project": memory.Factual, "reference": memory.Factual,
}

// readText reads a file of text as one memory: front matter and blank lines stand in front of what it says.
func readText(format Format, f File) ([]part, []Misfit) {
	text := string(f.Text)
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	var front map[string][]string
	if format != Tool {
		n := 0
		front, n = frontMatter(text[start:])
		start += n
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
	content := struct {
		Title   string `json:"title,omitempty"`
		Summary string `json:"summary,omitempty"`
		Details string `json:"details,omitempty"`
	}{value(front, "title", "name"), value(front, "summary", "description"), said}
	if strings.TrimSpace(said) == "" && content.Summary == "" {
		return nil, []Misfit{{f.Name, "says nothing", true}}
	}
	kind := value(front, "type")
	switch {
	case slices.Contains(types, kind):
		p.Type = kind
	case format == Claude && claudeTypes[kind] != "":
		p.Type, p.Subtype = claudeTypes[kind], kind
	case format == Claude && f.Name == indexFile:
		p.Subtype = "index"
	}
	for _, t := range front["tags"] {
		if strings.TrimSpace(t) != "" {
			p.Tags = append(p.Tags, t)
		}
	}
	told := func(key string) string { return value(front, key) }
	p.date(told, []string{"created_at", "created", "date"}, []string{"updated_at", "updated", "modified"})
	p.Content = encode(content)
	return []part{p}, nil
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

func value(front map[string][]string, keys ...string) string {
	for _, k := range keys {
		if v := front[k]; len(v) == 1 && v[0] != "" {
			return v[0]
		}
	}
	return ""
}

// frontMatter reads what stands between two lines --- at the start of a text, and tells how long that is. Read are texts of one line
// and lists, in brackets or an item a line, at any level; of a key that stands several times, the first. Everything stays in the file's
// bytes, read or not.
func frontMatter(text string) (front map[string][]string, length int) {
	front = map[string][]string{}
	key, at := "", 0
	for line := range strings.Lines(text) {
		at += len(line)
		trimmed := strings.TrimSpace(line)
		first := length == 0
		length += len(line)
		switch {
		case first && strings.TrimRight(line, " \t\r\n") != "---":
			return nil, 0
		case first:
		case strings.TrimRight(line, " \t\r\n") == "---":
			return front, at
		case strings.HasPrefix(trimmed, "- "):
			if key != "" {
				front[key] = append(front[key], unquote(trimmed[2:]))
			}
		default:
			k, v, ok := strings.Cut(trimmed, ":")
			key = ""
			if !ok || front[k] != nil || strings.HasPrefix(k, "#") {
				continue
			}
			switch v = strings.TrimSpace(v); {
			case v == "":
				key = k
			case v[0] == '|' || v[0] == '>':
			case v[0] == '[' && strings.HasSuffix(v, "]"):
				var list []string
				if json.Unmarshal([]byte(v), &list) != nil { // as YAML: [a, b]
					list = nil
					for item := range strings.SplitSeq(v[1:len(v)-1], ",") {
						list = append(list, unquote(item))
					}
				}
				front[k] = list
			default:
				front[k] = []string{unquote(v)}
			}
		}
	}
	return nil, 0 // not closed: it is no front matter
}

func unquote(v string) string {
	v = strings.TrimSpace(v)
	if len(v) < 2 || v[0] != v[len(v)-1] {
		return v
	}
	switch v[0] {
	case '"':
		var text string
		if json.Unmarshal([]byte(v), &text) == nil {
			return text
		}
		return v[1 : len(v)-1]
	case '\'':
		return strings.ReplaceAll(v[1:len(v)-1], "''", "'")
	}
	return v
}

// body is what a file says of a memory's content.
func body(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	return content.Get("details").String()
}

// frontLost tells what was edited of an imported file that its front matter does not follow.
func frontLost(e *entry) string {
	front, _ := frontMatter(strings.TrimPrefix(e.from.Before, "\ufeff"))
	var lost []string
	if !slices.Equal(e.Tags, trimmed(front["tags"])) {
		lost = append(lost, "tags")
	}
	content := e.Content()
	if content.Get("title").String() != value(front, "title", "name") {
		lost = append(lost, "title")
	}
	if content.Get("summary").String() != value(front, "summary", "description") {
		lost = append(lost, "summary")
	}
	content.ForEach(func(k, _ gjson.Result) bool {
		if !slices.Contains([]string{"title", "summary", "details"}, k.String()) {
			lost = append(lost, "content."+k.String())
		}
		return content.IsObject()
	})
	if lost == nil {
		return ""
	}
	return "edited since, and kept in the file as it was: " + strings.Join(lost, ", ")
}

func trimmed(tags []string) (out []string) {
	for _, t := range tags {
		if strings.TrimSpace(t) != "" {
			out = append(out, t)
		}
	}
	return out
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
	for _, f := range files {
		if f.Name == indexFile || of[f.Name][0].from != nil || named[f.Name] {
			continue
		}
		line, _ := of[f.Name][0].Summary()
		title := or(of[f.Name][0].Content().Get("title").String(), of[f.Name][0].Title(), strings.TrimSuffix(path.Base(f.Name), ".md"))
		lines.WriteString("- [" + escape(title) + "](" + f.Name + ") — " + oneLine(line) + "\n")
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
