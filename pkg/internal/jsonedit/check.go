package jsonedit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Limits of the gate.
const (
	MaxSize  = 512 << 20 // bytes in a document
	MaxDepth = 1000      // nested arrays and objects
)

var bom = []byte("\ufeff")

// Check is the gate every document passes before it is trusted: exactly one
// JSON value (RFC 8259) in valid UTF-8, at most MaxDepth deep and MaxSize
// long. A UTF-8 byte order mark before the value and white space around it
// are allowed, and so are duplicate keys and lone surrogate escapes.
//
// The error is an *Error whose message names the usual accidents: an empty or
// cut off file, NUL bytes, UTF-16, conflict markers, comments, trailing commas.
func Check(doc []byte) error { return check(doc, 0) }

// check is Check for a value at a depth.
func check(doc []byte, depth int) error {
	if len(doc) > MaxSize {
		return &Error{Line: 1, Column: 1, Msg: fmt.Sprintf("document of %d bytes is too large; the limit is %d", len(doc), MaxSize)}
	}
	end, f := scanValue(doc, bomLen(doc), depth)
	if f == none {
		if end = skipSpace(doc, end); end == len(doc) {
			return nil
		}
		f = wantEnd
	}
	return diagnose(doc, end, f)
}

// Span returns where the one value of a document begins and ends, leaving out
// the byte order mark and the white space around it.
func Span(doc []byte) (start, end int) {
	start = skipSpace(doc, bomLen(doc))
	end = len(doc)
	for end > start && isSpace(doc[end-1]) {
		end--
	}
	return start, end
}

func bomLen(doc []byte) int {
	if bytes.HasPrefix(doc, bom) {
		return len(bom)
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skipSpace returns the offset of the first byte from i on that is not white
// space, or len(doc).
func skipSpace(doc []byte, i int) int {
	for i < len(doc) && isSpace(doc[i]) {
		i++
	}
	return i
}

// PlainStrings reads a list of strings without escapes, as ids are: a large workspace has lists
// of tens of thousands. They share one copy of their text. Not plain is anything else, which is
// left to encoding/json. The list must be valid JSON.
func PlainStrings(v gjson.Result) (list []string, plain bool) {
	if !v.IsArray() || strings.ContainsRune(v.Raw, '\\') {
		return nil, false
	}
	list, plain = make([]string, 0, strings.Count(v.Raw, `"`)/2), true
	text := strings.Clone(v.Raw)
	gjson.Parse(text).ForEach(func(_, element gjson.Result) bool {
		plain = element.Type == gjson.String
		list = append(list, element.Str)
		return plain
	})
	return list, plain
}
