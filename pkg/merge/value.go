package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// merger merges the values of one document, or of one record in it.
type merger struct {
	derived bool // of two values the newer stands, and nothing is noted
	noted   int  // conflicts in all records

	in        bool // a record, which can note conflicts
	hasBase   bool // that record's
	theirs    bool // theirs is newer, which gives the form
	conflicts []conflict
}

// same compares values but for white space.
func same(a, b gjson.Result) bool {
	if !a.Exists() || !b.Exists() {
		return a.Exists() == b.Exists()
	}
	return a.Raw == b.Raw || string(jsonedit.Compact([]byte(a.Raw))) == string(jsonedit.Compact([]byte(b.Raw)))
}

// oursNewer reports whether ours gives the form: it is the newer one by its times, or has the greater bytes. A value that isn't there is older.
func (t triple) oursNewer() bool {
	if !t.x.Exists() || !t.y.Exists() {
		return t.x.Exists()
	}
	x, y := timesOf(t.x), timesOf(t.y)
	for i := range x {
		if c := x[i].Compare(y[i]); c != 0 {
			return c > 0
		}
	}
	return t.x.Raw >= t.y.Raw
}

// timesOf are the times that say which of two values is newer, the most reliable first.
func timesOf(v gjson.Result) (times [3]time.Time) {
	if v.IsObject() {
		v.ForEach(func(key, v gjson.Result) bool {
			if i := slices.Index([]string{"updated_at", "last_updated", "created_at"}, key.Str); i >= 0 && v.Type == gjson.String {
				times[i] = timestamp.Parse(v.Str)
			}
			return true
		})
	}
	return times
}

// form is the newer of both sides, and other the older one.
func (m *merger) form(t triple) (form, other gjson.Result) {
	if m.theirs {
		return t.y, t.x
	}
	return t.x, t.y
}

// value merges a value of a record or document, at a path in it. Nil: it is gone.
func (m *merger) value(at []string, t triple) ([]byte, error) {
	form, _ := m.form(t)
	switch {
	case same(t.x, t.y) && m.in && len(at) == 1 && at[0] == "access_count" && m.hasBase && more(t): // each has counted its own
	case same(t.x, t.y):
		return raw(form), nil
	case same(t.x, t.b):
		return raw(t.y), nil
	case same(t.y, t.b):
		return raw(t.x), nil
	}
	if m.in && len(at) == 1 {
		if known := fields[at[0]]; known != nil {
			if v, ok := known(m, t); ok {
				return v, nil
			}
		}
	}
	switch {
	case t.x.IsObject() && t.y.IsObject():
		return m.object(at, t)
	case t.x.IsArray() && t.y.IsArray() && !(m.in && len(at) > 0 && at[0] == "content"): // a list in a content is one value
		return m.array(t)
	}
	return m.conflict(at, t)
}

// raw are the bytes of a value, nil where there is none.
func raw(v gjson.Result) []byte {
	if !v.Exists() {
		return nil
	}
	return []byte(v.Raw)
}

// members takes the object apart that a value is; another value has none.
func members(v gjson.Result) (*jsonedit.Members, []string, error) {
	if !v.IsObject() {
		return nil, nil, nil
	}
	found, _ := jsonedit.MembersOf([]byte(v.Raw))
	if twice := found.Repeated(); len(twice) > 0 {
		return nil, nil, fmt.Errorf("key %q: %w", twice[0], ErrDuplicate)
	}
	var keys []string
	v.ForEach(func(key, _ gjson.Result) bool {
		keys = append(keys, jsonedit.Text(key))
		return true
	})
	return found, keys, nil
}

func get(of *jsonedit.Members, key string) (v gjson.Result) {
	if of != nil {
		v, _ = of.Get(key)
	}
	return v
}

// object merges two objects key by key.
func (m *merger) object(at []string, t triple) ([]byte, error) {
	b, _, err := members(t.b)
	if err != nil {
		return nil, err
	}
	x, xKeys, err := members(t.x)
	if err != nil {
		return nil, err
	}
	y, yKeys, err := members(t.y)
	if err != nil {
		return nil, err
	}
	if m.theirs {
		xKeys, yKeys = yKeys, xKeys
	}
	form, _ := m.form(t)
	var edits []jsonedit.Edit
	done := map[string]bool{}
	for _, key := range slices.Concat(xKeys, yKeys) {
		if done[key] || m.in && len(at) == 0 && key == conflictsKey {
			continue
		}
		done[key] = true
		of := triple{get(b, key), get(x, key), get(y, key)}
		stands, _ := m.form(of)
		next, err := m.value(append(at[:len(at):len(at)], key), of)
		switch {
		case err != nil:
			return nil, err
		case next == nil:
			edits = append(edits, jsonedit.Delete(key)) // of what isn't there is none
		case !stands.Exists() || string(next) != stands.Raw:
			edits = append(edits, jsonedit.Set(next, key))
		}
	}
	if len(edits) == 0 {
		return raw(form), nil
	}
	return jsonedit.Apply([]byte(form.Raw), edits...)
}

// array merges two lists: as records by their ids, else as multisets.
func (m *merger) array(t triple) ([]byte, error) {
	if !m.in && !m.derived && (holdsRecords(t.x) || holdsRecords(t.y)) {
		return m.keyed(t, recordID, func(t triple) ([]byte, error) { return m.record(t) })
	}
	form, other := m.form(t)
	return multiset(t.b, form, other)
}

func holdsRecords(v gjson.Result) (holds bool) {
	v.ForEach(func(_, e gjson.Result) bool {
		holds = memory.IsRecord(e)
		return !holds
	})
	return holds
}

