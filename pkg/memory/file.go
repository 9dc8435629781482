package memory

import (
	"fmt"
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
	Numbered int      // records that would be memories if their ids were strings: they are numbers
	Printed  int      // records that are what memoryd prints of memories with --json
}

// Parser parses files. It remembers strings that many records have alike, so that their
// memories share them. It is for one goroutine.
type Parser struct{ parser }

// File finds the memories in the bytes of one file. A file that holds none gives none; bytes
// that are not valid JSON give an error.
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
	out.Numbered, out.Printed, p.numbered, p.printed = p.numbered, p.printed, 0, 0
	out.LacksID = len(out.Memories)+len(out.Arrays)+out.Numbered == 0 && lacksID(name, data)
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

// OneRecord reads a record that an action writes as a later snapshot would read it from the named file. It is an error if that isn't one memory.
func OneRecord(name string, raw []byte) (*Memory, error) {
	ms, err := ParseRecords(name, raw)
	if err == nil && len(ms) != 1 {
		err = fmt.Errorf("%d memories", len(ms))
	}
	if err != nil {
		return nil, fmt.Errorf("read the record for %s: %w", name, err)
	}
	return ms[0], nil
}

// SoleID is the id of the memory that a file consists of; "" for a file that holds none, or several, or something next to it.
func SoleID(name string, data []byte) string {
	all, err := ParseRecords(name, data)
	if err != nil || len(all) != 1 || !all[0].Whole() {
		return ""
	}
	return all[0].ID
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
	if p.seen(signOf(data, p.outline.Members)) {
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
func IsRecord(v gjson.Result) bool { return signOfValue(v).is() }

func signOfValue(v gjson.Result) (sign recordSign) {
	if !v.IsObject() {
		return sign
	}
	v.ForEach(func(key, val gjson.Result) bool {
		sign.see(key.Str, viewBytes(val.Raw))
		return !sign.sure()
	})
	return sign
}

// recordSign is what is known of an object from the members that were seen so far. Once
// it is sure to be a memory, no other member is looked at.
type recordSign struct {
	id, kind, content     bool
	number                bool // the id is a number
	tier, retention, file bool // which only what memoryd prints has together
}

// signOf is what the members of an object tell.
func signOf(doc []byte, m []jsonedit.Member) (s recordSign) {
	for i := 0; i < len(m) && !s.sure(); i += 1 + int(m[i].Inner) {
		s.see(keyOf(doc, m[i]), doc[m[i].Val:m[i].End])
	}
	return s
}

func (s recordSign) is() bool { return s.id && (s.content || s.kind && !s.printed()) }

func (s recordSign) sure() bool { return s.id && s.content }

// printed reports whether an object is a line of what memoryd prints of memories, with no content.
func (s recordSign) printed() bool { return !s.content && s.tier && s.retention && s.file }

// seen counts what is not a record but looks like one, and reports whether an object is one.
func (p *parser) seen(s recordSign) bool {
	switch {
	case s.is():
		return true
	case s.printed():
		p.printed++
	case s.number && s.kind && s.content:
		p.numbered++
	}
	return false
}

func (s *recordSign) see(key string, v []byte) {
	switch key {
	case "id":
		s.id, s.number = says(v), v[0] == '-' || '0' <= v[0] && v[0] <= '9'
	case "type":
		s.kind = s.kind || says(v)
	case "content":
		s.content = s.content || v[0] != 'n'
	case "tier":
		s.tier = says(v)
	case "retention":
		s.retention = '0' <= v[0] && v[0] <= '9'
	case "file", "file_path":
		s.file = says(v)
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
	signs := make([]recordSign, len(elements))
	for i, e := range elements {
		signs[i] = signOf(doc, whole.MembersOf(e))
	}
	if !f.collects(signs, path) {
		return
	}
	f.arrays = append(f.arrays, Pointer(path))
	own := f.outline.Members
	for i, e := range elements {
		if !signs[i].is() {
			continue
		}
		f.outline.Members = whole.MembersOf(e)
		f.take(f.record(doc, int(e.Val), int(e.End), Ref{File: f.name, Array: path, Index: i}, locked))
	}
	f.outline.Members = own
}

// collects reports whether an array is a collection, and counts what only looks like a record.
func (f *finder) collects(signs []recordSign, path []string) bool {
	all := true
	for _, s := range signs {
		all = f.seen(s) && all
	}
	return all || tolerated(path)
}

// tolerated reports whether an array at path may have elements that are not memories.
func tolerated(path []string) bool {
	return len(path) == 0 || len(path) == 1 && (path[0] == "entries" || path[0] == "memories")
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
	signs := make([]recordSign, len(elements))
	for i, e := range elements {
		signs[i] = signOfValue(e)
	}
	if !f.collects(signs, path) {
		return
	}
	if path == nil {
		path = []string{}
	}
	f.arrays = append(f.arrays, Pointer(path))
	for i, e := range elements {
		if signs[i].is() {
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
