package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// proseKeys are content fields whose names say nothing about what they hold.
var proseKeys = map[string]bool{
	"title": true, "summary": true, "description": true, "details": true, "text": true,
	"note": true, "notes": true, "body": true, "content": true, "message": true,
}

// Text is what a memory says, as one text: the strings, numbers and truth values
// of its content in the order of the file. Names of fields count, except those of
// plain prose ("summary", "details", …) and of list elements. A memory without
// content has the empty text.
func (m *Memory) Text() string { return m.read().text() }

// Texts are the texts of several memories. Those that stand in one collection are read
// together, which takes half the time. What was read is at hand until done is called.
func Texts(ms []*Memory) (texts []string, done func()) {
	bodies, done := bodiesOf(ms)
	texts = make([]string, len(ms))
	for i, b := range bodies {
		texts[i] = b.text()
	}
	return texts, done
}

// Summaries are the lines that stand for several memories, as [Memory.Summary] tells them. They
// are read on all cores, and those of a collection together.
func Summaries(ms []*Memory) []string {
	order := inFiles(ms)
	lines := make([]string, len(ms))
	const together = 256
	parallel.Tasks((len(ms)+together-1)/together, func(n int) {
		which := order[n*together : min((n+1)*together, len(order))]
		some := make([]*Memory, len(which))
		for k, i := range which {
			some[k] = ms[i]
		}
		_, done := bodiesOf(some)
		for k, i := range which {
			lines[i], _ = some[k].Summary()
		}
		done()
	})
	return lines
}

// inFiles are the places of memories in a list, in the order in which they stand in their files.
func inFiles(ms []*Memory) []int {
	order := make([]int, len(ms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ms[i].at, ms[j].at) })
	return order
}

// bodiesOf are those of several memories, at hand until done is called.
func bodiesOf(ms []*Memory) (bodies []*body, done func()) {
	bodies = make([]*body, len(ms))
	var asked []int
	var together []*Memory
	for order := inFiles(ms); len(order) > 0; {
		first := ms[order[0]]
		asked, together = asked[:0], together[:0]
		for len(order) > 0 && ms[order[0]].File == first.File {
			if m := ms[order[0]]; m.unread() && m.src == first.src {
				asked, together = append(asked, order[0]), append(together, m)
			}
			order = order[1:]
		}
		if len(together) > 1 {
			for i, b := range first.src.together(together) {
				bodies[asked[i]] = b
			}
		}
	}
	var held []heldBody
	for i, m := range ms {
		if bodies[i] == nil {
			bodies[i] = m.read()
		}
		if m.body == nil && m.src != nil && m.src.bodies[m.slot].CompareAndSwap(nil, bodies[i]) {
			held = append(held, heldBody{&m.src.bodies[m.slot], bodies[i]})
		}
	}
	return bodies, func() {
		for _, h := range held {
			h.slot.CompareAndSwap(h.body, nil)
		}
	}
}

// heldBody is a body for which there is no room in the long run, and where it is held.
type heldBody struct {
	slot *bodySlot
	body *body
}

// Size is how many bytes the record of a memory in a collection has; zero for another one.
func (m *Memory) Size() int { return int(m.size) }

func (b *body) text() string {
	if b.content.Type == gjson.String {
		return b.value().Str
	}
	var text strings.Builder
	text.Grow(len(b.content.Raw)) // what is quoted and laid out is longer
	b.eachText(func(piece string) { text.WriteString(piece) })
	return text.String()
}

// EachText gives the pieces that [Memory.Text] puts together, whole characters each. They go
// with the next one.
func (m *Memory) EachText(f func(piece string)) { m.read().eachText(f) }

func (b *body) eachText(f func(piece string)) {
	switch {
	case b.quoted:
		jsonedit.Pieces(viewBytes(b.content.Raw), f)
	case b.content.Type == gjson.String:
		f(b.content.Str)
	case len(b.inner) == 0:
		writeText(f, b.content)
	default:
		b.each(func(key string, v []byte) bool {
			if v[0] != '"' {
				writeField(f, key, valueOf(v))
				return true
			}
			writeKey(f, key)
			jsonedit.Pieces(v, f)
			f("\n")
			return true
		})
	}
}

func writeText(f func(string), v gjson.Result) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			writeField(f, key.Str, child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			writeText(f, child)
			return true
		})
	case v.Type == gjson.String:
		f(v.Str)
		f("\n")
	case v.Type != gjson.Null:
		f(v.Raw)
		f("\n")
	}
}

func writeField(f func(string), key string, v gjson.Result) {
	if v.Type == gjson.Null || v.IsObject() && v.Raw == "{}" || v.IsArray() && v.Raw == "[]" {
		return
	}
	writeKey(f, key)
	writeText(f, v)
}

func writeKey(f func(string), key string) {
	if !proseKeys[key] {
		f(key)
		f(": ")
	}
}

// blank reports whether writeText writes white space at most.
func blank(v gjson.Result) bool {
	switch {
	case v.IsObject():
		empty := true
		v.ForEach(func(key, child gjson.Result) bool {
			if child.Type == gjson.Null || child.IsObject() && child.Raw == "{}" || child.IsArray() && child.Raw == "[]" {
				return true
			}
			empty = proseKeys[key.Str] && blank(child)
			return empty
		})
		return empty
	case v.IsArray():
		empty := true
		v.ForEach(func(_, child gjson.Result) bool {
			empty = blank(child)
			return empty
		})
		return empty
	case v.Type == gjson.String:
		return strings.TrimSpace(v.Str) == ""
	}
	return v.Type == gjson.Null
}
