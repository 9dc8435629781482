package document

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// References are what a memory refers to: ids, each with the relationship if it says one.
func References(m *memory.Memory) (ids []string) {
	for _, r := range gjson.GetBytes(m.Raw(), "references").Array() {
		id, how := r.Str, ""
		if r.IsObject() {
			id, how = r.Get("id").String(), r.Get("relationship").String()
		}
		if how != "" {
			id += " (" + how + ")"
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// ContentText lays JSON out as text: members as "name: value", elements behind
// dashes, texts as they are.
func ContentText(v gjson.Result) string {
	var b strings.Builder
	writeContent(&b, v, "")
	return b.String()
}

func writeContent(b *strings.Builder, v gjson.Result, margin string) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			writeMember(b, margin, key.Str+":", child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			writeMember(b, margin, "-", child)
			return true
		})
	case v.Exists():
		b.WriteString(margin + Indent(scalar(v), margin)[len(margin):])
	}
}

// writeMember writes a name and its value: beside it if that is one line, else
// below.
func writeMember(b *strings.Builder, margin, name string, v gjson.Result) {
	nested := (v.IsObject() || v.IsArray()) && len(v.Raw) > 2
	text := scalar(v)
	switch {
	case nested && name == "-" && v.IsObject():
		var inner strings.Builder
		writeContent(&inner, v, margin+"  ")
		b.WriteString(margin + "- " + strings.TrimPrefix(inner.String(), margin+"  "))
	case nested:
		b.WriteString(margin + name + "\n")
		writeContent(b, v, margin+"  ")
	case strings.Contains(strings.TrimSuffix(text, "\n"), "\n"):
		b.WriteString(margin + name + "\n" + Indent(text, margin+"  "))
	default:
		b.WriteString(margin + name + " " + text)
	}
}

// scalar is a value as text, with a line end.
func scalar(v gjson.Result) string {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// Indent puts margin before every line that isn't empty.
func Indent(text, margin string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = margin + line
		}
	}
	return strings.Join(lines, "")
}
