package note

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ErrText: a memory can only be made of a text.
var ErrText = errors.New("not UTF-8: left alone")

// Record is the memory that a note and its line make, as JSON.
func (f *Folder) Record(line Line, data []byte) ([]byte, error) {
	locked := mdedit.Check(data)
	if errors.Is(locked, mdedit.ErrEncoding) {
		return nil, ErrText
	}
	front := mdedit.FrontOf(data)
	kind, subtype := kindOf(line.Path, front)
	var b recordWriter
	b.text("id", line.ID)
	b.text("type", kind)
	if subtype != "" {
		b.text("subtype", subtype)
	}
	b.text("created_by", cmp.Or(front.Value("created_by"), f.Layout.Agent))
	updated := cmp.Or(timeIn(front, "modified", "updated", "updated_at"), dayOf(line.Path), line.Updated)
	created := cmp.Or(timeIn(front, "created", "created_at", "date"), dayOf(line.Path), line.Created, updated)
	b.time("created_at", created)
	b.time("updated_at", updated)
	if read := timeIn(front, "last_read"); read != "" {
		b.text("last_accessed", read)
	}
	b.text("scope", f.Scope)
	if f.ScopeID != "" {
		b.text("scope_id", f.ScopeID)
	}
	b.raw("tags", jsonedit.Strings(tagsOf(front)))
	if line.Arrived != "" {
		b.raw("origin", fmt.Appendf(nil, `{"kind": "agent", "at": %s}`, jsonedit.Quote(line.Arrived)))
	}
	if f.Layout.Level != layout.Tend || strings.EqualFold(subtype, "user") || locked != nil {
		b.raw("protected", []byte("true"))
	}
	for _, key := range []string{"ttl", "expires", "valid_until"} {
		if v := front.Value(key); v != "" {
			b.text("ttl", v)
			break
		}
	}
	b.raw("content", content(line.Path, front, data))
	raw := b.done()
	if len(line.Fields) == 0 {
		return raw, nil
	}
	var edits []jsonedit.Edit
	for _, key := range sortedKeys(line.Fields) {
		if v := line.Fields[key]; string(v) == "null" {
			if _, ok := jsonedit.Get(raw, key); ok {
				edits = append(edits, jsonedit.Delete(key))
			}
		} else {
			edits = append(edits, jsonedit.Set(v, key))
		}
	}
	return jsonedit.Apply(raw, edits...)
}

func content(name string, front *mdedit.Front, data []byte) []byte {
	var b recordWriter
	b.text("title", titleOf(name, front, data))
	b.text("summary", front.Value("description", "summary"))
	b.text("details", string(data[mdedit.BodyAt(data):]))
	return b.done()
}

// recordWriter writes a JSON object, a member a line.
type recordWriter struct{ bytes.Buffer }

func (b *recordWriter) raw(key string, value []byte) {
	if b.Len() == 0 {
		b.WriteString("{\n")
	} else {
		b.WriteString(",\n")
	}
	b.WriteString("  ")
	b.Write(jsonedit.Quote(key))
	b.WriteString(": ")
	b.Write(value)
}

func (b *recordWriter) text(key, value string) { b.raw(key, jsonedit.Quote(value)) }

func (b *recordWriter) time(key, value string) {
	if value == "" {
		b.raw(key, []byte("null"))
		return
	}
	b.text(key, value)
}

func (b *recordWriter) done() []byte {
	b.WriteString("\n}")
	return b.Bytes()
}

// kindOf is the type of a note's memory, and the host's word for it.
func kindOf(name string, front *mdedit.Front) (kind, subtype string) {
	word := strings.ToLower(front.Value("type"))
	switch word {
	case "factual", "procedural", "episodic", "semantic":
		return word, ""
	case "feedback":
		return "procedural", word
	case "user", "project", "reference":
		return "factual", word
	}
	if layout.Daily(name) {
		return "episodic", word
	}
	return "semantic", word
}

func timeIn(front *mdedit.Front, keys ...string) string {
	for _, key := range keys {
		if at := timestamp.Parse(front.Value(key)); !at.IsZero() {
			return timestamp.Format(at)
		}
	}
	return ""
}

// dayOf is the day that the name of a daily note tells.
func dayOf(name string) string {
	if at := timestamp.Parse(layout.Date(name)); !at.IsZero() {
		return timestamp.Format(at)
	}
	return ""
}

func tagsOf(front *mdedit.Front) []string {
	for _, key := range []string{"tags", "tag"} {
		if k := front.Key("", key); k != nil {
			if k.List != nil {
				return k.List
			}
			if k.Text != "" {
				return strings.FieldsFunc(k.Text, func(r rune) bool { return r == ',' })
			}
		}
	}
	return nil
}

func sortedKeys(m map[string]json.RawMessage) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