// recordID is the key of a record.
func recordID(v gjson.Result) string {
	if !memory.IsRecord(v) {
		return ""
	}
	return jsonedit.Text(v.Get("id"))
}

// keyed merges lists of which elements have a key: these one by one, sorted by it, and the others behind them as a multiset. An
// element that was removed on one side stays if the other changed it.
func (m *merger) keyed(t triple, key func(gjson.Result) string, merge func(triple) ([]byte, error)) ([]byte, error) {
	byKey := map[string]*triple{}
	var rest [3][]gjson.Result
	for i, side := range []gjson.Result{t.b, t.x, t.y} {
		for _, e := range elements(side) {
			k := key(e)
			if k == "" {
				rest[i] = append(rest[i], e)
				continue
			}
			if byKey[k] == nil {
				byKey[k] = &triple{}
			}
			into := []*gjson.Result{&byKey[k].b, &byKey[k].x, &byKey[k].y}[i]
			if into.Exists() {
				return nil, fmt.Errorf("%q: %w", k, ErrDuplicate)
			}
			*into = e
		}
	}
	var list [][]byte
	for _, k := range slices.Sorted(maps.Keys(byKey)) {
		e := *byKey[k]
		var next []byte
		var err error
		switch form, _ := m.form(e); {
		case same(e.x, e.y):
			next = raw(form)
		case same(e.x, e.b):
			next = raw(e.y)
		case same(e.y, e.b):
			next = raw(e.x)
		default:
			next, err = merge(e)
		}
		if err != nil {
			return nil, err
		}
		if next != nil {
			list = append(list, next)
		}
	}
	form, other := 1, 2
	if m.theirs {
		form, other = other, form
	}
	for _, e := range united(rest[0], rest[form], rest[other]) {
		list = append(list, []byte(e))
	}
	stands, _ := m.form(t)
	return relisted(stands, list)
}

// elements are those of a list; another value has none.
func elements(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	all, _ := jsonedit.Elements([]byte(v.Raw))
	return all
}

// multiset merges lists by what their elements say, in the order of form. What only the other has stands behind what comes before it there.
func multiset(b, form, other gjson.Result) ([]byte, error) {
	var list [][]byte
	for _, e := range united(elements(b), elements(form), elements(other)) {
		list = append(list, []byte(e))
	}
	return relisted(form, list)
}

// united merges lists of values as multisets: both added or took out as much as the one that did more, and else what both did.
func united(b, form, other []gjson.Result) []string {
	texts := func(list []gjson.Result) (all []string) {
		for _, e := range list {
			all = append(all, string(jsonedit.Compact([]byte(e.Raw))))
		}
		return all
	}
	bs, fs, others := texts(b), texts(form), texts(other)
	var rawOf = map[string]string{} // as form writes it
	for _, side := range []struct {
		list  []gjson.Result
		texts []string
	}{{other, others}, {form, fs}} {
		for i, e := range side.list {
			rawOf[side.texts[i]] = e.Raw
		}
	}
	out := unite(bs, fs, others)
	for i, text := range out {
		out[i] = rawOf[text]
	}
	return out
}

// unite merges lists of texts as multisets, in the order of form.
func unite(b, form, other []string) []string {
	count := func(list []string) map[string]int {
		n := map[string]int{}
		for _, e := range list {
			n[e]++
		}
		return n
	}
	nb, nf, no := count(b), count(form), count(other)
	left := map[string]int{}
	for _, n := range []map[string]int{nf, no} {
		for e := range n {
			left[e] = howMany(nb[e], nf[e], no[e])
		}
	}
	places := make(map[string][]int, len(form)) // of each text in form
	stays := make([]bool, len(form))
	for i, e := range form {
		places[e] = append(places[e], i)
		if stays[i] = left[e] > 0; stays[i] {
			left[e]--
		}
	}
	behind, last := map[int][]string{}, -1 // what comes behind a place of form; the last one that both have
	for _, e := range other {
		switch at := places[e]; {
		case left[e] > 0:
			left[e]--
			behind[last] = append(behind[last], e)
		case len(at) > 0:
			last, places[e] = max(last, at[0]), at[1:]
		}
	}
	out := behind[-1]
	for i, e := range form {
		if stays[i] {
			out = append(out, e)
		}
		out = append(out, behind[i]...)
	}
	return out
}

// howMany is how often a value stands in a list that had it b times, if the sides have it x and y times.
func howMany(b, x, y int) int {
	switch {
	case x >= b && y >= b:
		return max(x, y)
	case x <= b && y <= b:
		return min(x, y)
	}
	return x + y - b
}

// relisted is an array with other elements, laid out as it was.
func relisted(form gjson.Result, list [][]byte) ([]byte, error) {
	have := elements(form)
	edit := jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	for i := range max(len(have), len(list)) {
		switch {
		case i >= len(list):
			edit.Remove[i] = true
		case i >= len(have):
			edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(have), Raw: list[i]})
		case have[i].Raw != string(list[i]):
			edit.Set[i] = list[i]
		}
	}
	if len(edit.Set)+len(edit.Remove)+len(edit.Insert) == 0 {
		return []byte(form.Raw), nil
	}
	return jsonedit.EditArray([]byte(form.Raw), nil, edit)
}

// outside merges a value that is not a memory, but may hold some.
func (m *merger) outside(t triple) ([]byte, error) {
	m.theirs = !t.oursNewer()
	return m.value(nil, t)
}

// pointer is a JSON Pointer (RFC 6901).
func pointer(at []string) string {
	var b strings.Builder
	for _, key := range at {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}

// compareConflicts is their order in a record.
func compareConflicts(a, b conflict) int {
	return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.json(), b.json()))
}
