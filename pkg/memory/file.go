package memory

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// maxContainers bounds how deep collections are looked for inside a file.
const maxContainers = 16

// Parsed is what the bytes of one file hold.
type Parsed struct {
	Memories []*Memory
	Arrays   []string // JSON Pointers of the arrays that are collections, or are empty and could be
	LacksID  bool     // it would be a memory if it had an id
}

// Parser parses files. It remembers strings that many records have alike, so that their
// memories share them. It is for one goroutine.
type Parser struct{ parser }

// File finds the memories in the bytes of one file. A file that holds none gives none; bytes
// that are no valid JSON give an error.
//
// A file is one memory when its root is a record. Otherwise the arrays reachable
// through objects are looked at: under "entries" and "memories", and in a root
// array, each element that is a record is a memory; under any other key only an
// array all of whose elements are records is a collection.
func (p *Parser) File(name string, data []byte) (out Parsed, err error) {
	p.take = func(m *Memory) { out.Memories = append(out.Memories, m) }
	if out.Arrays, err = p.file(name, data); err != nil {
		return Parsed{}, err
	}
	out.LacksID = len(out.Memories)+len(out.Arrays) == 0 && lacksID(name, data)
	return out, nil
}

// ParseFile is [Parser.File] of one file alone.
func ParseFile(name string, data []byte) (Parsed, error) {
	var p Parser
	return p.File(name, data)
}

// ParseRecords gives the memories of [ParseFile].
func ParseRecords(name string, data []byte) ([]*Memory, error) {
	found, err := ParseFile(name, data)
	return found.Memories, err
}

// file gives the memories of a file to take, and lists the pointers of its arrays.
func (p *parser) file(file string, data []byte) (arrays []string, err error) {
	if err := p.outline.Check(data); err != nil {
		return nil, err
	}
	start, end := jsonedit.Span(data)
	if isProfile(file, data[start:end]) {
		return nil, nil
	}
	if signOf(data, p.outline.Members).is() {
		p.take(p.record(data, start, end, Ref{File: file}, ""))
		return nil, nil
	}
	f := finder{parser: p, name: file}
	f.document(data, start, end)
	return f.arrays, nil
}

// isProfile tells an agent's profile, which is never a collection whatever
// lists it holds.
func isProfile(file string, body []byte) bool {
	return (file == ProfileFile || strings.HasSuffix(file, "/"+ProfileFile)) && parse(body).Get("agent_id").Exists()
}

// IsRecord reports whether a value is a memory: an object with a non-empty
// string id, and a type or a content.
func IsRecord(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	var sign recordSign
	v.ForEach(func(key, val gjson.Result) bool {
		sign.see(key.Str, viewBytes(val.Raw))
		return !sign.is()
	})
	return sign.is()
}

// recordSign is what is known of an object from the members that were seen so far. Once
// it is a memory, no other member is looked at.
type recordSign struct{ id, what bool }

// signOf is what the members of an object tell.
func signOf(doc []byte, m []jsonedit.Member) (s recordSign) {
	for i := 0; i < len(m) && !s.is(); i += 1 + int(m[i].Inner) {
		s.see(keyOf(doc, m[i]), doc[m[i].Val:m[i].End])
	}
	return s
}

func (s recordSign) is() bool { return s.id && s.what }

func (s *recordSign) see(key string, v []byte) {
	switch key {
	case "id":
		s.id = says(v)
	case "type":
		s.what = s.what || says(v)
	case "content":
		s.what = s.what || v[0] != 'n'
	}
}

// says reports whether a value is a string that isn't empty.
func says(v []byte) bool { return v[0] == '"' && len(v) > len(`""`) }

// lacksID tells a file that would be a memory if it had an id. Templates, in files
// or directories whose names begin with "_", are meant to have none.
func lacksID(file string, data []byte) bool {
	if strings.HasPrefix(file, "_") || strings.Contains(file, "/_") {
		return false
	}
	start, end := jsonedit.Span(data)
	v := parse(data[start:end])
	return v.IsObject() && !IsRecord(v) && v.Get("type").Type == gjson.String && v.Get("content").Exists()
}

