package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A value is a JSON value with its members or elements. Of a repeated key the last
// member counts.
type value struct {
	gjson.Result
	keys     []string // of an object, one for each child
	children []value
	repeated []string // keys that the object has more than once
}

// decode reads one JSON value. The problem says why it can't be read.
func decode(raw []byte) (v value, problem string) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return v, fmt.Sprintf("not UTF-8 in line %d: save the file as UTF-8", lineOf(raw, invalidAt(raw)))
	}
	if !json.Valid(raw) {
		return v, syntaxProblem(raw)
	}
	return valueOf(gjson.ParseBytes(raw)), ""
}

func valueOf(r gjson.Result) value {
	v := value{Result: r}
	if !r.IsObject() && !r.IsArray() {
		return v
	}
	at := map[string]int{}
	r.ForEach(func(key, child gjson.Result) bool {
		if i, again := at[key.Str]; again && r.IsObject() {
			v.children[i] = valueOf(child)
			v.repeated = append(v.repeated, key.Str)
			return true
		}
		if r.IsObject() {
			at[key.Str] = len(v.keys)
			v.keys = append(v.keys, key.Str)
		}
		v.children = append(v.children, valueOf(child))
		return true
	})
	return v
}

// child returns a member or an element; one that does not exist if there is none.
func (v value) child(key string) value {
	if v.IsObject() {
		if i := slices.Index(v.keys, key); i >= 0 {
			return v.children[i]
		}
	} else if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.children) {
		return v.children[i]
	}
	return value{}
}

// path writes a place as people do: content.timeline[2].at, content["two words"].
func (v value) path(place []string) string {
	var b strings.Builder
	for _, key := range place {
		inList := v.IsArray()
		switch v = v.child(key); {
		case inList:
			b.WriteString("[" + key + "]")
		case key == "" || strings.ContainsFunc(key, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

// deeper reports whether a value has more than so many levels.
func (v value) deeper(levels int) bool {
	return levels < 0 || slices.ContainsFunc(v.children, func(child value) bool { return child.deeper(levels - 1) })
}

// syntaxProblem words the error of the strict parser, which knows the place.
func syntaxProblem(raw []byte) string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "the file is empty: restore it, or delete it"
	}
	var whole json.RawMessage
	err := json.Unmarshal(raw, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Sprintf("not valid JSON: %v", err)
	}
	return fmt.Sprintf("not valid JSON in line %d: %v", lineOf(raw, int(syntax.Offset)-1), err)
}

// lineOf returns the line, from 1, of the byte at offset.
func lineOf(raw []byte, offset int) int {
	return 1 + bytes.Count(raw[:min(max(offset, 0), len(raw))], []byte("\n"))
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}
