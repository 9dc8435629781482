package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Drift is one place where an index disagrees with the files.
type Drift struct {
	ID      string
	Message string
}

// field is one member of an index entry as it should be.
type field struct {
	key string
	raw []byte
}

// line is what an index tells of a memory.
type line struct {
	Ref
	id     string
	raw    []byte // an entry in our form, without the place
	stated bool   // the summary is the memory's own
}

// lineOf makes the line of a memory. It shares nothing with it.
func lineOf(m *Memory) line {
	root, raw := parse(m.Raw()), append([]byte(`{"id":`), jsonedit.Quote(m.ID)...)
	add := func(key string, value []byte) {
		raw = append(append(append(append(raw, `,"`...), key...), `":`...), value...)
	}
	copied := func(key string) {
		if v := root.Get(key); v.Exists() && v.Type != gjson.Null {
			add(key, viewBytes(v.Raw))
		}
	}
	copied("type")
	copied("subtype")
	add("tags", jsonedit.Strings(m.Tags))
	summary, stated := m.Summary()
	add("summary", jsonedit.Quote(summary))
	copied("priority")
	copied("created_at")
	copied("updated_at")
	return line{m.Ref, strings.Clone(m.ID), append(raw, '}'), stated}
}

// fields lists what an entry says, in the order of our form.
func (x *Index) fields(l line) []field {
	fs := make([]field, 0, 10)
	parse(l.raw).ForEach(func(key, v gjson.Result) bool {
		fs = append(fs, field{key.Str, viewBytes(v.Raw)})
		return true
	})
	return append(fs, x.place(l)...)
}

// place is where the memory is, for an entry.
func (x *Index) place(l line) []field {
	fs := []field{{x.text().pathKey, jsonedit.Quote(strings.TrimPrefix(l.File, path.Dir(x.File)+"/"))}}
	if p := l.Pointer(); p != "" {
		fs = append(fs, field{"json_path", jsonedit.Quote(p)})
	}
	return fs
}

