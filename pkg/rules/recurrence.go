package rules

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// recurrence is memories of one layer and scope that are alike, the newest first.
type recurrence struct {
	members []*subject
	all     []*memory.Memory // with those that were merged into them
}

// recurrences are the facts and the events that recur.
type recurrences struct {
	groups []*recurrence          // the one with the newest memory last
	of     map[string]*recurrence // by the ids of their members
}

// learnable reports whether more of the events succeeded than the settings ask for, and more than failed.
func (r *recurrence) learnable(least float64) bool {
	if r == nil {
		return false
	}
	successes, failures := r.outcomes()
	return successes > failures && float64(successes) > least*float64(successes+failures)
}

// outcomes counts the events that say how they ended.
func (r *recurrence) outcomes() (successes, failures int) {
	for _, m := range r.all {
		if ok, known := succeeded(m); known && ok {
			successes++
		} else if known {
			failures++
		}
	}
	return successes, failures
}

// eventType is what kind of event a memory tells of, as seed 001 calls it: "event_type" of the record or of its content; "" for none.
func eventType(m *memory.Memory) string {
	return strings.TrimSpace(memberOf(m, "event_type").Str)
}

// succeeded says how an event ended: "success" of the record or of its content, true or false, or a share of which more than half is a success.
func succeeded(m *memory.Memory) (ok, known bool) {
	switch v := memberOf(m, "success"); v.Type {
	case gjson.True, gjson.False:
		return v.Bool(), true
	case gjson.Number:
		return v.Num > 0.5, v.Num >= 0 && v.Num <= 1
	}
	return false, false
}

// memberOf is a member of the record, or else of its content or its metadata.
func memberOf(m *memory.Memory, name string) gjson.Result {
	root := gjson.ParseBytes(m.Raw())
	for _, v := range []gjson.Result{root.Get(name), m.Field(name), root.Get("metadata").Get(name)} {
		if v.Exists() && v.Type != gjson.Null {
			return v
		}
	}
	return gjson.Result{}
}
