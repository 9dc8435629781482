package jsonedit

import (
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// view is doc as a string, not copied: looking up a field must not cost a copy
// of the file. The string lives as long as doc must stay unchanged.
func view(doc []byte) string { return unsafe.String(unsafe.SliceData(doc), len(doc)) }

// Get returns the value at path: keys of objects compared decoded and exactly,
// decimal indexes into arrays. Of duplicate keys the first counts. No path
// gives the whole value. ok is false when there is nothing at path.
//
// Raw and Str of the result share memory with doc, so doc must stay unchanged
// while they are used; Index is the offset of Raw in doc.
func Get(doc []byte, path ...string) (r gjson.Result, ok bool) {
	r = root(doc)
	ok = r.Exists()
	for _, name := range path {
		if r, ok = child(r, name); !ok {
			return gjson.Result{}, false
		}
	}
	return exact(r), ok
}

// Elements returns the elements of the array at path, as Get would; ok is
// false when there is no array.
func Elements(doc []byte, path ...string) (elements []gjson.Result, ok bool) {
	r, _ := Get(doc, path...)
	return elementsOf(r)
}

func elementsOf(r gjson.Result) (elements []gjson.Result, ok bool) {
	if !r.IsArray() {
		return nil, false
	}
	r.ForEach(func(_, v gjson.Result) bool {
		elements = append(elements, exact(v))
		return true
	})
	return elements, true
}

// DuplicateKeys returns the keys that the object value holds more than once,
// each once, in order of first occurrence. Keys are compared decoded; objects
// inside the value are not looked at. Other values have none.
func DuplicateKeys(value []byte) []string {
	return duplicates(root(value))
}

// Text returns the text of a JSON string as encoding/json decodes it: lone
// surrogates become U+FFFD. Use it in place of Str for strings that gjson
// found, which loses the escape after a lone surrogate. For other types it is
// r.String().
func Text(r gjson.Result) string { return exact(r).String() }

// Texts returns the strings of an array that are not blank, as gjson decodes them. A lone
// string is an array of one; other elements are passed over, other values have none.
func Texts(v gjson.Result) (texts []string) {
	add := func(_, e gjson.Result) bool {
		if e.Type == gjson.String && strings.TrimSpace(e.Str) != "" {
			texts = append(texts, e.Str)
		}
		return true
	}
	if v.IsArray() {
		v.ForEach(add)
	} else {
		add(v, v)
	}
	return texts
}

func root(doc []byte) gjson.Result {
	start, end := Span(doc)
	r := gjson.Parse(view(doc[start:end]))
	r.Index += start
	return r
}

// child steps from an object or array to one of its values.
func child(r gjson.Result, name string) (found gjson.Result, ok bool) {
	if !r.IsObject() && !r.IsArray() {
		return found, false
	}
	at, isIndex := index(name)
	object, i := r.IsObject(), 0
	if !object && !isIndex {
		return found, false
	}
	r.ForEach(func(k, v gjson.Result) bool {
		if object && exact(k).Str == name || !object && i == at {
			found, ok = v, true
		}
		i++
		return !ok
	})
	return found, ok
}

// index reads an array index: decimal digits without sign or leading zeros.
func index(name string) (int, bool) {
	if name == "" || len(name) > 9 || name[0] == '0' && len(name) > 1 { // MaxSize has 9 digits
		return 0, false
	}
	n := 0
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// exact sets Str right where gjson is wrong: after a lone surrogate escape it
// drops the escape that follows.
func exact(r gjson.Result) gjson.Result {
	if r.Type == gjson.String && (strings.Contains(r.Raw, `\ud`) || strings.Contains(r.Raw, `\uD`)) {
		var text string
		if json.Unmarshal([]byte(r.Raw), &text) == nil {
			r.Str = text
		}
	}
	return r
}

func duplicates(r gjson.Result) (twice []string) {
	if !r.IsObject() {
		return nil
	}
	var few [24]string // most objects have no more: nothing is allocated for them
	keys := few[:0]
	r.ForEach(func(k, _ gjson.Result) bool {
		keys = append(keys, exact(k).Str)
		return true
	})
	if len(keys) <= len(few) && !anyTwice(keys) {
		return nil
	}
	return repeated(keys)
}

func anyTwice(keys []string) bool {
	for i := 1; i < len(keys); i++ {
		if slices.Contains(keys[:i], keys[i]) {
			return true
		}
	}
	return false
}

// repeated returns the strings that occur more than once.
func repeated(keys []string) (twice []string) {
	count := make(map[string]int, len(keys))
	for _, k := range keys {
		count[k]++
	}
	if len(count) == len(keys) {
		return nil
	}
	for _, k := range keys {
		if count[k] > 1 {
			twice = append(twice, strings.Clone(k))
			count[k] = 0
		}
	}
	return twice
}
