package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
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

// learnable reports whether the events succeeded more than the settings ask for, and more than they failed.
func (r *recurrence) learnable(least float64) bool {
	if r == nil {
		return false
	}
	stated, mean := r.outcomes()
	return stated > 0 && mean > max(least, 0.5)+1e-9
}

// outcomes counts the events that say how they ended, and averages their shares of success (seed 001: AVG(success)).
func (r *recurrence) outcomes() (stated int, mean float64) {
	for _, m := range r.all {
		if share, known := succeeded(m); known {
			stated, mean = stated+1, mean+share
		}
	}
	return stated, mean / float64(max(stated, 1))
}

// success says in words how the events ended.
func (r *recurrence) success() string {
	stated, mean := r.outcomes()
	successes, _ := counts(stated, mean)
	if exact := mean * float64(stated); math.Abs(exact-float64(successes)) > 1e-9 { // some state a share
		return fmt.Sprintf("%.1f of %d with success", exact, stated)
	}
	return fmt.Sprintf("%d of %d with success", successes, stated)
}

// counts are the successes and failures of events whose shares have a mean, as seed 001 rounds them.
func counts(stated int, mean float64) (successes, failures int) {
	n := float64(stated)
	return int(math.Round(n * mean)), int(math.Round(n * (1 - mean)))
}

// eventType is what kind of event a memory tells of, as seed 001 calls it: "event_type" of the record or of its content; "" for none.
func eventType(m *memory.Memory) string {
	return strings.TrimSpace(memberOf(m, "event_type").Str)
}

// succeeded says how an event ended: "success" of the record, its content or its metadata, true or false, or a share from 0 to 1.
func succeeded(m *memory.Memory) (share float64, known bool) {
	switch v := memberOf(m, "success"); v.Type {
	case gjson.True:
		return 1, true
	case gjson.False:
		return 0, true
	case gjson.Number:
		return v.Num, v.Num >= 0 && v.Num <= 1
	}
	return 0, false
}

// triggerConditions are the conditions under which events happened, of all of them, each once: "trigger_conditions", a value or a list of values.
func triggerConditions(events []*memory.Memory) []byte {
	var all []string
	for _, m := range events {
		v := memberOf(m, "trigger_conditions")
		if !v.Exists() {
			continue
		}
		list := []gjson.Result{v}
		if v.IsArray() {
			list = v.Array()
		}
		for _, one := range list {
			if text := one.Get("@ugly").Raw; !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []byte("[" + strings.Join(all, ", ") + "]")
}

// factSince is when a memory became a fact: when it rose from a working memory, or else when it was written.
func factSince(m *memory.Memory) time.Time {
	if rose := timestamp.Parse(gjson.GetBytes(m.Raw(), promotedAt).Str); !rose.IsZero() {
		return rose
	}
	return m.Born()
}

// promotedAt is the member of a copy that says when it rose to its layer.
const promotedAt = "promoted_at"

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
