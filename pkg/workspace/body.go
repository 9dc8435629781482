package workspace

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// body is a record's bytes and what is said in them.
type body struct {
	raw     []byte
	content gjson.Result // as far as it is made: see value
	title   string
	titled  bool
	said    bool // the content isn't blank; else nobody has looked
	later   bool // a text is made of its bytes when it is asked for, on one goroutine
	quoted  bool // it was not yet
	place        // of the content's members, as far as that is known
}

// see takes in a member of the record whose value begins at an offset.
func (b *body) see(key string, v []byte, at int) {
	switch {
	case key == "title" && !b.titled: // of several the first counts, as everywhere
		b.title, b.titled = stringOf(v), true
	case key == "content":
		if b.quoted = b.later && v[0] == '"'; b.quoted {
			b.content = gjson.Result{Type: gjson.String, Raw: viewString(v)}
		} else {
			b.content = valueOf(v)
		}
		b.content.Index = at
	}
}

// value is the content.
func (b *body) value() gjson.Result {
	if b.quoted {
		at := b.content.Index
		b.content, b.quoted = valueOf(viewBytes(b.content.Raw)), false
		b.content.Index = at
	}
	return b.content
}

// place is where members stand in a document; none where that isn't known.
type place struct {
	doc   []byte
	inner []jsonedit.Member
}

// each gives the members to f until that is false.
func (p place) each(f func(key string, v []byte) bool) {
	for i := 0; i < len(p.inner); i += 1 + int(p.inner[i].Inner) {
		if m := p.inner[i]; !f(keyOf(p.doc, m), p.doc[m.Val:m.End]) {
			return
		}
	}
}

var noBody = &body{}

// Raw is the JSON object as it stands in its file; nil when that has changed or gone
// since the snapshot was read, and its bytes had not been asked for before.
func (m *Memory) Raw() []byte { return m.read().raw }

// Content is the value of the content field; it doesn't Exist when absent.
func (m *Memory) Content() gjson.Result { return m.read().value() }

// Field is the first field of the content that has a name; it doesn't Exist when there
// is none, and the name must mean nothing in the path syntax of gjson.
func (m *Memory) Field(name string) (v gjson.Result) {
	if raw := m.FieldRaw(name); raw != nil {
		v = valueOf(raw)
	}
	return v
}

// FieldRaw is that field as it stands in the record; nil when there is none.
func (m *Memory) FieldRaw(name string) (raw []byte) {
	b := m.read()
	switch {
	case !b.content.IsObject(): // in a text, too, gjson would look for one
		return nil
	case len(b.inner) == 0:
		if v := b.content.Get(name); v.Exists() {
			raw = viewBytes(v.Raw)
		}
		return raw
	}
	b.each(func(key string, v []byte) bool {
		if key == name {
			raw = v
		}
		return key != name
	})
	return raw
}

// Title is the text of the title beside the content; "" when there is none.
func (m *Memory) Title() string { return m.read().title }

func (m *Memory) read() *body {
	switch {
	case m.body != nil:
		return m.body
	case m.src == nil:
		return noBody
	}
	return m.src.body(m)
}

// unread reports whether m may be read as a piece of its file, and has to be.
func (m *Memory) unread() bool {
	return m.body == nil && m.src != nil && m.size > 0 && m.src.held(m) == nil
}

// source reads the bodies of memories whose fields are known, and keeps them while
// they are few. It is safe for concurrent use.
type source struct {
	root   durable.FS
	bodies []bodySlot // by slot
	room   *room

	recent [256]atomic.Pointer[recentBody] // those that were read last and are not kept, by slot
	prints atomic.Pointer[[]uint64]        // fingerprints that somebody knows, by slot: see Snapshot.KnowFingerprint

	collections collections
}

// recentBody is a body that is asked for again soon: whoever looks at a memory asks for
// its bytes, its text and its title.
type recentBody struct {
	slot int32
	*body
}

// bodySlot is where a body is kept once it was read.
type bodySlot = atomic.Pointer[body]

// room bounds the bytes of bodies that are kept in memory.
type room struct{ left atomic.Int64 }

// maxKept is how many bytes of bodies are kept, of those that somebody has asked for; others
// are read each time they are needed. Few are needed again, and most soon: see recent.
const maxKept = 2 << 20

func newRoom() *room {
	r := &room{}
	r.left.Store(maxKept)
	return r
}

// take reports whether n more bytes may be kept.
func (r *room) take(n int) bool { return r.left.Add(-int64(n)) >= 0 }

