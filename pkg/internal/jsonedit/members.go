package jsonedit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// Members is a document that holds an object, taken apart once: each of its members
// is found without going through the document again, and several of them are
// changed in one pass; see [Members.Edit].
type Members struct {
	c     container
	twice []string
}

// MembersOf takes a document apart that has passed [Check]. ok is false when it
// holds no object. The document must stay unchanged while its members are used.
func MembersOf(doc []byte) (m *Members, ok bool) {
	r := root(doc)
	if !r.IsObject() {
		return nil, false
	}
	m = &Members{c: newContainer(doc, r)}
	m.twice = repeated(m.c.keys())
	return m, true
}

// Repeated is what [DuplicateKeys] tells of the object.
func (m *Members) Repeated() []string { return m.twice }

// Get returns the value of a member, as the function [Get] does.
func (m *Members) Get(key string) (r gjson.Result, ok bool) {
	i := m.c.find(key)
	if i < 0 {
		return gjson.Result{}, false
	}
	it := m.c.items[i]
	r = gjson.Parse(view(m.c.doc[it.val:it.end]))
	r.Index = it.val
	return exact(r), true
}

// Elements returns the elements of a member that is an array, as the function [Elements] does.
func (m *Members) Elements(key string) (elements []gjson.Result, ok bool) {
	r, _ := m.Get(key)
	return elementsOf(r)
}

// Edit begins a set of changes. The members themselves stay as they are.
func (m *Members) Edit() *MemberEdit { return &MemberEdit{m: m, puts: map[int]put{}} }

// MemberEdit is a set of changes to members that are there. A second one to the same
// member takes the place of the first.
type MemberEdit struct {
	m    *Members
	puts map[int]put
}

// put is what takes the place of a value: other bytes, or an array with changes.
type put struct {
	raw   []byte
	array *container
	ch    changes
}

// Set puts raw, one JSON value, over the value of a member, as given. It refuses
// what [Apply] refuses.
func (e *MemberEdit) Set(key string, raw []byte) error {
	i, err := e.m.at(key)
	if err == nil {
		raw, err = within(raw, 1)
	}
	if err != nil {
		return fmt.Errorf("set %s: %w", pointer([]string{key}), err)
	}
	e.puts[i] = put{raw: raw}
	return nil
}

// EditArray changes the array that a member holds as the function [EditArray] does.
// Who has gone through its elements tells how many there are and, by span, where
// each begins and ends in the document; with nil they are looked for.
func (e *MemberEdit) EditArray(key string, n int, span func(i int) (start, end int), a ArrayEdit) error {
	path := []string{key}
	fail := func(err error) error { return fmt.Errorf("edit array %s: %w", pointer(path), err) }
	i, err := e.m.at(key)
	if err != nil {
		return fail(err)
	}
	r, _ := e.m.Get(key)
	if !r.IsArray() {
		return fail(mistyped(r, path, "array"))
	}
	array := container{doc: e.m.c.doc, open: r.Index, end: r.Index + len(r.Raw)}
	if span == nil {
		array = newContainer(e.m.c.doc, r)
		n = len(array.items)
	} else {
		array.items = make([]item, n)
		for i := range array.items {
			start, end := span(i)
			array.items[i] = item{start: start, val: start, end: end}
		}
	}
	ch, err := a.changes(n, path, 2)
	if err != nil {
		return fail(err)
	}
	e.puts[i] = put{array: &array, ch: ch}
	return nil
}

func (m *Members) at(key string) (int, error) {
	if err := unique(m.twice, nil); err != nil {
		return 0, err
	}
	i := m.c.find(key)
	if i < 0 {
		return 0, absent([]string{key})
	}
	return i, nil
}

// Any reports whether there are changes.
func (e *MemberEdit) Any() bool { return len(e.puts) > 0 }

