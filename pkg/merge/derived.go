package merge

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// mergeLines merges lists of JSON values, one a line, as multisets. A line that an interrupted writer left counts as one.
func mergeLines(_ string, base, ours, theirs []byte) (Result, error) {
	lines := func(doc []byte) (all []string) {
		for line := range strings.Lines(string(doc)) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
				all = append(all, line)
			}
		}
		return all
	}
	form, other := ours, theirs
	if string(form) < string(other) {
		form, other = other, form
	}
	united := unite(lines(base), lines(form), lines(other))
	if len(united) == 0 {
		return Result{Doc: []byte{}}, nil
	}
	return Result{Doc: []byte(strings.Join(united, "\n") + "\n")}, nil
}

// mergeList merges a document that holds lists of elements with names: of each list the elements one by one, of the rest the newer value.
func mergeList(base, ours, theirs []byte, keys map[string]func(gjson.Result) string, choose func(*merger, triple) ([]byte, error)) ([]byte, error) {
	t, err := read(base, ours, theirs)
	if err != nil {
		return nil, err
	}
	m := &merger{derived: true, theirs: !t.oursNewer()}
	form, other := m.form(t)
	next := raw(form)
	if form.IsObject() && other.IsObject() {
		if next, err = m.object(nil, t); err != nil {
			return nil, err
		}
		for key, name := range keys {
			var of triple
			of.b, _ = jsonedit.Get([]byte(t.b.Raw), key)
			of.x, _ = jsonedit.Get([]byte(t.x.Raw), key)
			of.y, _ = jsonedit.Get([]byte(t.y.Raw), key)
			if !of.x.IsArray() || !of.y.IsArray() {
				continue
			}
			list, err := m.keyed(of, name, func(e triple) ([]byte, error) { return choose(m, e) })
			if err == nil {
				next, err = jsonedit.Apply(next, jsonedit.Set(list, key))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return framed(t, ours, theirs, next)
}

// newer takes the newer of two elements; one that is left stays.
func newer(_ *merger, t triple) ([]byte, error) {
	if t.oursNewer() {
		return raw(t.x), nil
	}
	return raw(t.y), nil
}

// textOf is a member that names an element, "" where it is none.
func textOf(key string) func(gjson.Result) string {
	return func(v gjson.Result) string {
		if e, ok := jsonedit.Get([]byte(v.Raw), key); ok && e.Type == gjson.String {
			return jsonedit.Text(e)
		}
		return ""
	}
}

func mergeIndex(name string, base, ours, theirs []byte) (Result, error) {
	id := textOf("id")
	doc, err := mergeList(base, ours, theirs, map[string]func(gjson.Result) string{"entries": id, "memories": id}, newer)
	if err != nil {
		return Result{}, err
	}
	var at time.Time // as new as the newer side
	for _, side := range [][]byte{ours, theirs} {
		if v, ok := jsonedit.Get(side, "last_updated"); ok {
			if t := timestamp.Parse(v.Str); t.After(at) {
				at = t
			}
		}
	}
	made, err := indexfile.Update(name, doc, indexfile.Want{Only: map[string]bool{}}, at)
	return Result{Doc: made.Doc}, err
}

// mergeEdges lets a person's word stand before a model's.
func mergeEdges(_ string, base, ours, theirs []byte) (Result, error) {
	name := func(v gjson.Result) string {
		from, kind, to := textOf("from")(v), textOf("type")(v), textOf("to")(v)
		if from == "" || kind == "" || to == "" {
			return ""
		}
		return from + "\x00" + kind + "\x00" + to
	}
	by := textOf("by")
	doc, err := mergeList(base, ours, theirs, map[string]func(gjson.Result) string{"edges": name}, func(m *merger, t triple) ([]byte, error) {
		if x, y := by(t.x) == edgefile.User, by(t.y) == edgefile.User; x != y {
			if x {
				return raw(t.x), nil
			}
			return raw(t.y), nil
		}
		return newer(m, t)
	})
	return Result{Doc: doc}, err
}

// mergeReview lets a decision settle its pair, wherever it was made.
func mergeReview(_ string, base, ours, theirs []byte) (Result, error) {
	id := textOf("id")
	doc, err := mergeList(base, ours, theirs, map[string]func(gjson.Result) string{"pairs": id, "decided": id}, func(_ *merger, t triple) ([]byte, error) {
		at := textOf("decided_at")
		if x, y := timestamp.Parse(at(t.x)), timestamp.Parse(at(t.y)); !x.Equal(y) {
			if x.After(y) {
				return raw(t.x), nil
			}
			return raw(t.y), nil
		}
		return newer(nil, t)
	})
	if err != nil {
		return Result{}, err
	}
	decided := map[string]bool{}
	list, _ := jsonedit.Elements(doc, "decided")
	for _, e := range list {
		decided[id(e)] = true
	}
	list, _ = jsonedit.Elements(doc, "pairs")
	settled := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for i, e := range list {
		if name := id(e); name != "" && decided[name] {
			settled.Remove[i] = true
		}
	}
	if len(settled.Remove) == 0 {
		return Result{Doc: doc}, nil
	}
	doc, err = jsonedit.EditArray(doc, []string{"pairs"}, settled)
	return Result{Doc: doc}, err
}
