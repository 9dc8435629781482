package edit

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Field is a member of a record at a path of names, and its new value as JSON.
type Field struct {
	Path  []string
	Value []byte
}

// Set makes a change that sets fields, one after the other.
func Set(fields []Field) Change {
	return func(m *memory.Memory) ([]byte, error) {
		raw := m.Raw()
		for _, f := range fields {
			var err error
			if raw, err = set(m.ID, raw, f.Value, f.Path...); err != nil {
				return nil, err
			}
		}
		return raw, nil
	}
}

// DropVariants makes a change that another one makes, and removes the variants.
func DropVariants(change Change) Change {
	return func(m *memory.Memory) ([]byte, error) {
		raw, err := change(m)
		if err != nil {
			return nil, err
		}
		if raw, err = memory.DropField(raw, memory.VariantsKey); err != nil {
			return nil, broken(m.ID, err)
		}
		return raw, nil
	}
}

// What may be written in one call of a program: each field is an edit of the record's bytes.
const (
	maxRecord = 1 << 20 // bytes
	maxFields = 200
)

// TooLong refuses values that are too long for a memory.
func TooLong(content json.RawMessage, fields map[string]json.RawMessage) error {
	n := len(content)
	for name, value := range fields {
		n += len(name) + len(value)
	}
	if n <= maxRecord {
		return nil
	}
	return fail.WithHint(fail.New(fail.ErrInvalid, "%d bytes are too long for a memory: at most %d", n, maxRecord), "save it as several memories")
}

// Values are the changes that a program asks for at once. What isn't named stays as it is.
type Values struct {
	Content json.RawMessage            // takes the place of the old content
	Fields  map[string]json.RawMessage // an object is merged into the one that is there

	AddTags, RemoveTags []string
}

// Change makes the change, at a moment.
func (v Values) Change(at time.Time) Change {
	return func(m *memory.Memory) (_ []byte, err error) {
		if err := TooLong(v.Content, v.Fields); err != nil {
			return nil, err
		}
		raw, left := m.Raw(), maxFields
		if v.Content != nil {
			if raw, err = set(m.ID, raw, v.Content, "content"); err != nil {
				return nil, err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
			if raw, err = merge(m.ID, raw, v.Fields[name], &left, name); err != nil {
				return nil, err
			}
		}
		if len(v.AddTags)+len(v.RemoveTags) == 0 {
			return raw, nil
		}
		found, err := memory.ParseRecords(m.File, raw)
		if err != nil || len(found) != 1 {
			return nil, fail.New(fail.ErrInvalid, "%s would no longer be a memory", m.ID)
		}
		raw, _, err = memory.Retag(found[0], v.AddTags, v.RemoveTags, at)
		return raw, err
	}
}

// merge sets the field at a path; the members of an object go into the object that is
// there, one by one, as long as some are left.
func merge(id string, raw, value []byte, left *int, path ...string) ([]byte, error) {
	if *left--; *left < 0 {
		return nil, fail.WithHint(fail.New(fail.ErrInvalid, "more than %d fields are to be set", maxFields), "set fewer at once")
	}
	v := gjson.ParseBytes(value)
	if !v.IsObject() || !field(raw, path...).IsObject() {
		return set(id, raw, value, path...)
	}
	var err error
	v.ForEach(func(name, member gjson.Result) bool {
		raw, err = merge(id, raw, []byte(member.Raw), left, append(path[:len(path):len(path)], name.String())...)
		return err == nil
	})
	return raw, err
}

// set sets a field unless it has the value.
func set(id string, raw, value []byte, path ...string) ([]byte, error) {
	if field(raw, path...).Raw == string(value) {
		return raw, nil
	}
	edited, err := memory.SetField(raw, value, path...)
	if err != nil {
		return nil, broken(id, err)
	}
	return edited, nil
}

// field is the value at a path of member names.
func field(raw []byte, path ...string) gjson.Result {
	v := gjson.ParseBytes(raw)
	for _, name := range path {
		found := gjson.Result{}
		v.ForEach(func(key, value gjson.Result) bool {
			if key.String() == name {
				found = value
			}
			return found.Raw == ""
		})
		v = found
	}
	return v
}
