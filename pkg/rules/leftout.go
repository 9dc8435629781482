package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// present reports whether a value is there and is not empty.
func present(v gjson.Result) bool {
	switch {
	case v.Type == gjson.Null:
		return false
	case v.Type == gjson.String:
		return strings.TrimSpace(v.Str) != ""
	case v.IsArray() || v.IsObject():
		return strings.Trim(v.Raw, "[]{} \t\r\n") != ""
	}
	return v.Exists()
}

// unsaid are the members of a record that [LeftOut] does not name: two of a kind have the same, or they count and place the memory here.
var unsaid = []string{"id", "type", "subtype", "created_by", "scope", "scope_id", "last_accessed", "access_count", "content", "title", "origin", "imported_from", memory.ConflictsKey}

// LeftOut names the members of a draft, with their values, that a memory does not have after the draft went into it: values that lost to
// another one, and limits that were not taken because the longer life wins. Before and after are the records of the memory. Stated
// reports whether a member is one that the draft states, and not only a default.
func LeftOut(before, after, draft []byte, stated func(key string) bool) (what []string) {
	was, is := gjson.ParseBytes(before), gjson.ParseBytes(after)
	name := func(key string, v, has gjson.Result) {
		text := key + " " + shortValue(v)
		switch {
		case present(has):
			text += " (it has " + shortValue(has) + ")"
		case key == "ttl":
			text += " (it has none: the longer life wins)"
		}
		what = append(what, text)
	}
	gjson.ParseBytes(draft).ForEach(func(k, v gjson.Result) bool {
		key := k.String()
		has := is.Get(gjson.Escape(key))
		if key == "updated_at" { // the merge has set it
			has = was.Get(key)
		}
		switch {
		case slices.Contains(unsaid, key) || !present(v) || !stated(key) || sameValue(v, has):
		case v.IsArray():
			have := has.Array()
			for _, e := range v.Array() {
				if !slices.ContainsFunc(have, func(h gjson.Result) bool {
					return sameValue(e, h) || key == "tags" && hasTag([]string{h.String()}, e.String())
				}) {
					name(key, e, gjson.Result{})
				}
			}
		case v.IsObject() && (has.IsObject() || !present(has)):
			v.ForEach(func(inner, v gjson.Result) bool {
				if has := has.Get(gjson.Escape(inner.Str)); present(v) && !sameValue(v, has) {
					name(key+"."+inner.Str, v, has)
				}
				return true
			})
		default:
			name(key, v, has)
		}
		return true
	})
	return what
}

// sameValue reports whether two values say the same: the same JSON, or the same time.
func sameValue(a, b gjson.Result) bool {
	if bytes.Equal(jsonedit.Compact([]byte(a.Raw)), jsonedit.Compact([]byte(b.Raw))) {
		return true
	}
	at := timestamp.Parse(a.Str)
	return a.Type == gjson.Number && b.Type == gjson.Number && a.Num == b.Num ||
		a.Type == gjson.String && b.Type == gjson.String && (a.Str == b.Str || !at.IsZero() && at.Equal(timestamp.Parse(b.Str)))
}

// shortValue is a value for people, cut where it is long.
func shortValue(v gjson.Result) string {
	return text.Truncate(string(jsonedit.Compact([]byte(v.Raw))), 61)
}

// Lifted reports whether a memory had a ttl, and has none any more.
func Lifted(before, after []byte) bool {
	return present(gjson.GetBytes(before, "ttl")) && !present(gjson.GetBytes(after, "ttl"))
}
