package recall

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// Of makes a document of a memory. Its title and summary may be in the record or
// in the content; people are its author and those in fields such as participants
// or speaker; its session is the one whose scope it is in, or that session_id
// names. All the rest of the content is Content, with the names of fields that say
// something. Its variants are Wording, its aliases Aliases.
func Of(m *memory.Memory) Document {
	d := Document{
		ID: m.ID, Title: m.Title(), Tags: m.Tags, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.String(), Agent: m.CreatedBy,
		Created: m.CreatedAt, Updated: m.UpdatedAt, Priority: m.Priority, Reads: m.AccessCount, Archived: m.Archived,
		Supersedes: m.Supersedes,
	}
	d.SupersededBy, _ = memory.ReplacedBy(m)
	if m.Scope.Kind == "session" {
		d.Session = m.Scope.ID
	}
	if !slices.Contains(nobody, strings.ToUpper(m.CreatedBy)) && m.CreatedBy != "" {
		d.People = append(d.People, m.CreatedBy)
	}
	for _, v := range memory.Variants(m) {
		d.Wording += v.Words() + "\n"
	}
	var b strings.Builder
	d.Aliases = strings.Join(memory.Aliases(m), "\n")
	value := m.Content()
	if !value.IsObject() {
		flatten(&b, value)
		d.Content = b.String()
		return d
	}
	value.ForEach(func(key, v gjson.Result) bool {
		switch name := strings.ToLower(key.Str); {
		case name == "title" && v.Type == gjson.String && d.Title == "":
			d.Title = v.Str
		case (name == "summary" || name == "description") && v.Type == gjson.String && d.Summary == "":
			d.Summary = v.Str
		case (name == "session_id" || name == "session") && v.Type == gjson.String && d.Session == "":
			d.Session = v.Str
		case slices.Contains(peopleKeys, name) && named(&d, v):
		default:
			write(&b, key.Str, v)
		}
		return true
	})
	d.Content = b.String()
	return d
}

// nobody are authors that are not persons.
var nobody = []string{"USER", "SYSTEM", "COORDINATOR"}

// peopleKeys are fields of a content that say who.
var peopleKeys = []string{"participants", "people", "attendees", "speaker", "speakers", "author", "authors", "owner", "assignee", "who", "reviewer", "reviewers"}

// named adds the people that a value names, and reports whether it is of that
// kind.
func named(d *Document, v gjson.Result) bool {
	const longest = 80 // longer texts are not names
	if v.Type == gjson.String && len(v.Str) <= longest {
		d.People = append(d.People, v.Str)
		return true
	}
	if !v.IsArray() {
		return false
	}
	list := v.Array()
	for _, e := range list {
		if e.Type != gjson.String || len(e.Str) > longest {
			return false
		}
	}
	for _, e := range list {
		d.People = append(d.People, e.Str)
	}
	return true
}

// proseKeys are fields whose names say nothing about what they hold.
var proseKeys = []string{"title", "summary", "description", "details", "text", "note", "notes", "body", "content", "message", "turns"}

func write(b *strings.Builder, key string, v gjson.Result) {
	if v.Type == gjson.Null {
		return
	}
	if !slices.Contains(proseKeys, strings.ToLower(key)) {
		b.WriteString(key)
		b.WriteString(": ")
	}
	flatten(b, v)
}

// flatten writes the strings, numbers and truth values of a value.
func flatten(b *strings.Builder, v gjson.Result) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			write(b, key.Str, child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			flatten(b, child)
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

// NoteOf is what a memory says, for judging whether another updates it.
func NoteOf(m *memory.Memory) supersession.Note {
	return supersession.Note{Name: m.ID, Title: m.Title(), Text: m.Text()}
}
