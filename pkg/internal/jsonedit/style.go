package jsonedit

import (
	"bytes"
	"strings"
)

// Style is how a document is laid out. Indent is the unit of indentation,
// empty if the document is on one line (or not indented); Newline is "\n" or
// "\r\n", Colon ":" or ": ".
type Style struct{ Indent, Newline, Colon string }

// StyleOf reads the style of a document from its first lines.
func StyleOf(doc []byte) Style {
	t := survey(doc, 0, len(doc))
	s := Style{Indent: t.unit, Newline: firstKnown(t.newline, "\n"), Colon: ":"}
	if strings.HasSuffix(t.colon, " ") || t.colon == "" && t.newline != "" && t.unit != "" {
		s.Colon = ": "
	}
	return s
}

// kind sorts non-empty containers by what writers lay out differently.
type kind uint8

const (
	objects kind = iota
	scalarArrays
	nestedArrays // of objects and arrays
)

// layout tells whether a container is broken into lines.
type layout uint8

const (
	unknown layout = iota
	inline
	expanded
)

// traits are the habits of layout seen first in a text; empty if not seen.
type traits struct {
	comma, colon string // within a line, with the white space around
	unit         string // of indentation
	newline      string
	layouts      [3]layout // by kind
}

// surveyLimit bounds the cost of reading habits; they show early.
const surveyLimit = 64 << 10

// survey reads the habits of doc[from:to].
func survey(doc []byte, from, to int) traits {
	var t traits
	to = min(to, from+surveyLimit)
	for i := from; i < to; i++ {
		switch doc[i] {
		case '"':
			i, _ = scanString(doc, i)
			i--
		case ',', ':':
			t.separator(doc, i)
		case '\n':
			if t.newline == "" {
				t.newline = "\n"
				if i > 0 && doc[i-1] == '\r' {
					t.newline = "\r\n"
				}
			}
		case '{', '[':
			t.container(doc, i)
		}
	}
	return t
}

// separator notes the comma or colon at i if it stands within a line.
func (t *traits) separator(doc []byte, i int) {
	noted := &t.comma
	from := i
	if doc[i] == ':' {
		noted = &t.colon
		for from > 0 && isSpace(doc[from-1]) {
			from--
		}
	}
	if *noted != "" {
		return
	}
	if text := doc[from:skipSpace(doc, i+1)]; bytes.IndexByte(text, '\n') < 0 {
		*noted = string(text)
	}
}

// container notes the layout of the container that opens at i.
func (t *traits) container(doc []byte, i int) {
	k, ok := kindOf(doc[i:])
	if !ok {
		return
	}
	lead := doc[i+1 : skipSpace(doc, i+1)]
	nl := bytes.LastIndexByte(lead, '\n')
	seen := expanded
	if nl < 0 {
		seen = inline
	}
	if t.layouts[k] == unknown {
		t.layouts[k] = seen
	}
	if nl >= 0 && t.unit == "" {
		indent := leadingBlanks(lead[nl+1:])
		if margin := lineIndent(doc, i); strings.HasPrefix(indent, margin) && len(indent)-len(margin) <= maxUnit {
			t.unit = indent[len(margin):]
		}
	}
}

// kindOf returns the kind of the container that value begins with; ok is false
// for scalars and empty containers.
func kindOf(value []byte) (k kind, ok bool) {
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return 0, false
	}
	next := skipSpace(value, 1)
	if next == len(value) || value[next] == ']' || value[next] == '}' {
		return 0, false
	}
	if value[0] == '{' {
		return objects, true
	}
	return arrayOf(value[next]), true
}

// arrayOf returns the kind of an array whose first element begins with c.
func arrayOf(c byte) kind {
	if c == '{' || c == '[' {
		return nestedArrays
	}
	return scalarArrays
}

// lineIndent returns the indentation of the line that holds offset i.
func lineIndent(doc []byte, i int) string {
	return leadingBlanks(doc[bytes.LastIndexByte(doc[:i], '\n')+1 : i])
}

func leadingBlanks(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
