package workspace

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
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

// fields lists what the files say about a memory, in the order of our form.
func (x *Index) fields(m *Memory) []field {
	root := firstMembers(parse(m.Raw()), "type", "subtype", "priority", "created_at", "updated_at")
	fs := make([]field, 0, 10)
	add := func(key string, raw []byte) { fs = append(fs, field{key, raw}) }
	copied := func(key string) {
		if v := root.get(key); v.Exists() && v.Type != gjson.Null {
			add(key, []byte(v.Raw))
		}
	}
	add("id", jsonedit.Quote(m.ID))
	copied("type")
	copied("subtype")
	add("tags", jsonedit.Strings(m.Tags))
	summary, _ := m.Summary()
	add("summary", jsonedit.Quote(summary))
	copied("priority")
	copied("created_at")
	copied("updated_at")
	rel := strings.TrimPrefix(m.File, path.Dir(x.File)+"/")
	add(x.text().pathKey, jsonedit.Quote(rel))
	if p := m.Pointer(); p != "" {
		add("json_path", jsonedit.Quote(p))
	}
	return fs
}

// members are some of an object by their keys, taken in one pass; of one that
// repeats the first, as [gjson.Result.Get] has it.
type members []member

type member struct {
	key   string
	value gjson.Result
}

func firstMembers(object gjson.Result, keys ...string) members {
	out, left := make(members, len(keys)), len(keys)
	for i, key := range keys {
		out[i].key = key
	}
	if !object.IsObject() {
		return out
	}
	object.ForEach(func(key, value gjson.Result) bool {
		for i := range out {
			if out[i].key == key.Str && !out[i].value.Exists() {
				out[i].value = value
				left--
			}
		}
		return left > 0
	})
	return out
}

func (ms members) get(key string) gjson.Result {
	for _, m := range ms {
		if m.key == key {
			return m.value
		}
	}
	return gjson.Result{}
}

// newEntry renders an entry for m, with extra members after ours.
func (x *Index) newEntry(m *Memory, extra []field) ([]byte, error) {
	doc := []byte("{}")
	var err error
	for _, f := range append(x.fields(m), extra...) {
		if doc, err = sjson.SetRawBytes(doc, f.key, f.raw); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// update brings an existing entry into line with m: members that it has and that
// differ, its place, and extra members. Unknown members stay. A summary written
// by somebody stays unless the memory states its own.
func (x *Index) update(raw []byte, m *Memory, extra []field) (edits []jsonedit.Edit, drift string) {
	_, stated := m.Summary()
	have := firstMembers(parse(raw), "id", "type", "subtype", "tags", "summary", "priority", "created_at", "updated_at", x.text().pathKey, "json_path")
	for _, f := range x.fields(m) {
		was := have.get(f.key)
		switch {
		case f.key == "summary" && was.Str != "" && !stated:
			continue
		case !was.Exists() && f.key != x.text().pathKey && f.key != "json_path":
			continue
		case sameJSON([]byte(was.Raw), f.raw):
			continue
		case f.key == "tags" && sameTags(list(was), m.Tags):
			continue
		}
		edits = append(edits, jsonedit.Set(f.raw, f.key))
		if drift == "" {
			drift = f.key + " is " + orNone(was.Raw) + ", the file says " + string(f.raw)
		}
	}
	if p := have.get("json_path"); p.Exists() && m.Whole() {
		edits = append(edits, jsonedit.Delete("json_path"))
		drift = "json_path is " + p.Raw + ", but the memory is a file of its own"
	}
	for _, f := range extra {
		if !sameJSON([]byte(parse(raw).Get(f.key).Raw), f.raw) {
			edits = append(edits, jsonedit.Set(f.raw, f.key))
		}
	}
	return edits, drift
}

func orNone(raw string) string {
	if raw == "" {
		return "missing"
	}
	return raw
}

func sameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || len(a) > 0 && len(b) > 0 && bytes.Equal(jsonedit.Compact(a), jsonedit.Compact(b))
}

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
		if t = strings.ToLower(strings.TrimSpace(t)); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reconcile computes the index file as the owned memories demand it, leaving
// everything else in it as it is. only restricts the work to entries of certain
// ids (nil: all). extras are members to add to entries. With nothing to change it
// returns the text it has itself.
func (x *Index) reconcile(owned []*Memory, only map[string]bool, extras map[string][]field, now time.Time) (doc []byte, drifts []Drift, err error) {
	return x.reconcileBut(nil, owned, only, extras, now)
}

// reconcileBut is reconcile that doesn't look at the entries of memories that are known
// to agree with theirs.
func (x *Index) reconcileBut(agreed func(*Memory) bool, owned []*Memory, only map[string]bool, extras map[string][]field, now time.Time) (doc []byte, drifts []Drift, err error) {
	want := make(map[string]*Memory, len(owned))
	for _, m := range owned {
		if only == nil || only[m.ID] {
			want[m.ID] = m
		}
	}
	edit := jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	kept := make([]*Memory, 0, len(owned))
	seen := map[string]bool{}
	for i, e := range x.Entries() {
		if only != nil && !only[e.ID] {
			continue
		}
		m := want[e.ID]
		if m == nil && e.Holds {
			drifts = append(drifts, Drift{e.ID, "the entry itself holds content that no file has: save it as a file of its own"})
			continue
		}
		if m == nil || seen[e.ID] {
			edit.Remove[i] = true
			drifts = append(drifts, Drift{e.ID, "the index lists it, but it isn't there"})
			continue
		}
		seen[e.ID] = true
		if agreed != nil && len(extras[e.ID]) == 0 && agreed(m) {
			continue
		}
		edits, drift := x.update(e.Raw, m, extras[e.ID])
		if drift != "" {
			drifts = append(drifts, Drift{e.ID, drift})
		}
		if len(edits) > 0 {
			raw, err := jsonedit.Apply(e.Raw, edits...)
			if err != nil {
				return nil, nil, err
			}
			edit.Set[i] = raw
		}
	}
	for _, m := range owned {
		if want[m.ID] == nil || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		kept = append(kept, m)
		raw, err := x.newEntry(want[m.ID], extras[m.ID]) // of several with the id, the one that an entry is held to
		if err != nil {
			return nil, nil, err
		}
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(x.Entries()), Raw: raw})
		drifts = append(drifts, Drift{m.ID, "not in the index"})
	}
	doc = x.text().doc
	if len(edit.Set)+len(edit.Remove)+len(edit.Insert) > 0 {
		if doc, err = jsonedit.EditArray(doc, []string{x.text().listKey}, edit); err != nil {
			return nil, nil, err
		}
	}
	doc, more, err := x.derived(doc, len(x.Entries())-len(edit.Remove)+len(kept))
	if err != nil {
		return nil, nil, err
	}
	if len(drifts) == 0 {
		drifts = more // else they only follow from the entries
	}
	if !bytes.Equal(doc, x.text().doc) {
		if doc, err = stamp(doc, now); err != nil {
			return nil, nil, err
		}
	}
	return doc, drifts, nil
}

// stamp sets last_updated, where the index has it.
func stamp(doc []byte, now time.Time) ([]byte, error) {
	if _, ok := jsonedit.Get(doc, "last_updated"); !ok {
		return doc, nil
	}
	return jsonedit.Apply(doc, jsonedit.Set(jsonedit.Quote(FormatTime(now)), "last_updated"))
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
	}{Version: "1.0.0", LastUpdated: FormatTime(now), Entries: []string{}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return parseIndex(file, append(doc, '\n'))
}

// FormatTime writes a time as memoryd writes times: RFC 3339, UTC, seconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
