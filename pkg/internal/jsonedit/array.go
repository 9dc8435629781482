package jsonedit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

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
