package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Why an edit was refused. The errors that wrap these name the path.
var (
	ErrDuplicateKey = errors.New("duplicate key")
	ErrNotFound     = errors.New("not found")
	ErrWrongType    = errors.New("wrong type")
)

// Edit is one change to an object member or an array element; Set, Delete and
// Append make them. The paths are those of Get.
type Edit struct {
	op   string
	path []string
	raw  []byte
}

// Set puts raw at path: over the value that is there, as given, or as a new
// member at the end of its object, laid out as Insertion says. The object must
// exist, and so must an array element; an empty path replaces the whole value.
// raw is one JSON value.
func Set(raw []byte, path ...string) Edit { return Edit{"set", slices.Clone(path), raw} }

// Delete removes the member or element at path with its comma and white space.
// Deleting what is not there changes nothing.
func Delete(path ...string) Edit { return Edit{"delete", slices.Clone(path), nil} }

// Append adds raw, one JSON value, to the end of the array at path, laid out as
// Insertion says.
func Append(raw []byte, path ...string) Edit { return Edit{"append", slices.Clone(path), raw} }

// Apply makes the edits in order, each on the result of the one before, and
// returns the new document; doc is not changed. Either all edits are made or
// none: doc must pass Check, and so must the result.
//
// An error wraps *Error for a document or value that fails Check,
// ErrDuplicateKey if any object the path walks, up to the edited one, has
// duplicate keys, ErrNotFound if a parent or array element does not exist, or
// ErrWrongType if the path leads through a scalar or to something of another
// kind than the edit needs.
func Apply(doc []byte, edits ...Edit) ([]byte, error) {
	_, out, err := ApplyCommented(doc, doc, edits...)
	return out, err
}

// ApplyCommented is Apply for a document that isn't JSON, such as one with
// comments, next to its plain form: as long, and the same but for spaces where doc
// has what isn't JSON. The edits are made on the plain form, and doc becomes what has
// that form. Comments in a span that is replaced or removed are removed with it.
func ApplyCommented(doc, plain []byte, edits ...Edit) (newDoc, newPlain []byte, err error) {
	if err := Check(plain); err != nil {
		return nil, nil, err
	}
	if len(doc) != len(plain) {
		return nil, nil, fmt.Errorf("a document of %d bytes has a plain form of %d", len(doc), len(plain))
	}
	doc, plain = bytes.Clone(doc), bytes.Clone(plain)
	for _, e := range edits {
		next, err := e.apply(plain)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", e.op, pointer(e.path), err)
		}
		out := bytes.Clone(next.out)
		for _, part := range next.parts {
			copy(out[part.New:], doc[part.Old:part.Old+part.Len])
		}
		doc, plain = out, next.out
	}
	if err := Check(plain); err != nil {
		return nil, nil, fmt.Errorf("edited document: %w", err)
	}
	return doc, plain, nil
}

func (e Edit) apply(doc []byte) (edited, error) {
	switch e.op {
	case "set":
		return e.set(doc)
	case "delete":
		return e.delete(doc)
	case "append":
		raw, err := one(e.raw)
		if err != nil {
			return edited{}, err
		}
		c, err := locateArray(doc, e.path)
		if err != nil {
			return edited{}, err
		}
		return c.rebuild(changes{insert: []insertion{{before: len(c.items), raw: raw}}}), nil
	}
	return edited{}, errors.New("an Edit must come from Set, Delete or Append")
}

func (e Edit) set(doc []byte) (edited, error) {
	raw, err := one(e.raw)
	if err != nil {
		return edited{}, err
	}
	if len(e.path) == 0 {
		start, end := Span(doc)
		next := edited{doc: doc}
		next.keep(0, start)
		next.add(raw)
		next.keep(end, len(doc))
		return next, nil
	}
	c, name, err := locateParent(doc, e.path)
	if err != nil {
		return edited{}, err
	}
	if i := c.find(name); i >= 0 {
		return c.rebuild(changes{set: map[int][]byte{i: raw}}), nil
	}
	if !c.object {
		return edited{}, absent(e.path)
	}
	if !utf8.ValidString(name) {
		return edited{}, errors.New("the new key is not valid UTF-8")
	}
	return c.rebuild(changes{insert: []insertion{{before: len(c.items), key: Quote(name), raw: raw}}}), nil
}

func (e Edit) delete(doc []byte) (edited, error) {
	if len(e.path) == 0 {
		return edited{}, fmt.Errorf("the whole document cannot be deleted: %w", ErrWrongType)
	}
	c, name, err := locateParent(doc, e.path)
	if errors.Is(err, ErrNotFound) {
		return whole(doc), nil
	}
	if err != nil {
		return edited{}, err
	}
	i := c.find(name)
	if i < 0 {
		return whole(doc), nil
	}
	return c.rebuild(changes{remove: map[int]bool{i: true}}), nil
}

// one returns the value in raw without white space around it.
func one(raw []byte) ([]byte, error) { return within(raw, 0) }

// within is one for a value that is to stand at a depth: it may nest so much less.
func within(raw []byte, depth int) ([]byte, error) {
	if err := check(raw, depth); err != nil {
		return nil, fmt.Errorf("new value: %w", err)
	}
	start, end := Span(raw)
	return raw[start:end], nil
}

// locate walks path strictly: every object on the way has unique keys.
func locate(doc []byte, path []string) (gjson.Result, error) {
	r := root(doc)
	for i, name := range path {
		if !r.IsObject() && !r.IsArray() {
			return r, mistyped(r, path[:i], "object or array")
		}
		if err := unique(duplicates(r), path[:i]); err != nil {
			return r, err
		}
		var ok bool
		if r, ok = child(r, name); !ok {
			return r, absent(path[:i+1])
		}
	}
	return r, nil
}

func locateArray(doc []byte, path []string) (container, error) {
	r, err := locate(doc, path)
	if err != nil {
		return container{}, err
	}
	if !r.IsArray() {
		return container{}, mistyped(r, path, "array")
	}
	return newContainer(doc, r), nil
}

// locateParent returns the object or array that holds, or would hold, the last
// name of path.
func locateParent(doc []byte, path []string) (container, string, error) {
	parent, name := path[:len(path)-1], path[len(path)-1]
	r, err := locate(doc, parent)
	if err != nil {
		return container{}, "", err
	}
	if !r.IsObject() && !r.IsArray() {
		return container{}, "", mistyped(r, parent, "object or array")
	}
	c := newContainer(doc, r)
	return c, name, unique(repeated(c.keys()), parent)
}

func unique(twice []string, path []string) error {
	if len(twice) == 0 {
		return nil
	}
	return fmt.Errorf("%s holds the key %q more than once: %w", pointer(path), twice[0], ErrDuplicateKey)
}

func absent(path []string) error {
	return fmt.Errorf("nothing at %s: %w", pointer(path), ErrNotFound)
}

func mistyped(r gjson.Result, path []string, want string) error {
	found := strings.ToLower(r.Type.String())
	if r.IsObject() {
		found = "object"
	}
	return fmt.Errorf("%s is of type %s, not %s: %w", pointer(path), found, want, ErrWrongType)
}

// pointer prints a path as a quoted JSON Pointer (RFC 6901).
func pointer(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	var b strings.Builder
	for _, name := range path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return fmt.Sprintf("%q", b.String())
}
