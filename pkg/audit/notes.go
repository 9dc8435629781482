package audit

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// File is one file of a store.
type File struct {
	Name     string // as places begin with it
	Text     []byte
	Modified time.Time // zero: not known
}

// Note is one thing that a store says.
type Note struct {
	Place string // file:line, or file#/pointer
	Text  string
	At    time.Time // when it was touched last; zero: not known
}

// fileKind is how a file is read, by its name.
type fileKind int

const (
	markdown fileKind = iota // and any other text
	jsonFile
	jsonLines
)

func kindOf(name string) fileKind {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return jsonFile
	case ".jsonl", ".ndjson":
		return jsonLines
	}
	return markdown
}

// notes takes a file apart. An error says why it can't be.
func notes(f File) ([]Note, error) {
	switch kindOf(f.Name) {
	case jsonFile:
		if !gjson.ValidBytes(f.Text) {
			return nil, fmt.Errorf("%s: not valid JSON", f.Name)
		}
		return elements(f, gjson.ParseBytes(f.Text)), nil
	case jsonLines:
		return lines(f)
	}
	return paragraphs(f), nil
}

// lines reads JSON lines; lines that are not JSON are an error next to the notes of the others.
func lines(f File) (out []Note, err error) {
	n := 0
	for line := range bytes.Lines(f.Text) {
		n++
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case !gjson.ValidBytes(line):
			if err == nil {
				err = fmt.Errorf("%s:%d: not valid JSON", f.Name, n)
			}
		default:
			v := gjson.ParseBytes(line)
			out = append(out, Note{Place: fmt.Sprintf("%s:%d", f.Name, n), Text: said(v), At: touched(v, f.Modified)})
		}
	}
	return out, err
}

// elements reads a JSON document: the list that it is, the lists of objects that it holds, or all of it.
func elements(f File, doc gjson.Result) (out []Note) {
	list := func(pointer string, v gjson.Result) {
		i := 0
		v.ForEach(func(_, e gjson.Result) bool {
			out = append(out, Note{Place: elementPlace(f.Name+"#"+pointer, i), Text: said(e), At: touched(e, f.Modified)})
			i++
			return true
		})
	}
	switch {
	case doc.IsArray():
		list("", doc)
	case doc.IsObject() && !doc.Get("content").Exists():
		doc.ForEach(func(k, v gjson.Result) bool {
			if v.IsArray() && v.Get("0").IsObject() {
				list("/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(k.Str), v)
			}
			return true
		})
	}
	if len(out) == 0 && !doc.IsArray() {
		out = append(out, Note{Place: f.Name, Text: said(doc), At: touched(doc, f.Modified)})
	}
	return out
}

// elementPlace is the place of an element: that of its list, as a JSON pointer behind #, and its number.
func elementPlace(list string, i int) string {
	if !strings.Contains(list, "#") {
		list += "#"
	}
	return list + "/" + strconv.Itoa(i)
}

// said joins what a value tells: its strings of more than one word, or all of them where there are none.
func said(v gjson.Result) string {
	var prose, all []string
	var walk func(v gjson.Result, depth int)
	walk = func(v gjson.Result, depth int) {
		switch {
		case v.Type == gjson.String && strings.ContainsAny(strings.TrimSpace(v.Str), " \n"):
			prose = append(prose, v.Str)
		case v.Type == gjson.String:
			all = append(all, v.Str)
		case v.IsObject() || v.IsArray():
			if depth < 100 {
				v.ForEach(func(_, e gjson.Result) bool { walk(e, depth+1); return true })
			}
		}
	}
	if walk(v, 0); len(prose) > 0 {
		return strings.Join(prose, "\n")
	}
	return strings.Join(all, "\n")
}

// dates are the fields that tell when a note was touched, the best first.
var dates = []string{"last_accessed", "updated_at", "updatedAt", "modified", "modified_at", "timestamp", "created_at", "createdAt", "date"}

func touched(v gjson.Result, otherwise time.Time) (latest time.Time) {
	for _, key := range dates {
		if at := moment(v.Get(key).String()); at.After(latest) {
			latest = at
		}
	}
	if latest.IsZero() {
		return otherwise
	}
	return latest
}

func moment(text string) time.Time {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// closed is where front matter ends: the number of the line that closes it, 0 for none. A rule at the beginning of a text that
// no other one follows is none.
func closed(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		switch rule := strings.TrimSpace(line) == "---"; {
		case n == 1 && !rule:
			return 0
		case n > 1 && rule:
			return n
		}
	}
	return 0
}

// frontValue is the text of a member of the front matter of a text; "" for none.
func frontValue(text, key string) string {
	n, end := 0, closed(text)
	for line := range strings.Lines(text) {
		if n++; n > end {
			return ""
		}
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return ""
}

// proseLines yields the lines of a text that are neither front matter nor code, with their numbers.
func proseLines(text string) func(yield func(n int, line string) bool) {
	return func(yield func(n int, line string) bool) {
		n, fenced, front := 0, false, closed(text)
		for line := range strings.Lines(text) {
			n++
			trimmed := strings.TrimSpace(line)
			fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
			if fence && n > front {
				fenced = !fenced
			}
			if n > front && !fence && !fenced && !yield(n, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// paragraphs reads Markdown: front matter dates all of it; headings, rules and code fences by themselves are not notes.
func paragraphs(f File) (out []Note) {
	at := f.Modified
	var block []string
	first, fenced, front := 0, false, closed(string(f.Text))
	var newest time.Time
	flush := func() {
		if text := strings.TrimSpace(strings.Join(block, "\n")); text != "" && !strings.HasPrefix(text, "#") {
			out = append(out, Note{Place: fmt.Sprintf("%s:%d", f.Name, first), Text: text, At: at})
		}
		block = nil
	}
	n := 0
	for raw := range strings.Lines(string(f.Text)) {
		n++
		line := strings.TrimRight(raw, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case n == front:
			if !newest.IsZero() {
				at = newest
			}
			continue
		case n < front:
			key, value, _ := strings.Cut(line, ":")
			for _, d := range dates {
				if t := moment(value); strings.TrimSpace(key) == d && t.After(newest) {
					newest = t
				}
			}
			continue
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fenced = !fenced
		case fenced:
		case trimmed == "", trimmed == "---", strings.HasPrefix(line, "#"):
			flush()
		case item(line):
			flush()
		}
		if (trimmed == "" || trimmed == "---") && !fenced {
			continue
		}
		if len(block) == 0 {
			first = n
		}
		block = append(block, line)
		if strings.HasPrefix(line, "#") && !fenced {
			flush()
		}
	}
	flush()
	return out
}

// item reports whether a line begins an item of a list that is not inside another.
func item(line string) bool {
	if mark := strings.IndexAny(line, "-*+"); mark == 0 {
		return strings.HasPrefix(line[1:], " ")
	}
	digits := strings.TrimLeft(line, "0123456789")
	return len(digits) < len(line) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}
