package workspace

import (
	"encoding/binary"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// recorder reads files into the same bytes, one after the other, and makes rows of what is
// in them: a hundred thousand memories that nobody has asked for yet are then no burden to
// the collector of garbage. It is for one goroutine.
type recorder struct {
	recordParser
	rows    *encoder
	derive  func([]byte, *Memory) []byte // see [FileStore.Derive]
	derived []byte                       // of the last memory
	bytes   int                          // that were read
	slow    int                          // batches, one after the other
	names   []string                     // room for those of a batch
	origin  *origin                      // of what is familiar
}

func newRecorder(sc *scanner) *recorder {
	r := &recorder{rows: newEncoder(sc.tables), derive: sc.derive}
	r.recordParser = recordParser{passing: true, take: r.record, again: r.again, later: func(name string) func() []byte { return readLater(sc.root, name) }}
	return r
}

// record derives what is to be derived of a memory's bytes, and makes its row. The bytes
// are read again when somebody asks for them: few are.
func (r *recorder) record(m *Memory) {
	b := m.body
	if b.said = saysWord(viewBytes(b.content.Raw)); !b.said {
		b.each(func(_ string, v []byte) bool {
			b.said = saysWord(v)
			return !b.said
		})
	}
	if r.derive != nil {
		r.derived = r.derive(r.derived[:0], m)
		m.derived = r.derived
	}
	r.rows.record(m)
}

// again makes the row of a memory that is familiar, and so is what was derived of it.
func (r *recorder) again(row int, ref Ref, e jsonedit.Element) {
	known := r.familiar.known
	if r.origin == nil || r.origin.records != known.records {
		r.origin = known.origin()
	}
	if found := r.familiar.found; row == found[0].row { // else a large collection would be copied again and again
		r.rows.reserve(r.origin, found)
	}
	was := r.rows.copy(r.origin, row)
	binary.LittleEndian.PutUint32(was[rowFindings:], 0)                   // [image.recognise] tells it
	r.rows.appendPlace(r.rows.extrasOf(was)[:0], ref, e.Val, e.End-e.Val) // where it stands by now
}

// count is how many memories have a row in the sheet.
func (r *recorder) count() int { return len(r.rows.records) / recordRow }

// cut gives the sheet to p, and begins another one.
func (r *recorder) cut(p *part) {
	mine := r.rows.parts()
	for i, to := range p.sheet.parts() {
		*to = slices.Clone(*mine[i])
	}
	p.fresh = len(p.files) / fileRow
	for _, b := range mine {
		*b = (*b)[:0]
	}
}

// saysWord reports whether a value is a string whose first character tells that it isn't blank,
// which nearly all do: it is no space, as it stands or escaped.
func saysWord(v []byte) bool {
	if len(v) <= 2 || v[0] != '"' {
		return false
	}
	switch c := v[1]; {
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRune(v[1:])
		return !unicode.IsSpace(r)
	case c == '\\' && v[2] == 'u':
		r, err := strconv.ParseUint(viewString(v[3:7]), 16, 16)
		return err == nil && !unicode.IsSpace(rune(r))
	case c == '\\':
		return v[2] == '"' || v[2] == '\\' || v[2] == '/'
	default:
		return c > ' '
	}
}

// readLater reads a file when it is asked for; what is gone by then is empty.
func readLater(root durable.FS, name string) func() []byte {
	return func() []byte {
		data, _, _ := root.Read(name, jsonedit.MaxSize)
		return data
	}
}