// OnTheWay ends the reason why a record is locked whose own keys are fine.
const OnTheWay = " on the way to it"

type finder struct {
	*parser
	name   string // of the file
	arrays []string
}

// document looks for collections in doc[start:end], the outline of which is known. From
// now on the parser has that of a record.
func (f *finder) document(doc []byte, start, end int) {
	whole := outlines.Get().(*jsonedit.Outline)
	f.outline, *whole = *whole, f.outline
	defer func() {
		f.outline, *whole = *whole, f.outline
		outlines.Put(whole)
	}()
	switch {
	case len(whole.Members) > 0:
		locked := lockedBelow(jsonedit.Twice(doc, whole.Members))
		for i := 0; i < len(whole.Members); i += 1 + int(whole.Members[i].Inner) {
			m := whole.Members[i]
			if c := doc[m.Val]; c != '{' && c != '[' {
				continue
			}
			path := []string{strings.Clone(keyOf(doc, m))}
			if elements := whole.Array(m); len(elements) > 0 {
				f.elements(doc, whole, elements, path, locked)
			} else {
				f.value(parse(doc[m.Val:m.End]), path, locked)
			}
		}
	case len(whole.Elements) > 0:
		f.elements(doc, whole, whole.Elements, []string{}, "")
	default:
		f.value(parse(doc[start:end]), nil, "")
	}
}

// elements is array of elements whose members are known.
func (f *finder) elements(doc []byte, whole *jsonedit.Outline, elements []jsonedit.Element, path []string, locked string) {
	records := func(e jsonedit.Element) bool { return signOf(doc, whole.MembersOf(e)).is() }
	if !tolerated(path) && !all(elements, records) {
		return
	}
	f.arrays = append(f.arrays, Pointer(path))
	own := f.outline.Members
	for i, e := range elements {
		if !records(e) {
			continue
		}
		f.outline.Members = whole.MembersOf(e)
		f.take(f.record(doc, int(e.Val), int(e.End), Ref{File: f.name, Array: path, Index: i}, locked))
	}
	f.outline.Members = own
}

// tolerated reports whether an array at path may have elements that are no memories.
func tolerated(path []string) bool {
	return len(path) == 0 || len(path) == 1 && (path[0] == "entries" || path[0] == "memories")
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(e T) bool { return !is(e) })
}

// lockedBelow is why nothing may be edited below an object that has keys more than once.
func lockedBelow(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "repeated key " + strings.Join(keys, ", ") + OnTheWay
}

// value looks for collections in v, which is at path; locked is why nothing
// below may be edited.
func (f *finder) value(v gjson.Result, path []string, locked string) {
	switch {
	case v.IsArray():
		f.array(v, path, locked)
	case v.IsObject() && len(path) < maxContainers:
		if locked == "" {
			locked = lockedBelow(jsonedit.DuplicateKeys(viewBytes(v.Raw)))
		}
		v.ForEach(func(key, child gjson.Result) bool {
			if child.IsArray() || child.IsObject() {
				f.value(child, append(path[:len(path):len(path)], strings.Clone(key.Str)), locked)
			}
			return true
		})
	}
}

func (f *finder) array(v gjson.Result, path []string, locked string) {
	elements := v.Array()
	if !tolerated(path) && !all(elements, IsRecord) {
		return
	}
	if path == nil {
		path = []string{}
	}
	f.arrays = append(f.arrays, Pointer(path))
	for i, e := range elements {
		if IsRecord(e) {
			m := f.element(viewBytes(e.Raw), Ref{File: f.name, Array: path, Index: i}, locked)
			m.offset, m.size = 0, 0 // not known here
			f.take(m)
		}
	}
}

// ReplaceRecord replaces the record of m in data by raw.
func ReplaceRecord(data []byte, m *Memory, raw []byte) ([]byte, error) {
	if !m.Whole() {
		return jsonedit.EditArray(data, m.Array, jsonedit.ArrayEdit{Set: map[int][]byte{m.Index: raw}})
	}
	start, end := jsonedit.Span(data)
	out := make([]byte, 0, len(data)-(end-start)+len(raw))
	out = append(append(append(out, data[:start]...), raw...), data[end:]...)
	return out, jsonedit.Check(out)
}
