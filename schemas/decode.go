package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A document is a decoded JSON file.
type document struct {
	raw   []byte // without a byte order mark
	value any    // numbers as json.Number
	// checked is value with harmless exponents; the same value if it had no others.
	checked any
}

// decode reads one JSON value. The problem says why it can't be read.
func decode(raw []byte) (doc *document, problem string) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return nil, fmt.Sprintf("not UTF-8 in line %d: save the file as UTF-8", lineOf(raw, invalidAt(raw)))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, syntaxProblem(raw)
	}
	doc = &document{raw: raw, value: value, checked: value}
	if hasHugeExponent(value) {
		if doc.value, err = jsonschema.UnmarshalJSON(bytes.NewReader(raw)); err != nil {
			return nil, syntaxProblem(raw)
		}
		doc.checked = clip(value)
	}
	return doc, ""
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

// maxExponent bounds the exponents that reach the validator: it computes with
// exact fractions, so 1e1000000 costs a megabyte, and it panics where those give
// up.
const maxExponent = 1000

func hasHugeExponent(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return clipNumber(v) != v
	case []any:
		for _, e := range v {
			if hasHugeExponent(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if hasHugeExponent(e) {
				return true
			}
		}
	}
	return false
}

// clip replaces, in place, numbers with a huge exponent by others that are
// equally far beyond any limit.
func clip(v any) any {
	switch v := v.(type) {
	case json.Number:
		return clipNumber(v)
	case []any:
		for i := range v {
			v[i] = clip(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = clip(v[key])
		}
	}
	return v
}

func clipNumber(n json.Number) json.Number {
	mantissa, exponent, ok := strings.Cut(strings.ToLower(string(n)), "e")
	if !ok {
		return n
	}
	if e, err := strconv.Atoi(exponent); err == nil && e >= -maxExponent && e <= maxExponent {
		return n
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign = "-"
	}
	switch {
	case !strings.ContainsAny(mantissa, "123456789"):
		return "0"
	case strings.HasPrefix(exponent, "-"):
		return json.Number(sign + "1e-" + strconv.Itoa(maxExponent))
	}
	return json.Number(sign + "1e" + strconv.Itoa(maxExponent))
}
