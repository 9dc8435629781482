package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// printMemory prints a record for people: what is known of it, then its content.
func (c *call) printMemory(snap *memory.Snapshot, s shown) {
	m := s.memory
	c.printf("%s\n", c.style.bold(printable(m.ID)))
	t := c.facts()
	t.fact("original", s.about)
	t.fact("version", s.version)
	t.fact("place", m.Ref.String())
	t.fact("type", kind(m))
	t.fact("scope", m.Scope.String())
	t.fact("tags", strings.Join(m.Tags, ", "))
	t.fact("priority", m.Priority)
	t.fact("written", c.writtenBy(m))
	t.fact("read", c.readings(m.AccessCount, m.LastAccessed))
	if given := snap.LastGiven(m); given.N > 0 {
		t.fact("given", c.readings(given.N, given.At))
	}
	if s.about == "" && s.version == "" {
		t.fact("tier", scoreText(c.score(m)))
	}
	t.fact("ttl", m.TTL)
	if m.Archived {
		t.fact("archived", c.archivedText(snap, m))
	}
	for _, link := range []struct {
		name string
		ids  []string
	}{
		{"supersedes", m.Supersedes}, {"replaced by", m.SupersededBy},
		{"promoted to", m.PromotedTo}, {"made from", m.PromotedFrom}, {"references", references(m)},
	} {
		t.fact(link.name, strings.Join(link.ids, ", "))
	}
	t.fact("locked", m.Locked)
	c.printf("%s", t.format("  ", c.style))
	if text := contentText(m.Content()); text != "" {
		c.printf("\n%s", indent(printable(text), "  "))
	}
}

func kind(m *memory.Memory) string {
	if m.Subtype != "" {
		return m.Type + " / " + m.Subtype
	}
	return m.Type
}

func (c *call) writtenBy(m *memory.Memory) string {
	text := c.when(m.CreatedAt)
	if m.CreatedBy != "" {
		text += " by " + m.CreatedBy
	}
	if !m.UpdatedAt.IsZero() && !m.UpdatedAt.Equal(m.CreatedAt) {
		text += ", updated " + c.when(m.UpdatedAt)
	}
	return text
}

// readings says how often a memory was read, or given, and when last.
func (c *call) readings(n int64, last time.Time) string {
	switch {
	case n == 0 && last.IsZero():
		return "never"
	case last.IsZero():
		return quantity(int(n), "time")
	}
	return quantity(int(n), "time") + ", last " + c.when(last)
}

func (c *call) archivedText(snap *memory.Snapshot, m *memory.Memory) string {
	origin, ok := memory.OriginOf(m, snap.Indexes)
	if !ok {
		return "where it came from isn't known"
	}
	return fmt.Sprintf("%s, %s, from %s", c.when(origin.ArchivedAt), origin.Reason, origin.Ref)
}

// references lists what a memory refers to: ids, or the ids in objects.
func references(m *memory.Memory) (ids []string) {
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

// contentText lays JSON out as text: members as "name: value", elements behind
// dashes, texts as they are.
func contentText(v gjson.Result) string {
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
		b.WriteString(margin + indent(scalar(v), margin)[len(margin):])
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
		b.WriteString(margin + name + "\n" + indent(text, margin+"  "))
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

// indent puts margin before every line that isn't empty.
func indent(text, margin string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = margin + line
		}
	}
	return strings.Join(lines, "")
}
