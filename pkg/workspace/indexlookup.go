package workspace

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// derived brings the count, tag_index and type_index, where the file has them,
// into line with its entries.
func (x *Index) derived(doc []byte, count int) ([]byte, []Drift, error) {
	var edits []jsonedit.Edit
	var drifts []Drift
	if x.text().countKey != "" {
		if v, _ := jsonedit.Get(doc, x.text().countKey); v.Raw != strconv.Itoa(count) {
			edits = append(edits, jsonedit.Set([]byte(strconv.Itoa(count)), x.text().countKey))
			drifts = append(drifts, Drift{"", x.text().countKey + " is " + v.Raw + ", there are " + strconv.Itoa(count) + " entries"})
		}
	}
	lookups := map[string]map[string][]string{}
	for _, key := range []string{"tag_index", "type_index"} {
		have, ok := jsonedit.Get(doc, key)
		if !ok || !have.IsObject() {
			continue
		}
		if len(lookups) == 0 {
			lookups["tag_index"], lookups["type_index"] = lookup(doc, x.text().listKey)
		}
		want := lookups[key]
		if fixed, changed := patchLookup(have, want); changed {
			if style := jsonedit.StyleOf(doc); style.Indent != "" {
				fixed = jsonedit.Indent(fixed, style.Indent, style.Indent)
			}
			edits = append(edits, jsonedit.Set(fixed, key))
			drifts = append(drifts, Drift{"", key + " disagrees with the entries"})
		}
	}
	if len(edits) == 0 {
		return doc, nil, nil
	}
	doc, err := jsonedit.Apply(doc, edits...)
	return doc, drifts, err
}

// lookup collects, from the entries of an index, the ids of each tag and type.
func lookup(doc []byte, listKey string) (byTag, byType map[string][]string) {
	byTag, byType = map[string][]string{}, map[string][]string{}
	entries, _ := jsonedit.Get(doc, listKey)
	entries.ForEach(func(_, e gjson.Result) bool {
		var first struct{ id, kind, tags gjson.Result } // of keys that repeat
		if e.IsObject() {
			e.ForEach(func(key, v gjson.Result) bool {
				switch {
				case key.Str == "id" && !first.id.Exists():
					first.id = v
				case key.Str == "type" && !first.kind.Exists():
					first.kind = v
				case key.Str == "tags" && !first.tags.Exists():
					first.tags = v
				}
				return true
			})
		}
		id := first.id.Str
		if id == "" {
			return true
		}
		if t := first.kind.Str; t != "" {
			byType[t] = append(byType[t], id)
		}
		for _, t := range normalTags(list(first.tags)) {
			byTag[t] = append(byTag[t], id)
		}
		return true
	})
	return byTag, byType
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
			norm = strings.ToLower(strings.TrimSpace(k.Str))
		}
		ids := want[norm]
		if len(ids) == 0 || taken[norm] {
			changed = true
			return true
		}
		taken[norm] = true
		if had := list(v); sameSet(had, ids) {
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
