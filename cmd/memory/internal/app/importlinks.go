package app

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

// linkFields are the members of a memory that links of a record go into.
var linkFields = []string{"references", "supersedes", "superseded_by"}

// relinked are the members of an imported memory whose links are others now: a name that leads to a record by now becomes its id, and what
// the record links to since it has changed is added. Links that somebody made or removed here stay so.
func relinked(m *memory.Memory, r *foreign.Record, was *foreign.Source) (set []field) {
	if r.Own != nil || was == nil {
		return nil
	}
	found := map[string]bool{} // keys of links that stand there by their names
	for _, ref := range gjson.GetBytes(m.Raw(), "references").Array() {
		for _, l := range r.Linked {
			if ref.Get("id").Str == l.Name && ref.Get("relationship").Str == l.How && l.Name != l.ID {
				found[linkKey(l.How, l.Name)], found[linkKey(l.How, l.ID)] = true, true
			}
		}
	}
	changed := *was != r.Source
	for _, key := range linkFields {
		var says []gjson.Result
		for _, f := range r.Fields {
			if f.Key == key {
				says = gjson.ParseBytes(f.Value).Array()
			}
		}
		here := gjson.GetBytes(m.Raw(), key)
		if here.Exists() && !here.IsArray() {
			continue // somebody's own
		}
		kept := slices.DeleteFunc(here.Array(), func(v gjson.Result) bool { return found[keyOf(key, v)] })
		for _, v := range says {
			there := slices.ContainsFunc(kept, func(o gjson.Result) bool { return keyOf(key, o) == keyOf(key, v) })
			if (changed || found[keyOf(key, v)]) && !there {
				kept = append(kept, v)
			}
		}
		if !slices.EqualFunc(kept, here.Array(), func(a, b gjson.Result) bool { return keyOf(key, a) == keyOf(key, b) }) {
			all := []json.RawMessage{}
			for _, v := range kept {
				all = append(all, json.RawMessage(v.Raw))
			}
			set = append(set, field{key, all})
		}
	}
	return set
}

func linkKey(how, to string) string { return how + "\x00" + to }

// keyOf identifies a value of a member: two with the same key say the same.
func keyOf(member string, v gjson.Result) string {
	if v.IsObject() {
		return linkKey(v.Get("relationship").Str, v.Get("id").Str)
	}
	return linkKey(member, v.String())
}
