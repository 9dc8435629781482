package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// distinct returns those of the differences found between the texts of two memories,
// whose contents are so similar, that are differences of what they say: none when the
// two hold the same values. The order of an object's members says nothing, though it
// is the order of the text.
func distinct(a, b *memory.Memory, content float64, found []similarity.Difference) []similarity.Difference {
	if len(found) > 0 && content == 1 && a.Title() == b.Title() && sameValue(a.Content(), b.Content()) {
		return nil
	}
	return found
}

// sameValue reports whether two JSON values are the same, whatever the order of the
// members of their objects. Numbers are the same when they are written alike; an object
// that names a member twice is the same as none.
func sameValue(a, b gjson.Result) bool {
	switch {
	case a.Type != b.Type || a.IsObject() != b.IsObject():
		return false
	case a.IsObject():
		x, repeatsX := members(a)
		y, repeatsY := members(b)
		return !repeatsX && !repeatsY && maps.EqualFunc(x, y, sameValue)
	case a.IsArray():
		return slices.EqualFunc(a.Array(), b.Array(), sameValue)
	case a.Type == gjson.String:
		return a.Str == b.Str
	}
	return a.Raw == b.Raw
}

// members returns the members of an object by name, and whether a name stands there twice.
func members(object gjson.Result) (byName map[string]gjson.Result, repeats bool) {
	byName = map[string]gjson.Result{}
	object.ForEach(func(name, value gjson.Result) bool {
		_, repeats = byName[name.Str]
		byName[name.Str] = value
		return !repeats
	})
	return byName, repeats
}

// factsOf returns the facts that a memory states: in its content, and in a title
// beside it. It remembers those of texts that were met.
func factsOf(known map[string][]similarity.Fact, m *memory.Memory) []similarity.Fact {
	text := m.Text() + "\n" + m.Title()
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
func prove(sources []*memory.Memory, result *memory.Memory, archived []*memory.Memory) (kept, left int, err error) {
	known := map[string][]similarity.Fact{} // most of these texts are the same
	in, counted := setOf(factsOf(known, result)), factSet{}
	for i, source := range sources {
		back := setOf(factsOf(known, archived[i]))
		for _, f := range factsOf(known, source) {
			switch {
			case counted.has(f):
			case in.has(f):
				kept++
			case back.has(f):
				left++
			default:
				return 0, 0, fmt.Errorf("merge %s into %s: the %s %q would be lost", source.ID, result.ID, f.Kind, f.Text)
			}
			counted.add(f)
		}
	}
	return kept, left, nil
}

// proveMerge reads the records that a merge results in as a later snapshot would,
// and notes what became of the sources' facts.
func proveMerge(g *group, r *mergeResult) error {
	result, err := record(g.survivor.ID, r.survivor)
	if err != nil {
		return err
	}
	var sources, archived []*memory.Memory
	for i, m := range g.members {
		old, err := record(m.ID, r.older[i])
		if err != nil {
			return err
		}
		sources, archived = append(sources, m.Memory), append(archived, old)
	}
	r.kept, r.left, err = prove(sources, result, archived)
	return err
}

// record reads what a memory results in.
func record(id string, raw []byte) (*memory.Memory, error) {
	ms, err := memory.ParseRecords(id+".json", raw)
	if err != nil {
		return nil, fmt.Errorf("read the result of merging %s: %w", id, err)
	}
	if len(ms) != 1 {
		return nil, fmt.Errorf("read the result of merging %s: %d records", id, len(ms))
	}
	return ms[0], nil
}
