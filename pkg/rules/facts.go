package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/text"
)

// differencesOf returns the places where two memories differ in what they say, beyond another wording and what
// a merge keeps of both: members of the content that only one has, and elements of an array. The order of an
// object's members says nothing, though it is the order of the text.
func differencesOf(a, b *memory.Memory) []similarity.Difference {
	objects := a.Content().IsObject() && b.Content().IsObject()
	if objects {
		if moved := movedValues(a.Content(), b.Content()); len(moved) > 0 {
			return moved
		}
	}
	found := similarity.OtherFacts(similarity.Later(a), similarity.Later(b))
	if len(found) == 0 || !objects || a.Title() != b.Title() {
		return found
	}
	var x, y strings.Builder
	if !bothSay(&x, &y, a.Content(), b.Content()) {
		return found
	}
	return similarity.OtherFacts(similarity.Prepare(x.String()), similarity.Prepare(y.String()))
}

// movedValues finds the values that two objects have under different names: what one allows the other denies.
func movedValues(a, b gjson.Result) (found []similarity.Difference) {
	x, y := map[string]string{}, map[string]string{}
	leaves(x, "", a)
	leaves(y, "", b)
	at := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(y)) {
		if x[path] != y[path] {
			at[y[path]] = append(at[y[path]], path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(x)) {
		if x[path] == y[path] || shape[path] {
			continue
		}
		for _, other := range at[x[path]] {
			if other != path && !shape[other] {
				found = append(found, similarity.Difference{Kind: "order", A: path + ": " + text.Truncate(x[path], 80), B: other + ": " + text.Truncate(x[path], 80)})
				break
			}
		}
	}
	return found
}

// shape are the members between which a text moves when its form changes: the first sentence of a long text is its summary.
var shape = map[string]bool{"summary": true, "details": true, "title": true, "text": true}

// leaves lists the values of an object by their paths, those that are worth telling apart. An array is one value.
func leaves(into map[string]string, path string, v gjson.Result) {
	if v.IsObject() {
		v.ForEach(func(name, child gjson.Result) bool {
			leaves(into, strings.TrimPrefix(path+"."+name.Str, "."), child)
			return true
		})
		return
	}
	if raw := string(jsonedit.Compact([]byte(v.Raw))); !slices.Contains([]string{`""`, "null", "[]", "{}"}, raw) {
		into[path] = raw
	}
}

// describeAll tells the differences of two memories in a few words each; nil for none.
func describeAll(a, b *memory.Memory) (out []string) {
	for _, d := range differencesOf(a, b) {
		out = append(out, describe(d))
	}
	return out
}

// verdict is describeAll, which a sketch asks once for the same two records.
func differencesOnce(st *state, a, b *memory.Memory) (out []string) {
	if st.Sketch == nil {
		return describeAll(a, b)
	}
	x, y := a.Checksum(), b.Checksum()
	sum := sha256.Sum256(slices.Concat(x[:], y[:]))
	key := memoKey(sum[:len(memoKey{})])
	key[0] = 'y'
	if value, ok := st.Sketch.get(key); ok {
		r := memoReader{rest: value}
		for len(r.rest) > 0 {
			out = append(out, string(r.take(r.count())))
		}
		if !r.broken {
			st.Sketch.put(key, value)
			return out
		}
	}
	out = describeAll(a, b)
	value := []byte{}
	for _, text := range out {
		value = append(binary.AppendUvarint(value, uint64(len(text))), text...)
	}
	st.Sketch.put(key, value)
	return out
}

// bothSay writes what two JSON values say at the places that both have, value for value in one order. It is false for
// an object that names a member twice.
func bothSay(x, y *strings.Builder, a, b gjson.Result) bool {
	switch {
	case a.IsObject() && b.IsObject():
		of, repeatsA := membersOf(a)
		with, repeatsB := membersOf(b)
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if other, ok := with[name]; ok && !bothSay(x, y, of[name], other) {
				return false
			}
		}
		return !repeatsA && !repeatsB
	case a.IsArray() && b.IsArray():
		elementsSay(x, y, a.Array(), b.Array())
	default:
		fmt.Fprintln(x, a)
		fmt.Fprintln(y, b)
	}
	return true
}

