package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// parseSet reads key=value: the path of the key, in which \. is a dot of its own,
// and the value, JSON where it is valid JSON and a text otherwise.
func parseSet(text string) (path []string, value []byte, err error) {
	key, raw, ok := strings.Cut(text, "=")
	if !ok {
		return nil, nil, usagef("--set %s: write KEY=VALUE, such as content.summary=…", strconv.Quote(text))
	}
	part := ""
	for rest := key; ; {
		i := strings.IndexAny(rest, `.\`)
		switch {
		case i < 0:
			path = append(path, part+rest)
		case rest[i] == '\\' && i+1 < len(rest):
			part += rest[:i] + rest[i+1:i+2]
			rest = rest[i+2:]
			continue
		case rest[i] == '\\':
			return nil, nil, usagef("--set %s: a backslash ends the key", strconv.Quote(text))
		default:
			path, part, rest = append(path, part+rest[:i]), "", rest[i+1:]
			continue
		}
		break
	}
	for _, p := range path {
		if p == "" {
			return nil, nil, usagef("--set %s: a part of the key is empty", strconv.Quote(text))
		}
	}
	if trimmed := strings.TrimSpace(raw); trimmed != "" && gjson.Valid(trimmed) {
		return path, []byte(trimmed), nil
	}
	value, err = marshal(raw)
	return path, value, err
}

// setField puts a value at a path of a JSON object and leaves every other byte as
// it is. The value replaces what stands there; a key that is missing in its object
// is added behind the others, laid out like the last of them. What leads there
// must exist.
func setField(doc []byte, path []string, value []byte) ([]byte, error) {
	v := gjson.ParseBytes(doc)
	for i, key := range path {
		child, found := member(v, key)
		last := i == len(path)-1
		switch {
		case found && last:
			return splice(doc, child.Index, child.Index+len(child.Raw), value), nil
		case found:
			v = child
		case v.IsObject() && last:
			return addMember(doc, v, key, value)
		default:
			return nil, fmt.Errorf("set %s: there is no %s", strings.Join(path, "."), strings.Join(path[:i+1], "."))
		}
	}
	return nil, errors.New("set: no key")
}

// member finds a key of an object, or an element of an array by its number.
func member(v gjson.Result, key string) (child gjson.Result, found bool) {
	if !v.IsObject() && !v.IsArray() {
		return child, false
	}
	n := 0
	v.ForEach(func(k, e gjson.Result) bool {
		name := k.Str
		if v.IsArray() {
			name = strconv.Itoa(n)
		}
		if name == key {
			child, found = e, true
		}
		n++
		return !found
	})
	return child, found
}

// addMember adds a key to the object v of doc.
func addMember(doc []byte, v gjson.Result, key string, value []byte) ([]byte, error) {
	quoted, err := marshal(key)
	if err != nil {
		return nil, err
	}
	// How the last member is laid out, and where it ends: first, just behind the brace.
	comma, before, between, end := "", "", ": ", v.Index+1
	v.ForEach(func(k, e gjson.Result) bool {
		comma, before = ",", string(doc[end:k.Index])
		before = before[strings.LastIndexByte(before, ',')+1:]
		between, end = string(doc[k.Index+len(k.Raw):e.Index]), e.Index+len(e.Raw)
		return true
	})
	return splice(doc, end, end, []byte(comma+before+string(quoted)+between+string(value))), nil
}

// splice replaces doc[from:to].
func splice(doc []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(doc)-(to-from)+len(with))
	return append(append(append(out, doc[:from]...), with...), doc[to:]...)
}
