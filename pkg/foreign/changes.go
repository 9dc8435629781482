package foreign

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// change is a member of an imported memory that its record has otherwise: its path, and its value; none if the memory lacks it.
type change struct {
	path  []string
	value json.RawMessage
}

func (c change) name() string { return strings.Join(c.path, ".") }

// ours are the members of a memory that say where it is and what happens to it here, and those that [Edited] looks at.
var ours = []string{"id", "created_by", "created_at", "updated_at", "last_accessed", "access_count", "scope", "scope_id", "origin", "title", "content", "tags",
	Key, memory.ConflictsKey}

// original reads the record that a memory was imported as.
func original(m *memory.Memory, s *Source) (p part, ok bool) {
	text := or(s.Raw, render(s.Format, []byte(m.Content().Raw)))
	switch s.Format.Base() {
	case Graph, Lines, Document:
		p, err := readValue(s.Format, s.List, text)
		return p, err == nil
	}
	parts, _ := readText(s.Format, File{s.File, []byte(s.Before + text + s.After)})
	if len(parts) != 1 {
		return p, false
	}
	return parts[0], true
}

// Members are those of a record next to its content and tags, as JSON by their names; those of metadata by metadata.NAME.
func (r *Record) Members() map[string]string {
	all := map[string]string{}
	put := func(key string, v gjson.Result) {
		if empty(v) {
			return
		}
		if key != Metadata || !v.IsObject() {
			all[key] = string(jsonedit.Compact([]byte(v.Raw)))
			return
		}
		v.ForEach(func(inner, v gjson.Result) bool {
			if !empty(v) {
				all[Metadata+"."+inner.String()] = string(jsonedit.Compact([]byte(v.Raw)))
			}
			return true
		})
	}
	if r.Own != nil {
		gjson.ParseBytes(r.Own).ForEach(func(k, v gjson.Result) bool {
			if !slices.Contains(ours, k.String()) {
				put(k.String(), v)
			}
			return true
		})
	} else {
		put("type", gjson.ParseBytes(jsonedit.Quote(r.Type)))
		put("subtype", gjson.ParseBytes(jsonedit.Quote(r.Subtype)))
		put("priority", gjson.ParseBytes(jsonedit.Quote(r.Priority)))
		for _, f := range r.Fields {
			put(f.Key, gjson.ParseBytes(f.Value))
		}
	}
	if all["priority"] == "" {
		all["priority"] = `"medium"`
	}
	return all
}

// Path is where a memory has the member that [Record.Members] names so.
func Path(name string) []string {
	if inner, ok := strings.CutPrefix(name, Metadata+"."); ok {
		return []string{Metadata, inner}
	}
	return []string{name}
}

// changed lists the members of an imported memory that its record has otherwise, in the order of the memory, those that are gone last.
func changed(m *memory.Memory, s *Source) (all []change) {
	was, ok := original(m, s)
	if !ok {
		return nil
	}
	before := was.Members()
	links := slices.Clone(was.links)
	put := func(v gjson.Result, path ...string) {
		name := strings.Join(path, ".")
		had := before[name]
		if delete(before, name); had != string(jsonedit.Compact([]byte(v.Raw))) {
			all = append(all, change{path, jsonedit.Compact([]byte(v.Raw))})
		}
	}
	gjson.ParseBytes(m.Raw()).ForEach(func(k, v gjson.Result) bool {
		key := k.String()
		switch {
		case slices.Contains(ours, key) || empty(v):
		case key == Metadata && v.IsObject():
			v.ForEach(func(inner, v gjson.Result) bool {
				if !empty(v) {
					put(v, key, inner.String())
				}
				return true
			})
		case v.IsArray() && slices.Contains([]string{"references", supersedes, supersededBy}, key):
			v = unlinked(key, v, gjson.Parse(before[key]), &links)
			if !empty(v) {
				put(v, key)
			}
		default:
			put(v, key)
		}
		return true
	})
	if before["priority"] == `"medium"` { // the default
		delete(before, "priority")
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		all = append(all, change{path: Path(name)})
	}
	return all
}

// unlinked is a list of references without those that were made of links of the record, which it takes from them.
func unlinked(key string, list, had gjson.Result, links *[]relation) gjson.Result {
	rest := []json.RawMessage{}
	for _, e := range list.Array() {
		own := slices.ContainsFunc(had.Array(), func(h gjson.Result) bool {
			return string(jsonedit.Compact([]byte(h.Raw))) == string(jsonedit.Compact([]byte(e.Raw)))
		})
		at := slices.IndexFunc(*links, func(l relation) bool { return l.how == or(e.Get("relationship").String(), key) })
		if !own && at >= 0 {
			*links = slices.Delete(*links, at, at+1)
			continue
		}
		rest = append(rest, json.RawMessage(e.Raw))
	}
	return gjson.ParseBytes(encode(rest))
}

