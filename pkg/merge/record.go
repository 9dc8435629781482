package merge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

const conflictsKey = memory.ConflictsKey

// conflict is a value that both sides changed. Base is "" where there was none, and so is a side that removed the value.
type conflict struct{ path, base, kept, other string }

// json is the conflict as the record notes it.
func (c conflict) json() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"path": %s`, jsonedit.Quote(c.path))
	for _, v := range []struct{ key, raw string }{{"base", c.base}, {"kept", c.kept}, {"other", c.other}} {
		if v.raw != "" {
			fmt.Fprintf(&b, ", %q: %s", v.key, jsonedit.Compact([]byte(v.raw)))
		}
	}
	return b.String() + "}"
}

// conflict takes the newer value, or the one that is left, and notes the other.
func (m *merger) conflict(at []string, t triple) ([]byte, error) {
	kept, other := m.form(t)
	if !kept.Exists() {
		kept, other = other, kept
	}
	switch {
	case m.derived:
	case !m.in:
		return nil, fmt.Errorf("%q: %w", pointer(at), ErrContradiction)
	default:
		m.conflicts = append(m.conflicts, conflict{pointer(at), t.b.Raw, kept.Raw, other.Raw})
	}
	return raw(kept), nil
}

// record merges two records of a memory. One that a side removed and the other changed stays, which is noted.
func (m *merger) record(t triple) ([]byte, error) {
	own := &merger{in: true, hasBase: t.b.IsObject(), theirs: !t.oursNewer()}
	form, other := own.form(t)
	next := raw(form)
	var err error
	switch {
	case !other.Exists():
		own.conflicts = []conflict{{}} // of the whole record: all of it stands here
	case !t.x.IsObject() || !t.y.IsObject():
		return nil, fmt.Errorf("one side holds a memory, and the other something else: %w", ErrContradiction)
	default:
		next, err = own.object(nil, t)
	}
	if err == nil {
		next, err = own.note(next, t)
	}
	m.noted += len(own.conflicts)
	return next, err
}

// note writes the conflicts into a record: those that both sides had, less what either settled, and the new ones.
func (m *merger) note(record []byte, t triple) ([]byte, error) {
	form, other := m.form(t)
	noted := func(v gjson.Result) (all []gjson.Result) {
		if v, ok := jsonedit.Get([]byte(v.Raw), conflictsKey); ok && v.IsObject() {
			return []gjson.Result{v}
		} else if ok {
			all = elements(v)
		}
		return all
	}
	var list []string
	if other.Exists() {
		list = united(noted(t.b), noted(form), noted(other))
	} else {
		for _, e := range noted(form) {
			list = append(list, e.Raw)
		}
	}
	slices.SortFunc(m.conflicts, compareConflicts)
	for _, c := range m.conflicts {
		text := c.json()
		known := func(e string) bool {
			return string(jsonedit.Compact([]byte(e))) == string(jsonedit.Compact([]byte(text)))
		}
		if !slices.ContainsFunc(list, known) {
			list = append(list, text)
		}
	}
	have, there := jsonedit.Get(record, conflictsKey)
	switch {
	case len(list) == 0 && !there:
		return record, nil
	case len(list) == 0:
		return jsonedit.Apply(record, jsonedit.Delete(conflictsKey))
	case !have.IsArray():
		return jsonedit.Apply(record, jsonedit.Set([]byte("["+strings.Join(list, ", ")+"]"), conflictsKey))
	}
	raws := make([][]byte, len(list))
	for i, e := range list {
		raws[i] = []byte(e)
	}
	next, err := relisted(have, raws)
	if err != nil {
		return nil, err
	}
	return jsonedit.Apply(record, jsonedit.Set(next, conflictsKey))
}

// fields are members of a record of which is known what both changes mean. ok is false for values of which it isn't.
var fields = map[string]func(*merger, triple) (raw []byte, ok bool){
	"access_count":  (*merger).count,
	"created_at":    (*merger).latest,
	"updated_at":    (*merger).latest,
	"last_accessed": (*merger).latest,
	"priority":      (*merger).highest,
	"confidence":    (*merger).lowest,
	"supersedes":    (*merger).links,
	"superseded_by": (*merger).links,
	"promoted_to":   (*merger).links,
	"promoted_from": (*merger).links,

	memory.AliasesKey:  (*merger).links,
	memory.ReviewOnKey: (*merger).latest,
	memory.VariantsKey: (*merger).variants,
}

// count adds both increments, also equal ones: one read on each of two machines are two reads. Without a base it is not known what was counted twice, so the higher count stands.
func (m *merger) count(t triple) ([]byte, bool) {
	x, ok := whole(t.x)
	y, other := whole(t.y)
	b, known := whole(t.b)
	switch {
	case !ok || !other || t.b.Exists() && !known:
		return nil, false
	case !m.hasBase:
		return strconv.AppendInt(nil, max(x, y), 10), true
	}
	sum := x - b // of numbers from 0 up
	if sum > 0 && y > math.MaxInt64-sum {
		return strconv.AppendInt(nil, math.MaxInt64, 10), true
	}
	return strconv.AppendInt(nil, max(0, y+sum), 10), true
}

// more reports whether a side has counted more than the base has.
func more(t triple) bool {
	x, ok := whole(t.x)
	b, known := whole(t.b)
	return ok && known && x > b
}

// whole reads a number that counts something; nothing counts as 0.
func whole(v gjson.Result) (int64, bool) {
	if !v.Exists() {
		return 0, true
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	return n, err == nil && n >= 0
}

// latest is the later time; null is none.
func (m *merger) latest(t triple) ([]byte, bool) {
	form, other := m.form(t)
	a, b := timestamp.Parse(form.Str), timestamp.Parse(other.Str)
	isTime := func(v gjson.Result, zero bool) bool {
		return v.Type == gjson.String && !zero || v.Type == gjson.Null && v.Exists()
	}
	switch {
	case !isTime(form, a.IsZero()) || !isTime(other, b.IsZero()):
		return nil, false
	case b.After(a):
		return raw(other), true
	}
	return raw(form), true
}

// priorities from the lowest to the highest; medium and normal are one.
var priorities = map[string]int{"low": 1, "medium": 2, "normal": 2, "high": 3, "critical": 4}

func (m *merger) highest(t triple) ([]byte, bool) {
	form, other := m.form(t)
	rank := func(v gjson.Result) int { return priorities[strings.ToLower(strings.TrimSpace(v.Str))] }
	switch a, b := rank(form), rank(other); {
	case a == 0 || b == 0:
		return nil, false
	case b > a:
		return raw(other), true
	}
	return raw(form), true
}

func (m *merger) lowest(t triple) ([]byte, bool) {
	form, other := m.form(t)
	switch {
	case form.Type != gjson.Number || other.Type != gjson.Number:
		return nil, false
	case other.Num < form.Num:
		return raw(other), true
	}
	return raw(form), true
}

// links unites ids. A single id needs no list.
func (m *merger) links(t triple) ([]byte, bool) {
	form, other := m.form(t)
	lists := [3][]gjson.Result{}
	for i, v := range []gjson.Result{t.b, form, other} {
		switch {
		case v.Type == gjson.String:
			lists[i] = []gjson.Result{v}
		case v.IsArray():
			lists[i] = elements(v)
		case i > 0 && v.Exists() && v.Type != gjson.Null:
			return nil, false
		}
	}
	list := united(lists[0], lists[1], lists[2])
	raws := make([][]byte, len(list))
	for i, e := range list {
		raws[i] = []byte(e)
	}
	if form.IsArray() {
		next, err := relisted(form, raws)
		return next, err == nil
	}
	return []byte("[" + strings.Join(list, ", ") + "]"), true
}

// variants unites the other wordings of a memory: one is told from another by its place or its text, and by whom it is from. One that either side
// dropped is gone, also if the other changed it: its time, say. The newer side's come first. A list with something else in it is a conflict.
func (m *merger) variants(t triple) ([]byte, bool) {
	form, other := m.form(t)
	type side = map[string]gjson.Result
	read := func(v gjson.Result) (byKey side, keys []string, ok bool) {
		byKey, ok = side{}, !v.Exists() || v.Type == gjson.Null || v.IsArray()
		for _, e := range elements(v) {
			key := variantKey(e)
			if ok = ok && key != ""; !ok {
				return nil, nil, false
			}
			if _, twice := byKey[key]; !twice {
				byKey[key], keys = e, append(keys, key)
			}
		}
		return byKey, keys, ok
	}
	base, _, ok := read(t.b)
	if !ok {
		base = nil
	}
	mine, myKeys, ok := read(form)
	theirs, theirKeys, ok2 := read(other)
	if !ok || !ok2 {
		return nil, false
	}
	var list [][]byte
	done := map[string]bool{}
	for _, key := range slices.Concat(myKeys, theirKeys) {
		was, stood := base[key]
		x, here := mine[key]
		y, there := theirs[key]
		if done[key] || stood && !(here && there) { // dropped
			continue
		}
		if done[key] = true; !here || stood && same(x, was) {
			x = y
		}
		list = append(list, []byte(x.Raw))
	}
	switch {
	case len(list) == 0:
		return nil, true
	case form.IsArray():
		next, err := relisted(form, list)
		return next, err == nil
	case other.IsArray():
		next, err := relisted(other, list)
		return next, err == nil
	}
	return nil, true
}

// variantKey tells a variant from the others of its memory; "" for what is not one.
func variantKey(v gjson.Result) string {
	text, path := v.Get("text"), v.Get("path")
	switch from := v.Get("from").String(); {
	case text.Type == gjson.String && text.Str != "":
		return "text\x00" + from + "\x00" + text.Str
	case path.Type == gjson.String && v.Get("value").Exists():
		return "path\x00" + from + "\x00" + path.Str
	}
	return ""
}