// newEntry renders an entry, with extra members after ours.
func (x *Index) newEntry(l line, extra []field) []byte {
	raw, fields := l.raw[:len(l.raw)-1:len(l.raw)-1], x.place(l)
	for _, f := range extra {
		if !slices.ContainsFunc(x.fields(l), func(ours field) bool { return ours.key == f.key }) {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		raw = append(append(append(append(raw, ','), jsonedit.Quote(f.key)...), ':'), f.raw...)
	}
	return append(raw, '}')
}

// update brings an existing entry into line: members that it has and that differ,
// its place, and extra members. Unknown members stay. A summary written by somebody
// stays unless the memory states its own. Moved is set when the index may tell of it
// under other tags or another type than before.
func (x *Index) update(raw []byte, l line, extra []field) (next []byte, drift string, moved bool, err error) {
	var room [16]field
	has := room[:0]
	parse(raw).ForEach(func(key, v gjson.Result) bool {
		has = append(has, field{key.Str, viewBytes(v.Raw)})
		return true
	})
	have := func(key string) gjson.Result { // of several the first, as everywhere
		for i := range has {
			if has[i].key == key {
				return parse(has[i].raw)
			}
		}
		return gjson.Result{}
	}
	var sets []field
	for _, f := range x.fields(l) {
		was := have(f.key)
		switch {
		case f.key == "summary" && was.Str != "" && !l.stated:
			continue
		case !was.Exists() && f.key != x.text().pathKey && f.key != "json_path":
			continue
		case sameJSON([]byte(was.Raw), f.raw):
			continue
		case f.key == "tags" && sameTags(list(was), list(parse(f.raw))):
			continue
		}
		sets, moved = append(sets, f), moved || f.key == "id" || f.key == "type" || f.key == "tags"
		if drift == "" {
			drift = f.key + " is " + orNone(was.Raw) + ", the file says " + string(f.raw)
		}
	}
	var more []jsonedit.Edit
	if p := have("json_path"); p.Exists() && l.Whole() {
		more = append(more, jsonedit.Delete("json_path"))
		drift = "json_path is " + p.Raw + ", but the memory is a file of its own"
	}
	for _, f := range extra {
		if !sameJSON([]byte(have(f.key).Raw), f.raw) {
			sets, moved = append(sets, f), true
		}
	}
	if len(sets)+len(more) > 0 {
		next, err = withFields(raw, sets, more)
	}
	return next, drift, moved, err
}

// withFields is an entry with members set, and then edited.
func withFields(raw []byte, sets []field, more []jsonedit.Edit) ([]byte, error) {
	members, ok := jsonedit.MembersOf(raw)
	if ok && len(more) == 0 { // in one pass, where all of them are there
		edit := members.Edit()
		for _, f := range sets {
			if _, there := members.Get(f.key); !there {
				ok = false
				break
			}
			if err := edit.Set(f.key, f.raw); err != nil {
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
		edits = append(edits, jsonedit.Set(f.raw, f.key))
	}
	return jsonedit.Apply(raw, append(edits, more...)...)
}

func orNone(raw string) string {
	if raw == "" {
		return "missing"
	}
	return raw
}

// sameJSON reports whether two values differ in nothing but white space between tokens.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
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

func sameTags(a, b []string) bool {
	na, nb := normalTags(a), normalTags(b)
	if len(na) != len(nb) {
		return false
	}
	for i := range na {
		if na[i] != nb[i] {
			return false
		}
	}
	return true
}

// normalTags gives the tags trimmed, lower-cased, without repeats, sorted.
func normalTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = normalTag(t); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func normalTag(tag string) string { return strings.ToLower(strings.TrimSpace(tag)) }

// reconcile computes the index file as the owned memories demand it, leaving
// everything else in it as it is. only restricts the work to entries of certain
// ids (nil: all). extras are members to add to entries. With nothing to change it
// returns the text it has itself.
func (x *Index) reconcile(owned []*Memory, only map[string]bool, extras map[string][]field, now time.Time) (doc []byte, drifts []Drift, err error) {
	return x.held(ownedMemories(owned), only, extras, now)
}

// held is reconcile.
func (x *Index) held(to owned, only map[string]bool, extras map[string][]field, now time.Time) (doc []byte, drifts []Drift, err error) {
	want := make(map[string]int, to.len()) // of several with an id, the last one
	for i := range to.len() {
		if id := to.id(i); only == nil || only[id] {
			want[id] = i
		}
	}
	text := x.text()
	edit := jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	seen, moved := make(map[string]bool, len(want)), false
	for i, e := range text.entries {
		if only != nil && !only[e.ID] {
			continue
		}
		m, wanted := want[e.ID]
		if !wanted && e.Holds {
			drifts = append(drifts, Drift{e.ID, "the entry itself holds content that no file has: save it as a file of its own"})
			continue
		}
		if !wanted || seen[e.ID] {
			edit.Remove[i] = true
			drifts = append(drifts, Drift{e.ID, "the index lists it, but it isn't there"})
			continue
		}
		seen[e.ID] = true
		if known, ok := to.(ownedExamined); ok && len(extras[e.ID]) == 0 && known.agrees(m) {
			continue
		}
		raw, drift, elsewhere, err := x.update(e.Raw, to.line(m), extras[e.ID])
		if err != nil {
			return nil, nil, err
		}
		if drift != "" {
			drifts = append(drifts, Drift{e.ID, drift})
		}
		if raw != nil {
			edit.Set[i], moved = raw, moved || elsewhere
		}
	}
	for i := range to.len() {
		id := to.id(i)
		m, wanted := want[id]
		if !wanted || seen[id] {
			continue
		}
		seen[id] = true
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(text.entries), Raw: x.newEntry(to.line(m), extras[id])})
		drifts = append(drifts, Drift{id, "not in the index"})
	}
	if text.members == nil {
		if len(drifts) > 0 {
			return nil, nil, errors.New("it has no list of memories")
		}
		return text.doc, nil, nil
	}
	changes := text.members.Edit()
	if len(edit.Set)+len(edit.Remove)+len(edit.Insert) > 0 {
		span := func(i int) (start, end int) {
			return int(text.at[i]), int(text.at[i]) + len(text.entries[i].Raw)
		}
		if err := changes.EditArray(text.listKey, len(text.entries), span, edit); err != nil {
			return nil, nil, err
		}
	}
	if moved = moved || len(edit.Remove)+len(edit.Insert) > 0; moved || !x.agreed {
		more, err := x.derived(changes, edit)
		if err != nil {
			return nil, nil, err
		}
		if len(drifts) == 0 {
			drifts = more // else they only follow from the entries
		}
	}
	if !changes.Any() {
		x.kept = []jsonedit.Kept{{Len: len(text.doc)}}
		return text.doc, drifts, nil
	}
	if _, ok := text.members.Get("last_updated"); ok {
		if err := changes.Set("last_updated", jsonedit.Quote(timestamp.Format(now))); err != nil {
			return nil, nil, err
		}
	}
	doc, x.kept, err = changes.Bytes()
	return doc, drifts, err
}

// newIndex is an empty index in our form.
func newIndex(file string, now time.Time) (*Index, error) {
	doc, err := json.MarshalIndent(struct {
		Version     string   `json:"version"`
		LastUpdated string   `json:"last_updated"`
		EntryCount  int      `json:"entry_count"`
		Entries     []string `json:"entries"`
		TagIndex    struct{} `json:"tag_index"`
		TypeIndex   struct{} `json:"type_index"`
	}{Version: "1.0.0", LastUpdated: timestamp.Format(now), Entries: []string{}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return parseIndex(file, append(doc, '\n'))
}
