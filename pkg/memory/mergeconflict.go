package memory

import (
	"bytes"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ConflictsKey is the member of a record that notes what two machines changed each in its own way; see [MergeConflict].
const ConflictsKey = "merge_conflicts"

// MergeConflict is a value of a record that two sides changed before they were merged. The values are JSON.
type MergeConflict struct {
	Path  string // a JSON Pointer into the record; "": all of it
	Base  string // before both; "" where there was none
	Kept  string // what stands in the record, unless that was edited since; "" for all of it
	Other string // what the other side had; "": it had removed the value
}

// MergeConflicts are those that the record notes, in its order. What somebody else wrote there is passed over.
func (m *Memory) MergeConflicts() (all []MergeConflict) {
	if !m.Conflicted {
		return nil
	}
	elements, _ := jsonedit.Elements(m.Raw(), ConflictsKey)
	for _, e := range elements {
		if c, ok := mergeConflict(e); ok {
			all = append(all, c)
		}
	}
	return all
}

func mergeConflict(e gjson.Result) (c MergeConflict, ok bool) {
	if !e.IsObject() {
		return c, false
	}
	e.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "path":
			c.Path, ok = jsonedit.Text(v), v.Type == gjson.String
		case "base":
			c.Base = v.Raw
		case "kept":
			c.Kept = v.Raw
		case "other":
			c.Other = v.Raw
		}
		return true
	})
	return c, ok
}

// holdsSomething reports whether a list, or an object, has anything in it.
func holdsSomething(v []byte) bool {
	return (v[0] == '[' || v[0] == '{') && len(bytes.TrimSpace(v[1:len(v)-1])) > 0
}
