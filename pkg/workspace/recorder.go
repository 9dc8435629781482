package workspace

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// recorder reads files into the same bytes, one after the other, and makes rows of what is
// in them: a hundred thousand memories that nobody has asked for yet are then no burden to
// the collector of garbage. It is for one goroutine.
type recorder struct {
	recordParser
	rows   *encoder
	root   durable.FS
	room   *room                // for the bytes of records; others are read again when they are asked for
	found  *atomic.Int64        // how many files there are, as far as anybody knows
	derive func(*Memory) []byte // see [FileStore.Derive]
	bodies []keptBody
	slow   int // batches, one after the other
}

// mostKept is how many files may have been found for bodies and indexes to be kept: of more,
// those that come first are a small part.
const mostKept = 1 << 14

// keptBody is the body of the memory of a row.
type keptBody struct {
	row int32
	*body
}

func newRecorder(sc *scanner) *recorder {
	r := &recorder{rows: newEncoder(sc.tables), root: sc.root, room: sc.room, found: &sc.total, derive: sc.derive}
	r.recordParser = recordParser{passing: true, take: r.record, later: r.index}
	return r
}

// record derives what is to be derived of a memory's bytes, makes its row, and keeps the
// bytes while there is room.
func (r *recorder) record(m *Memory) {
	b := m.body
	if b.said = saysWord(viewBytes(b.content.Raw)); !b.said {
		b.each(func(_ string, v []byte) bool {
			b.said = saysWord(v)
			return !b.said
		})
	}
	if r.derive != nil {
		m.derived = r.derive(m)
	}
	r.rows.record(m)
	if r.found.Load() <= mostKept && r.room.spare(len(b.raw)) {
		own := &body{raw: slices.Clone(b.raw), title: strings.Clone(b.title), said: b.said}
		if at := b.content.Index; b.content.Exists() {
			own.content = valueOf(own.raw[at : at+len(b.content.Raw)])
			own.content.Index = at
		}
		r.bodies = append(r.bodies, keptBody{int32(r.count() - 1), own})
	}
}

// count is how many memories have a row in the sheet.
func (r *recorder) count() int { return len(r.rows.records) / recordRow }

// cut gives the sheet to p, and begins another one.
func (r *recorder) cut(p *part) {
	mine := r.rows.parts()
	for i, to := range p.sheet.parts() {
		*to = slices.Clone(*mine[i])
	}
	p.fresh, p.bodies = len(p.files)/fileRow, r.bodies
	for _, b := range mine {
		*b = (*b)[:0]
	}
	r.bodies = nil
}

// saysWord reports whether a value is a string that begins with a character of ASCII:
// most texts do, and none of them is blank.
func saysWord(v []byte) bool {
	return len(v) > 2 && v[0] == '"' && v[1] > ' ' && v[1] != '\\' && v[1] < utf8.RuneSelf
}

// index gives the text of an index when somebody asks for it; what is gone by then is
// empty.
func (r *recorder) index(name string, data []byte) func() []byte {
	if r.found.Load() > mostKept || !r.room.spare(len(data)) {
		return readLater(r.root, name)
	}
	data = slices.Clone(data)
	return func() []byte { return data }
}

// readLater reads a file when it is asked for; what is gone by then is empty.
func readLater(root durable.FS, name string) func() []byte {
	return func() []byte {
		data, _, _ := root.Read(name, jsonedit.MaxSize)
		return data
	}
}
