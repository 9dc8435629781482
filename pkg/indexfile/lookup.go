package indexfile

import (
	"bytes"
	"slices"
	"sort"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// derived brings the count, tag_index and type_index, where the file has them,
// into line with its entries as an edit leaves them.
func (f *File) derived(changes *jsonedit.MemberEdit, edit jsonedit.ArrayEdit) (drifts []Drift, err error) {
	if key := f.countKey; key != "" {
		count := strconv.Itoa(len(f.entries) - len(edit.Remove) + len(edit.Insert))
		if v, _ := f.members.Get(key); v.Raw != count {
			if err := changes.Set(key, []byte(count)); err != nil {
				return nil, err
			}
			drifts = append(drifts, Drift{"", key + " is " + v.Raw + ", there are " + count + " entries"})
		}
	}
	var lookups map[string]map[string][]string
	for _, key := range []string{"tag_index", "type_index"} {
		have, ok := f.members.Get(key)
		if !ok || !have.IsObject() {
			continue
		}
		if lookups == nil {
			lookups = f.lookups(edit)
		}
		if fixed, changed := patchLookup(have, lookups[key]); changed {
			if style := jsonedit.StyleOf(f.doc); style.Indent != "" {
				fixed = jsonedit.Indent(fixed, style.Indent, style.Indent)
			}
			if err := changes.Set(key, fixed); err != nil {
				return nil, err
			}
			drifts = append(drifts, Drift{"", key + " disagrees with the entries"})
		}
	}
	return drifts, nil
}

// lookups collects, from the entries as an edit leaves them, the ids of each tag and
// of each type. Of members that repeat in an entry the first counts.
func (f *File) lookups(edit jsonedit.ArrayEdit) map[string]map[string][]string {
	byTag, byType := map[string][]string{}, map[string][]string{}
	read := func(e gjson.Result) {
		var id, kind, tags gjson.Result
		if e.IsObject() {
			e.ForEach(func(key, v gjson.Result) bool {
				switch {
				case key.Str == "id" && !id.Exists():
					id = v
				case key.Str == "type" && !kind.Exists():
					kind = v
				case key.Str == "tags" && !tags.Exists():
					tags = v
				}
				return true
			})
		}
		if id.Str == "" {
			return
		}
		if kind.Str != "" {
			byType[kind.Str] = append(byType[kind.Str], id.Str)
		}
		var seen []string
		tag := func(v gjson.Result) bool {
			if t := normalTag(v.Str); v.Type == gjson.String && t != "" && !slices.Contains(seen, t) {
				seen, byTag[t] = append(seen, t), append(byTag[t], id.Str)
			}
			return true
		}
		if tags.IsArray() {
			tags.ForEach(func(_, v gjson.Result) bool { return tag(v) })
		} else {
			tag(tags)
		}
	}
	for i, e := range f.entries {
		switch raw, set := edit.Set[i]; {
		case edit.Remove[i]:
		case set:
			read(root(raw))
		default:
			read(gjson.Parse(e.Raw))
		}
	}
	for _, in := range edit.Insert {
		read(root(in.Raw))
	}
	return map[string]map[string][]string{"tag_index": byTag, "type_index": byType}
}

func root(raw []byte) gjson.Result {
	r, _ := jsonedit.Get(raw)
	return r
}

// patchLookup gives the object with the wanted ids under each key: keys keep
// their order and spelling, new ones follow sorted, empty ones go.
func patchLookup(have gjson.Result, want map[string][]string) (raw []byte, changed bool) {
	var keys []string
	lists := map[string][]string{}
	taken := map[string]bool{}
	have.ForEach(func(k, v gjson.Result) bool {
		norm := k.Str
		if want[norm] == nil {
			norm = normalTag(k.Str)
		}
		ids := want[norm]
		if len(ids) == 0 || taken[norm] {
			changed = true
			return true
		}
		taken[norm] = true
		if had := jsonedit.Texts(v); sameSet(had, ids) {
			ids = had
		} else {
			changed = true
		}
		keys, lists[k.Str] = append(keys, k.Str), ids
		return true
	})
	var added []string
	for k := range want {
		if !taken[k] {
			added = append(added, k)
		}
	}
	if len(added) == 0 && !changed {
		return nil, false
	}
	sort.Strings(added)
	for _, k := range added {
		keys, lists[k] = append(keys, k), want[k]
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(jsonedit.Quote(k))
		b.WriteByte(':')
		b.Write(jsonedit.Strings(lists[k]))
	}
	b.WriteByte('}')
	return b.Bytes(), true
}

func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	set := make(map[string]bool, len(a))
	for _, s := range a {
		set[s] = true
	}
	for _, s := range b {
		if !set[s] {
			return false
		}
	}
	return true
}
