package seenfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// file is the whole document.
type file struct {
	Version string            `json:"version"`
	Seen    map[string]string `json:"seen"`
}

// Notes are what the file says, in the order of the ids. The zero value says nothing.
type Notes struct {
	doc   []byte
	text  string
	lines []line
}

// line is where a line stands in the text: with the line feed before it, without the comma
// behind it. Of many memories these are large enough.
type line struct{ start, colon, end int32 }

// Read reads the file; one that is broken says nothing. The notes may share memory with
// doc, which must not change.
func Read(doc []byte) *Notes {
	if n, ok := split(doc); ok {
		return n
	}
	var text strings.Builder // it is not as [Format] writes it: as that would, but without escapes
	n, seen := &Notes{doc: doc}, Parse(doc)
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		start := text.Len()
		text.WriteString("\n\"" + id + "\":\"" + seen[id] + "\"")
		n.lines = append(n.lines, line{int32(start), int32(start + len(id) + 3), int32(text.Len())})
	}
	n.text = text.String()
	return n
}

// Doc is the file as it was read; nil where there was none.
func (n *Notes) Doc() []byte { return n.doc }

// Len is of how many ids something is noted.
func (n *Notes) Len() int { return len(n.lines) }

// ID is the one at i, and Print what was noted of it.
func (n *Notes) ID(i int) string    { return n.text[n.lines[i].start+2 : n.lines[i].colon-1] }
func (n *Notes) Print(i int) string { return n.text[n.lines[i].colon+2 : n.lines[i].end-1] }

// Of is what was noted of an id.
func (n *Notes) Of(id string) (print string, ok bool) {
	i := sort.Search(n.Len(), func(i int) bool { return n.ID(i) >= id })
	if i == n.Len() || n.ID(i) != id {
		return "", false
	}
	return n.Print(i), true
}

// Parse reads the file, by id; one that is broken says nothing. What it gives may share
// memory with doc, which must not change.
func Parse(doc []byte) map[string]string {
	if n, ok := split(doc); ok {
		seen := make(map[string]string, n.Len())
		for i := range n.Len() {
			seen[n.ID(i)] = n.Print(i)
		}
		return seen
	}
	var f file
	if json.Unmarshal(doc, &f) != nil || f.Seen == nil {
		return map[string]string{}
	}
	return f.Seen
}

const (
	head = `{"version":"1.0.0","seen":{`
	tail = "\n}}\n"
)

// Format writes one id per line, sorted, so that the file diffs well.
func Format(seen map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i, id := range slices.Sorted(maps.Keys(seen)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(text(id, seen[id]))
	}
	b.WriteString(tail)
	return b.Bytes()
}

func text(id, print string) []byte {
	return slices.Concat([]byte{'\n'}, jsonedit.Quote(id), []byte{':'}, jsonedit.Quote(print))
}

// split takes the file apart; not ok unless it is as [Format] writes it, without
// escapes.
func split(doc []byte) (n *Notes, ok bool) {
	if !bytes.HasPrefix(doc, []byte(head)) || !bytes.HasSuffix(doc, []byte(tail)) || !utf8.Valid(doc) || bytes.IndexByte(doc, '\\') >= 0 || len(doc) > math.MaxInt32 {
		return nil, false
	}
	feeds := bytes.Count(doc, []byte{'\n'})
	n = &Notes{doc, unsafe.String(unsafe.SliceData(doc), len(doc)), make([]line, 0, feeds)} // no copy: with many memories it is large
	if controls(doc) != feeds {
		return nil, false
	}
	last := len(doc) - len(tail)
	quoted := func(at int) (behind int) { // -1 behind what is no plain text
		if at >= last || n.text[at] != '"' {
			return -1
		}
		length := strings.IndexByte(n.text[at+1:last], '"')
		if length < 0 {
			return -1
		}
		return at + length + 2
	}
	before := ""
	for at := len(head); at < last; {
		start := at
		if n.Len() > 0 {
			if n.text[at] != ',' {
				return nil, false
			}
			start++
		}
		if start >= last || n.text[start] != '\n' {
			return nil, false
		}
		colon := quoted(start + 1)
		if colon < 0 || colon >= last || n.text[colon] != ':' {
			return nil, false
		}
		if at = quoted(colon + 1); at < 0 {
			return nil, false
		}
		id := n.text[start+2 : colon-1]
		if n.Len() > 0 && before >= id {
			return nil, false
		}
		before = id
		n.lines = append(n.lines, line{int32(start), int32(colon), int32(at)})
	}
	return n, n.Len()+strings.Count(tail, "\n") == feeds // else a text holds one
}

// controls counts the control characters of a text below the blank, eight bytes at a time: seven
// bits of a byte reach the eighth when what the blank lacks is added, unless it is one of them.
func controls(doc []byte) (n int) {
	const high, lacking = 0x8080808080808080, (0x80 - ' ') * 0x0101010101010101
	for ; len(doc) >= 8; doc = doc[8:] {
		w := binary.NativeEndian.Uint64(doc)
		n += bits.OnesCount64(^(w&^high + lacking | w) & high)
	}
	for _, c := range doc {
		if c < ' ' {
			n++
		}
	}
	return n
}

// Patch changes what is noted of some ids, "" takes the line away, and tells what of
// the file stays; not ok for a file that is not as [Format] writes it.
func Patch(doc []byte, now map[string]string) (out []byte, kept []jsonedit.Kept, ok bool) {
	was, ok := split(doc)
	if !ok {
		return nil, nil, false
	}
	out = make([]byte, 0, len(doc)+64*len(now))
	keep := func(start, end int) {
		if n := len(kept) - 1; n >= 0 && kept[n].Old+kept[n].Len == start && kept[n].New+kept[n].Len == len(out) {
			kept[n].Len += end - start
		} else if start < end {
			kept = append(kept, jsonedit.Kept{Old: start, New: len(out), Len: end - start})
		}
		out = append(out, doc[start:end]...)
	}
	keep(0, len(head))
	add := func(id string) {
		if now[id] != "" {
			if len(out) > len(head) {
				out = append(out, ',')
			}
			out = append(out, text(id, now[id])...)
		}
	}
	ids := slices.Sorted(maps.Keys(now))
	for i, l := range was.lines {
		id, start, end := was.ID(i), int(l.start), int(l.end)
		for ; len(ids) > 0 && ids[0] < id; ids = ids[1:] {
			add(ids[0])
		}
		if len(ids) > 0 && ids[0] == id {
			add(id)
			ids = ids[1:]
			continue
		}
		switch {
		case len(out) == len(head):
			keep(start, end)
		case start == len(head): // it had no comma before it
			out = append(out, ',')
			keep(start, end)
		default:
			keep(start-1, end)
		}
	}
	for _, id := range ids {
		add(id)
	}
	keep(len(doc)-len(tail), len(doc))
	return out, kept, true
}
