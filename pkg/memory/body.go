package memory

import (
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Source reads the bytes of records that are not kept in memory. It is safe for concurrent use.
type Source interface {
	// Record returns the record of m as it was when its file was read: its checksum is that
	// of m. It is nil when the record has changed or gone since, or can't be read.
	Record(m *Memory) []byte
}

// Detach drops the record's bytes: from now on source reads them when they are asked for.
// It is for whoever has just parsed m and has not shared it yet.
func (m *Memory) Detach(source Source) { m.body, m.source = nil, source }

// Known is what is known of a memory besides its exported fields.
type Known struct {
	Checksum     Checksum
	Derived      []byte
	Blank        bool
	Offset, Size int // see [Memory.Place]
	Source       Source
}

// Restore sets what is known of a memory whose fields were read from somewhere else than its
// record, a cache say.
func (m *Memory) Restore(k Known) {
	m.checksum, m.derived, m.blank, m.source = k.Checksum, k.Derived, k.Blank, k.Source
	m.offset, m.size = int32(k.Offset), int32(k.Size)
	if m.Links == nil {
		m.Links = &noLinks
	}
}

// Place is where the record is in its file: its offset and its length in bytes. The length is
// zero where that isn't known.
func (m *Memory) Place() (offset, size int) { return int(m.offset), int(m.size) }

// body is a record's bytes and, as parts of these, its content and title.
type body struct {
	raw     []byte
	content []byte // nil when absent
	at      int    // where the content is in raw
	title   string
	titled  bool
}

// see takes in a member of the record, whose value is at an offset.
func (b *body) see(key string, v []byte, at int) {
	switch {
	case key == "title" && !b.titled: // of several the first counts
		b.title, b.titled = stringOf(v), true
	case key == "content":
		b.content, b.at = v, at
	}
}

// value is the content.
func (b *body) value() gjson.Result {
	if b.content == nil {
		return gjson.Result{}
	}
	v := valueOf(b.content)
	v.Index = b.at
	return v
}

var noBody = &body{}

// Raw is the JSON object as its file has it; nil when that has changed or gone
// since the snapshot was read. Nobody may write to it.
func (m *Memory) Raw() []byte {
	switch {
	case m.body != nil:
		return m.body.raw
	case m.source != nil:
		return m.source.Record(m)
	}
	return nil
}

func (m *Memory) read() *body {
	if m.body != nil {
		return m.body
	}
	raw := m.Raw()
	if raw == nil {
		return noBody
	}
	b := &body{raw: raw}
	b.outlined(func(members []jsonedit.Member) {
		for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
			b.see(keyOf(raw, members[i]), raw[members[i].Val:members[i].End], int(members[i].Val))
		}
	})
	return b
}

// outlined gives f the members of the record; they are f's until it returns.
func (b *body) outlined(f func(members []jsonedit.Member)) {
	outline := outlines.Get().(*jsonedit.Outline)
	defer outlines.Put(outline)
	if outline.Check(b.raw) == nil { // it has passed before, as a part of its file
		f(outline.Members)
	}
}

var outlines = sync.Pool{New: func() any { return &jsonedit.Outline{} }}

// Content is the value of the content field; it doesn't Exist when absent.
func (m *Memory) Content() gjson.Result { return m.read().value() }

// Field is the first field of the content that has a name; it doesn't Exist when there
// is none.
func (m *Memory) Field(name string) (found gjson.Result) {
	content := m.read().value()
	if !content.IsObject() {
		return found
	}
	content.ForEach(func(key, v gjson.Result) bool {
		if key.Str == name {
			found = valueOf(viewBytes(v.Raw))
		}
		return !found.Exists()
	})
	return found
}

// What a record may say in its member "model" of the language models to which it may be sent.
const (
	ModelNever = "never" // to none
	ModelLocal = "local" // to none on another machine
)

// Model is the member "model" of the record in lower case, "" when there is none: [ModelNever], [ModelLocal], or a word without a
// meaning. Of a record that can't be read any more it is ModelNever.
func (m *Memory) Model() string {
	raw := m.Raw()
	if raw == nil {
		return ModelNever
	}
	return strings.ToLower(gjson.GetBytes(raw, "model").String())
}

// Title is the text of the title next to the content; "" when there is none.
func (m *Memory) Title() string { return m.read().title }
