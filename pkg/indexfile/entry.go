package indexfile

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
)

// Field is one member of an entry as it should be.
type Field struct{ Key, Raw string }

// Line is what an index says of a memory.
type Line struct {
	ID      string
	File    string // relative to the workspace
	Pointer string // inside the file; "" for a memory that is a file
	Fields  string // an entry in our form, without the place
	Stated  bool   // the summary is the memory's own
}

// fields lists what an entry says, in the order of our form.
func (f *File) fields(l Line) []Field {
	fs := make([]Field, 0, 10)
	gjson.Parse(l.Fields).ForEach(func(key, v gjson.Result) bool {
		fs = append(fs, Field{key.Str, v.Raw})
		return true
	})
	return append(fs, f.place(l)...)
}

// place is where the memory is, for an entry.
func (f *File) place(l Line) []Field {
	fs := []Field{{f.pathKey, quote(strings.TrimPrefix(l.File, path.Dir(f.Name)+"/"))}}
	if l.Pointer != "" {
		fs = append(fs, Field{"json_path", quote(l.Pointer)})
	}
	return fs
}

// newEntry renders an entry, with extra members after ours.
func (f *File) newEntry(l Line, extra []Field) []byte {
	raw, fields := []byte(l.Fields[:len(l.Fields)-1]), f.place(l)
	for _, more := range extra {
		if !slices.ContainsFunc(f.fields(l), func(ours Field) bool { return ours.Key == more.Key }) {
			fields = append(fields, more)
		}
	}
	for _, field := range fields {
		raw = append(append(append(append(raw, ','), jsonedit.Quote(field.Key)...), ':'), field.Raw...)
	}
	return append(raw, '}')
}

// update brings an existing entry into line: members that it has and that differ,
// its place, and extra members. Unknown members stay. A summary written by somebody
// stays unless the memory states its own.
func (f *File) update(raw string, l Line, extra []Field) (next []byte, drift string, err error) {
	var room [16]Field
	has := room[:0]
	gjson.Parse(raw).ForEach(func(key, v gjson.Result) bool {
		has = append(has, Field{key.Str, v.Raw})
		return true
	})
	have := func(key string) gjson.Result { // of several the first, as everywhere
		for i := range has {
			if has[i].Key == key {
				return gjson.Parse(has[i].Raw)
			}
		}
		return gjson.Result{}
	}
	var sets []Field
	for _, want := range f.fields(l) {
		was := have(want.Key)
		switch {
		case want.Key == "summary" && was.Str != "" && !l.Stated:
			continue
		case !was.Exists() && want.Key != f.pathKey && want.Key != "json_path":
			continue
		case sameJSON(was.Raw, want.Raw), want.Key == "id" && text.Composed(was.Str) == l.ID:
			continue
		case want.Key == "tags" && slices.Equal(NormalTags(jsonedit.Texts(was)), NormalTags(jsonedit.Texts(gjson.Parse(want.Raw)))):
			continue
		}
		sets = append(sets, want)
		if drift == "" {
			drift = want.Key + " is " + orNone(was.Raw) + ", the file says " + want.Raw
		}
	}
	var more []jsonedit.Edit
	if p := have("json_path"); p.Exists() && l.Pointer == "" {
		more = append(more, jsonedit.Delete("json_path"))
		drift = "json_path is " + p.Raw + ", but the memory is a file of its own"
	}
	for _, want := range extra {
		if !sameJSON(have(want.Key).Raw, want.Raw) {
			sets = append(sets, want)
		}
	}
	if len(sets)+len(more) > 0 {
		next, err = withFields([]byte(raw), sets, more)
	}
	return next, drift, err
}

// withFields is an entry with members set, and then edited.
func withFields(raw []byte, sets []Field, more []jsonedit.Edit) ([]byte, error) {
	members, ok := jsonedit.MembersOf(raw)
	if ok && len(more) == 0 { // in one pass, where all of them are there
		edit := members.Edit()
		for _, f := range sets {
			if _, there := members.Get(f.Key); !there {
				ok = false
				break
			}
			if err := edit.Set(f.Key, []byte(f.Raw)); err != nil {
				return nil, err
			}
		}
		if ok {
			next, _, err := edit.Bytes()
			return next, err
		}
	}
	edits := make([]jsonedit.Edit, 0, len(sets)+len(more))
	for _, f := range sets {
		edits = append(edits, jsonedit.Set([]byte(f.Raw), f.Key))
	}
	return jsonedit.Apply(raw, append(edits, more...)...)
}

func quote(text string) string { return string(jsonedit.Quote(text)) }

func orNone(raw string) string {
	if raw == "" {
		return "missing"
	}
	return raw
}

// sameJSON reports whether two values differ in nothing but white space between tokens.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	quoted, escaped := false, false
	for {
		for !quoted && len(a) > 0 && isBlank(a[0]) {
			a = a[1:]
		}
		for !quoted && len(b) > 0 && isBlank(b[0]) {
			b = b[1:]
		}
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0] != b[0] {
			return false
		}
		switch c := a[0]; {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		}
		a, b = a[1:], b[1:]
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// NormalTags gives tags as they are compared: trimmed, composed, lower-cased, without repeats, sorted.
func NormalTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = normalTag(t); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func normalTag(tag string) string { return text.FoldName(strings.TrimSpace(tag)) }
