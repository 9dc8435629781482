package jsonedit

import (
	"fmt"
	"unicode/utf8"
)

// Quote returns s as a JSON string. Only what must be escaped is: quotes,
// backslashes and control characters. Invalid UTF-8 becomes U+FFFD.
func Quote(s string) []byte {
	out := append(make([]byte, 0, len(s)+2), '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			out = append(out, '\\', byte(r))
		case '\b':
			out = append(out, `\b`...)
		case '\f':
			out = append(out, `\f`...)
		case '\n':
			out = append(out, `\n`...)
		case '\r':
			out = append(out, `\r`...)
		case '\t':
			out = append(out, `\t`...)
		default:
			if r < ' ' {
				out = fmt.Appendf(out, `\u%04x`, r)
			} else {
				out = utf8.AppendRune(out, r)
			}
		}
	}
	return append(out, '"')
}

// Strings returns ss as a compact JSON array: ["a","b"].
func Strings(ss []string) []byte {
	out := []byte{'['}
	for i, s := range ss {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, Quote(s)...)
	}
	return append(out, ']')
}

// Compact returns value without insignificant white space. Literals, escapes,
// key order and duplicate keys stay.
func Compact(value []byte) []byte { return AppendCompact(make([]byte, 0, len(value)), value) }

// AppendCompact appends what [Compact] returns.
func AppendCompact(dst, value []byte) []byte {
	return format(dst, value, rendering{comma: ",", colon: ":"})
}

// Indent returns value with each member and element on a line of its own that
// begins with prefix and one indent per level; the first line gets no prefix.
// Empty containers stay closed. Literals, escapes, key order and duplicate keys
// stay. Every line grows by its depth, so deep values grow a lot; what is more
// than MaxDepth deep stays on one line.
func Indent(value []byte, prefix, indent string) []byte {
	always := func(_ kind, depth int) bool { return depth < MaxDepth }
	return format(nil, value, rendering{prefix, indent, "\n", ",", ": ", always})
}

// rendering is how format lays a value out. Containers for which expand says
// so are broken into lines, those inside one that is not are not asked.
type rendering struct {
	prefix, unit, newline string
	comma, colon          string
	expand                func(k kind, depth int) bool // nil: none
}

// format appends value to dst with its white space replaced.
func format(dst, value []byte, r rendering) []byte {
	var broken []bool // for each open container
	breakLine := func() {
		if len(broken) > 0 && !broken[len(broken)-1] {
			return
		}
		dst = append(append(dst, r.newline...), r.prefix...)
		for range broken {
			dst = append(dst, r.unit...)
		}
	}
	for i := 0; i < len(value); {
		c := value[i]
		i++
		switch {
		case isSpace(c):
		case c == '"':
			end, _ := scanString(value, i-1)
			dst = append(dst, value[i-1:end]...)
			i = end
		case c == '{' || c == '[':
			dst = append(dst, c)
			k, ok := kindOf(value[i-1:])
			if !ok {
				i = skipSpace(value, i)
				if i < len(value) {
					dst = append(dst, value[i])
					i++
				}
				break
			}
			lines := len(broken) == 0 || broken[len(broken)-1]
			broken = append(broken, lines && r.expand != nil && r.expand(k, len(broken)))
			breakLine()
		case c == '}' || c == ']':
			if n := len(broken); n > 0 {
				lines := broken[n-1]
				broken = broken[:n-1]
				if lines {
					breakLine()
				}
			}
			dst = append(dst, c)
		case c == ',':
			if n := len(broken); n > 0 && broken[n-1] {
				dst = append(dst, ',')
				breakLine()
			} else {
				dst = append(dst, r.comma...)
			}
		case c == ':':
			dst = append(dst, r.colon...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