// Bytes returns the document with the changes made, in one pass, and which parts of it
// are those of before, in their order. That it passes
// [Check] needs no other look: whole values stand where whole values stood, each of
// them was checked for its place, and the rest is what it was. The error is that it
// has become too large.
func (e *MemberEdit) Bytes() ([]byte, []Kept, error) {
	doc := e.m.c.doc
	size, from := len(doc), 0
	for i, p := range e.puts {
		size += p.ch.size()
		if p.array == nil {
			size += len(p.raw) - (e.m.c.items[i].end - e.m.c.items[i].val)
		}
	}
	next := edited{doc: doc, out: make([]byte, 0, size)}
	for _, i := range slices.Sorted(maps.Keys(e.puts)) {
		p, it := e.puts[i], e.m.c.items[i]
		next.keep(from, it.val)
		if p.array != nil {
			p.array.write(&next, p.ch)
		} else {
			next.add(p.raw)
		}
		from = it.end
	}
	if next.keep(from, len(doc)); len(next.out) > MaxSize {
		return nil, nil, fmt.Errorf("edited document: %w", Check(next.out))
	}
	return next.out, next.parts, nil
}

// ArrayEdit is a set of changes to one array. All indexes refer to the array
// before the edit. An element may not be both set and removed.
type ArrayEdit struct {
	Set    map[int][]byte // replaces elements with these bytes, as given
	Remove map[int]bool   // removes elements with their comma and white space
	Insert []Insertion    // adds elements; those with equal Before in this order
}

// Insertion puts Raw, one JSON value, before an element of the array, or at its
// end if there is no such element. Compact Raw is laid out like its siblings;
// Raw that has line breaks or spaces of its own keeps them, re-indented to the
// array, or is put on one line in an array that stands on one line.
type Insertion struct {
	Before int
	Raw    []byte
}

// EditArray makes all changes to the array at path (no path: the document is
// the array) in one pass, so its cost does not depend on how many there are.
// It refuses what Apply refuses; an index out of range is ErrNotFound.
//
// Removing elements and inserting the same bytes at the same places restores
// the document if the elements are laid out alike, one per line or all on one.
// If none remains the array becomes [], and when the next one is inserted the
// white space inside the brackets is a guess from the rest of the document.
func EditArray(doc []byte, path []string, e ArrayEdit) ([]byte, error) {
	if err := Check(doc); err != nil {
		return nil, err
	}
	c, err := locateArray(doc, path)
	if err != nil {
		return nil, fmt.Errorf("edit array %s: %w", pointer(path), err)
	}
	ch, err := e.changes(len(c.items), path, 0)
	if err != nil {
		return nil, fmt.Errorf("edit array %s: %w", pointer(path), err)
	}
	out := c.rebuild(ch).out
	if err := Check(out); err != nil {
		return nil, fmt.Errorf("edited document: %w", err)
	}
	return out, nil
}

// changes validates an edit of an array of n elements, which stand at a depth.
func (e ArrayEdit) changes(n int, path []string, depth int) (changes, error) {
	ch := changes{remove: e.Remove, set: make(map[int][]byte, len(e.Set))}
	inRange := func(i int) error {
		if i < 0 || i >= n {
			return absent(append(slices.Clip(path), strconv.Itoa(i)))
		}
		return nil
	}
	for _, i := range slices.Sorted(maps.Keys(e.Remove)) {
		if err := inRange(i); err != nil && e.Remove[i] {
			return changes{}, err
		}
	}
	for _, i := range slices.Sorted(maps.Keys(e.Set)) {
		if err := inRange(i); err != nil {
			return changes{}, err
		}
		if e.Remove[i] {
			return changes{}, fmt.Errorf("element %d is both set and removed", i)
		}
		raw, err := within(e.Set[i], depth)
		if err != nil {
			return changes{}, fmt.Errorf("element %d: %w", i, err)
		}
		ch.set[i] = raw
	}
	for k, in := range e.Insert {
		if in.Before < 0 {
			return changes{}, inRange(in.Before)
		}
		raw, err := within(in.Raw, depth)
		if err != nil {
			return changes{}, fmt.Errorf("insertion %d: %w", k, err)
		}
		ch.insert = append(ch.insert, insertion{before: min(in.Before, n), raw: raw})
	}
	slices.SortStableFunc(ch.insert, func(a, b insertion) int { return a.before - b.before })
	return ch, nil
}