// alikeElements is how similar two elements of arrays are that may be two versions of one.
const alikeElements = 0.5

// elementsSay writes the elements of two arrays of which a merge keeps all: those that may be two versions of one; and
// all of them when the ones that both have stand in another order.
func elementsSay(x, y *strings.Builder, a, b []gjson.Result) {
	only := func(list, other []gjson.Result) (rest, common []gjson.Result) {
		for _, e := range list {
			if slices.ContainsFunc(other, func(o gjson.Result) bool { return o.Raw == e.Raw }) {
				common = append(common, e)
			} else {
				rest = append(rest, e)
			}
		}
		return rest, common
	}
	restA, commonA := only(a, b)
	restB, commonB := only(b, a)
	if !slices.EqualFunc(commonA, commonB, func(e, o gjson.Result) bool { return e.Raw == o.Raw }) {
		for i := range max(len(a), len(b)) {
			if i < len(a) {
				fmt.Fprintln(x, a[i])
			}
			if i < len(b) {
				fmt.Fprintln(y, b[i])
			}
		}
		return
	}
	for _, e := range restA {
		for _, o := range restB {
			if similarity.Content(similarity.Prepare(e.String()), similarity.Prepare(o.String())) >= alikeElements {
				fmt.Fprintln(x, e)
				fmt.Fprintln(y, o)
			}
		}
	}
}

// membersOf returns the members of an object by name, and whether a name is there twice.
func membersOf(object gjson.Result) (byName map[string]gjson.Result, repeats bool) {
	byName = map[string]gjson.Result{}
	object.ForEach(func(name, value gjson.Result) bool {
		_, repeats = byName[name.Str]
		byName[name.Str] = value
		return !repeats
	})
	return byName, repeats
}

// factsOf returns the facts that a memory states: in its content, in a title
// beside it, and in its variants. It remembers those of texts that were met.
func factsOf(known map[string][]similarity.Fact, m *memory.Memory) []similarity.Fact {
	text := m.Text() + "\n" + m.Title()
	for _, v := range memory.Variants(m) {
		text += "\n" + v.Words()
	}
	found, ok := known[text]
	if !ok {
		found = similarity.Facts(text)
		known[text] = found
	}
	return found
}

// factSet is a set of facts, whatever their wording.
type factSet map[[2]string]bool

func (s factSet) add(f similarity.Fact)      { s[[2]string{f.Kind, f.Key}] = true }
func (s factSet) has(f similarity.Fact) bool { return s[[2]string{f.Kind, f.Key}] }

func setOf(facts []similarity.Fact) factSet {
	s := factSet{}
	for _, f := range facts {
		s.add(f)
	}
	return s
}

// prove counts, over all sources of a merge, the different facts that the result
// states and those that stand in the archived sources only. A fact that would stand
// in neither is an error: such a merge must not happen.
func prove(sources []*memory.Memory, result *memory.Memory, archived []*memory.Memory) (stated, left int, err error) {
	known := map[string][]similarity.Fact{} // most of these texts are the same
	in, counted := setOf(factsOf(known, result)), factSet{}
	for i, source := range sources {
		back := setOf(factsOf(known, archived[i]))
		for _, f := range factsOf(known, source) {
			switch {
			case counted.has(f):
			case in.has(f):
				stated++
			case back.has(f):
				left++
			default:
				return 0, 0, fmt.Errorf("merge %s into %s: the %s %q would be lost", source.ID, result.ID, f.Kind, f.Text)
			}
			counted.add(f)
		}
	}
	return stated, left, nil
}

// describe says in a few words where two texts state different facts.
func describe(d similarity.Difference) string {
	side := func(text string) string {
		if text == "" {
			return "nothing"
		}
		return strconv.Quote(text)
	}
	return d.Kind + ": " + side(d.A) + " against " + side(d.B)
}