// withMembers writes what was changed of a memory next to its content and tags into its text, or into the front matter in front of it. A
// change is taken if what is written reads as the record was but for that; the others are listed.
func withMembers(e *entry, text string) (out string, lost []string) {
	front := e.from.Format.Base() == Markdown || e.from.Format.Base() == Claude
	read := func(before, text string) (all map[string]string) {
		s := *e.from
		s.Before, s.Raw = before, text
		if p, ok := original(e.Memory, &s); ok {
			all = p.Members()
			all["\x00content"], all["\x00tags"] = string(jsonedit.Compact(p.Content)), strings.Join(p.Tags, "\x00")
			all["\x00author"], all["\x00times"] = p.Author, p.CreatedAt.Format(time.RFC3339Nano)+p.UpdatedAt.Format(time.RFC3339Nano)
			all["\x00notes"] = strings.Join(p.notes, "\x00")
		}
		return all
	}
	for _, c := range changed(e.Memory, e.from) {
		want := read(e.from.Before, text)
		if want == nil {
			lost = append(lost, c.name())
			continue
		}
		if c.value != nil {
			want[c.name()] = string(c.value)
		} else if delete(want, c.name()); c.name() == "priority" {
			want["priority"] = `"medium"`
		}
		taken := false
		try := func(before, candidate string) {
			if is := read(before, candidate); !taken && is != nil && maps.Equal(is, want) {
				e.from.Before, text, taken = before, candidate, true
			}
		}
		if front {
			for _, before := range frontWith(e.from.Before, c) {
				try(before, text)
			}
		} else {
			for _, candidate := range valueWith(text, c) {
				try(e.from.Before, candidate)
			}
		}
		if !taken {
			lost = append(lost, c.name())
		}
	}
	return text, lost
}

// namesOf are the names under which a record may have a member.
func namesOf(c change) []string {
	names := []string{c.path[len(c.path)-1]}
	if c.name() == "ttl" {
		names = append(slices.Clone(lifetimes), names...)
	}
	return names
}

// valueWith are the ways to write a change into a JSON record.
func valueWith(text string, c change) (ways []string) {
	apply := func(edits ...jsonedit.Edit) {
		if doc, err := jsonedit.Apply([]byte(text), edits...); err == nil {
			ways = append(ways, string(doc))
		}
	}
	for _, name := range namesOf(c) {
		has := gjson.Get(text, gjson.Escape(name)).Exists()
		switch {
		case has && c.value == nil:
			apply(jsonedit.Delete(name))
		case has:
			apply(jsonedit.Set(c.value, name))
			apply(jsonedit.Delete(name), jsonedit.Set(c.value, c.path[0]))
		}
	}
	if c.value == nil {
		apply(jsonedit.Delete(c.path...))
		return ways
	}
	if at := slices.Index(beadsPriorities[:], gjson.ParseBytes(c.value).Str); at >= 0 && c.name() == "priority" {
		apply(jsonedit.Set([]byte(strconv.Itoa(at)), "priority"))
	}
	apply(jsonedit.Set(c.value, c.path...))
	if len(c.path) > 1 {
		apply(jsonedit.Set([]byte("{"+strings.TrimSuffix(string(member(c.path[1], string(c.value))), ",")+"}"), c.path[0]))
	}
	return ways
}

// plainWord matches a text that YAML needs no quotes for.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]*$`)

// frontWith are the ways to write a change into the front matter in front of a text.
func frontWith(before string, c change) (ways []string) {
	mark := before[:len(before)-len(strings.TrimPrefix(before, "\ufeff"))]
	text := before[len(mark):]
	newline := "\n"
	if strings.Contains(before, "\r\n") {
		newline = "\r\n"
	}
	var values []string
	if c.value != nil {
		if v := gjson.ParseBytes(c.value); v.Type == gjson.String && plainWord.MatchString(v.Str) {
			values = append(values, v.Str)
		}
		values = append(values, string(c.value))
	}
	key := c.path[len(c.path)-1]
	if !plainWord.MatchString(key) {
		key = string(jsonedit.Quote(key))
	}
	inner, length := between(text)
	if readFront(text).length == 0 {
		for _, v := range values {
			ways = append(ways, mark+"---"+newline+key+": "+v+newline+"---"+newline+newline+text)
		}
		return ways
	}
	from := strings.IndexByte(text, '\n') + 1
	with := func(at, end int, entry string) {
		ways = append(ways, mark+text[:from]+inner[:at]+entry+inner[end:]+text[from+len(inner):length]+text[length:])
	}
	for _, name := range namesOf(c) {
		// An entry of the front matter, or of the mapping metadata in it, on one line or on several that are indented further.
		found := regexp.MustCompile(`(?m)^([ \t]*)["']?` + regexp.QuoteMeta(name) + `["']?[ \t]*:([^\n]*)(?:\n|\z)`)
		for _, at := range found.FindAllStringSubmatchIndex(inner, -1) {
			indent, line := inner[at[2]:at[3]], inner[at[4]:at[5]]
			end := at[1] + deeper(inner[at[1]:], len(indent))
			note := ""
			if i := strings.Index(line, " #"); i >= 0 && !strings.ContainsAny(line[:i], `"'`) {
				note = strings.TrimRight(line[i:], "\r")
			}
			if c.value == nil {
				with(at[0], end, "")
			}
			for _, v := range values {
				with(at[0], end, indent+name+": "+v+note+newline)
				with(at[0], end, indent+key+": "+v+note+newline)
			}
		}
	}
	for _, v := range values {
		with(len(inner), len(inner), key+": "+v+newline)
	}
	return ways
}

// deeper is how long the lines at the start of a text are that belong to an entry with an indentation: those indented further, and items of a list.
func deeper(text string, indent int) (length int) {
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		in := len(line) - len(trimmed)
		if strings.TrimSpace(line) == "" || in < indent || in == indent && !strings.HasPrefix(trimmed, "- ") {
			break
		}
		length += len(line)
	}
	return length
}
