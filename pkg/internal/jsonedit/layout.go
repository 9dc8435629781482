package jsonedit

import (
	"bytes"
	"slices"
	"strings"
)

// layouter decides how insertions into one container look.
type layouter struct {
	c          *container
	near, far  traits // of the siblings, and of the document
	lead, tail []byte
	only       []byte // seam where the container has none to copy
}

// newLayouter reads the layout of a container; value is the first one to be
// inserted, which matters if the container is empty.
func newLayouter(c *container, value []byte) *layouter {
	start, end := Span(c.doc)
	l := &layouter{c: c, far: survey(c.doc, start, end)}
	n := len(c.items)
	if n == 0 {
		l.frame(value)
		return l
	}
	l.near = survey(c.doc, c.items[0].start, c.items[n-1].end)
	l.lead = c.doc[c.open+1 : c.items[0].start]
	l.only = append([]byte(","), l.lead...)
	if bytes.IndexByte(l.lead, '\n') < 0 {
		comma, _ := l.inline()
		l.only = []byte(comma)
		if len(l.lead) > 0 {
			l.only = []byte(", ")
		}
	}
	return l
}

// frame invents the white space of an empty container: on lines of its own if
// it is broken already, or if the document breaks others of its kind.
func (l *layouter) frame(value []byte) {
	doc, c := l.c.doc, l.c
	inner := doc[c.open+1 : c.end-1]
	k := objects
	if !c.object {
		k = arrayOf(value[0])
	}
	broken := bytes.IndexByte(inner, '\n') >= 0
	if !broken && (l.far.newline == "" || l.far.layouts[k] == inline) {
		comma, _ := l.inline()
		l.lead, l.tail, l.only = inner, inner, []byte(comma)
		return
	}
	margin := lineIndent(doc, c.open)
	l.tail = append([]byte(l.newline(inner)), margin...)
	l.lead = append(append([]byte{}, l.tail...), l.unit()...)
	l.only = append([]byte(","), l.lead...)
}

// seam returns the seam for an insertion before item i.
func (l *layouter) seam(i int) []byte {
	items := l.c.items
	if len(items) < 2 {
		return l.only
	}
	i = min(max(i, 1), len(items)-1)
	return l.c.doc[items[i-1].end:items[i].start]
}

// item appends one laid out insertion to out; before is the lead or seam that
// out ends with. A compact value takes the layout of its siblings. One with
// white space of its own keeps it, moved to its new margin, unless it spans
// lines where its siblings do not.
func (l *layouter) item(out, before []byte, in insertion) []byte {
	if in.key != nil {
		out = append(append(out, in.key...), l.colon()...)
	}
	k, nested := kindOf(in.raw)
	if !nested {
		return append(out, in.raw...)
	}
	margin := l.margin(before)
	fits := len(margin) <= maxMargin
	broken := fits && bytes.IndexByte(before, '\n') >= 0
	comma, colon := l.inline()
	r := rendering{margin, l.unit(), l.newline(before), comma, colon, nil}
	switch {
	case bytes.IndexByte(in.raw, '\n') >= 0:
		if broken || fits && l.near.layouts[k] == expanded {
			return shift(out, in.raw, r)
		}
	case len(Compact(in.raw)) < len(in.raw):
		return append(out, in.raw...)
	default:
		r.expand = func(k kind, depth int) bool { return fits && depth < maxExpand && l.expand(k, broken) }
	}
	return format(out, in.raw, r)
}

// Bounds on the white space an insertion may grow by, for documents made to
// explode: indentation in bytes, and levels broken into lines.
const (
	maxMargin = 128
	maxUnit   = 16
	maxExpand = 32
)

// expand tells whether a container of kind k is broken into lines where items
// are (broken) or are not on lines of their own: as its siblings are, or as
// the document does it, or as all common JSON writers do.
func (l *layouter) expand(k kind, broken bool) bool {
	if l.near.layouts[k] != unknown {
		return l.near.layouts[k] == expanded
	}
	return broken && l.far.layouts[k] != inline
}

// margin is the indentation of the line an item begins on.
func (l *layouter) margin(before []byte) string {
	if nl := bytes.LastIndexByte(before, '\n'); nl >= 0 {
		return leadingBlanks(before[nl+1:])
	}
	return lineIndent(l.c.doc, l.c.open)
}

func (l *layouter) newline(before []byte) string {
	if nl := bytes.IndexByte(before, '\n'); nl >= 0 {
		if nl > 0 && before[nl-1] == '\r' {
			return "\r\n"
		}
		return "\n"
	}
	return firstKnown(l.near.newline, l.far.newline, "\n")
}

func (l *layouter) unit() string { return firstKnown(l.near.unit, l.far.unit, "  ") }

// colon is the text between key and value of a new member.
func (l *layouter) colon() string {
	if n := len(l.c.items); n > 0 {
		last := l.c.items[n-1]
		if gap := l.c.doc[last.keyEnd:last.val]; bytes.IndexByte(gap, '\n') < 0 {
			return string(gap)
		}
	}
	_, colon := l.inline()
	return colon
}

// inline returns comma and colon as used within a line.
func (l *layouter) inline() (comma, colon string) {
	colon = firstKnown(l.near.colon, l.far.colon)
	comma = l.near.comma
	if comma == "" && l.near.colon == "" {
		comma = l.far.comma
	}
	if comma == "" {
		comma = ","
		if strings.HasSuffix(colon, " ") || colon == "" && l.far.newline != "" {
			comma = ", "
		}
	}
	if colon == "" {
		colon = strings.Replace(comma, ",", ":", 1)
	}
	return comma, colon
}

func firstKnown(choices ...string) string {
	i := slices.IndexFunc(choices, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return choices[i]
}

// shift moves a value that spans lines to another margin, indentation unit and
// line end, and keeps its own line breaks. A value whose last line is not just
// the closing bracket does not show its margin and stays as it is.
func shift(out, raw []byte, r rendering) []byte {
	lines := strings.Split(string(raw), "\n")
	last := lines[len(lines)-1]
	old := leadingBlanks([]byte(last))
	if len(last) != len(old)+1 {
		return append(out, raw...)
	}
	oldUnit := strings.TrimPrefix(leadingBlanks([]byte(lines[1])), old)
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if i > 0 {
			out = append(out, r.newline...)
			if rest, ok := strings.CutPrefix(line, old); ok && line != "" {
				out = append(out, r.prefix...)
				for oldUnit != "" && strings.HasPrefix(rest, oldUnit) {
					out = append(out, r.unit...)
					rest = rest[len(oldUnit):]
				}
				line = rest
			}
		}
		out = append(out, line...)
	}
	return out
}