// print is the fingerprint that is known of a slot; zero for none.
func (s *source) print(slot int) uint64 {
	if all := s.prints.Load(); all != nil {
		return atomic.LoadUint64(&(*all)[slot])
	}
	return 0
}

// know notes the fingerprint of a slot.
func (s *source) know(slot int, print uint64) {
	all := s.prints.Load()
	if all == nil {
		room := parallel.Zeroed[uint64](len(s.bodies))
		if all = &room; !s.prints.CompareAndSwap(nil, all) {
			all = s.prints.Load()
		}
	}
	atomic.StoreUint64(&(*all)[slot], print)
}

// body reads that of m. One that isn't there any more is empty, and stays so.
func (s *source) body(m *Memory) *body {
	if b := s.held(m); b != nil {
		return b
	}
	if m.size > 0 {
		if b := s.collections.pieces(s.root, m)[0]; b != nil {
			return s.hold(m, b, true)
		}
	}
	if !m.Whole() {
		return s.hold(m, s.collections.body(s.root, m), false) // which is kept with the others
	}
	data, _, err := s.root.Read(m.File, jsonedit.MaxSize)
	if err != nil {
		return s.hold(m, nil, false)
	}
	return s.hold(m, bodyOf(m, data), true)
}

// together reads those of records of one collection that can be read so, and gives nil for
// the others.
func (s *source) together(ms []*Memory) []*body {
	bodies := s.collections.pieces(s.root, ms...)
	for i, b := range bodies {
		if b != nil {
			bodies[i] = s.hold(ms[i], b, true)
		}
	}
	return bodies
}

// held is the body of m, as far as it is in memory.
func (s *source) held(m *Memory) *body {
	if b := s.bodies[m.slot].Load(); b != nil {
		return b
	}
	if r := s.recently(m).Load(); r != nil && r.slot == m.slot {
		return r.body
	}
	return nil
}

func (s *source) recently(m *Memory) *atomic.Pointer[recentBody] {
	return &s.recent[int(m.slot)%len(s.recent)]
}

// hold keeps what was read for m, nil for nothing: its own as long as there is room, what
// is kept elsewhere for a while.
func (s *source) hold(m *Memory, b *body, own bool) *body {
	keep := own && b != nil && s.room.take(len(b.raw))
	if b == nil {
		b, keep = noBody, true
	}
	if !keep {
		s.recently(m).Store(&recentBody{m.slot, b})
	} else if !s.bodies[m.slot].CompareAndSwap(nil, b) {
		return s.bodies[m.slot].Load()
	}
	return b
}

// bodyOf finds the record m, which was the whole of its file, in the bytes of that; nil if
// it isn't there.
func bodyOf(m *Memory, data []byte) *body {
	start, end := jsonedit.Span(data)
	raw := data[start:end]
	if checksumOf(raw) != m.checksum {
		records, _ := readRecords(m.File, data) // what doesn't parse doesn't hold it either
		for _, r := range records {
			if r.ID == m.ID && r.checksum == m.checksum {
				return r.body
			}
		}
		return nil
	}
	return bodyFrom(raw)
}

// bodyFrom is that of a record's bytes.
func bodyFrom(raw []byte) *body {
	outline := outlines.Get().(*jsonedit.Outline)
	b := &body{}
	b.from(raw, outline)
	b.inner = slices.Clone(b.inner)
	outlines.Put(outline)
	return b
}

// from makes b that of a record's bytes, until the outline is that of something else.
func (b *body) from(raw []byte, outline *jsonedit.Outline) {
	*b = body{raw: raw}
	if outline.Check(raw) != nil { // as it was not when the record was read
		return
	}
	for i, all := 0, outline.Members; i < len(all); i += 1 + int(all[i].Inner) {
		key := keyOf(raw, all[i])
		b.see(key, raw[all[i].Val:all[i].End], int(all[i].Val))
		if key == "content" {
			b.place = place{raw, all[i+1:][:all[i].Inner]}
		}
	}
}

// outlined gives f the members of the record, while these last.
func (b *body) outlined(f func(members []jsonedit.Member)) {
	outline := outlines.Get().(*jsonedit.Outline)
	defer outlines.Put(outline)
	_ = outline.Check(b.raw) // as a part of its file it has passed
	f(outline.Members)
}

// outlines are those that nobody uses.
var outlines = sync.Pool{New: func() any { return &jsonedit.Outline{} }}
