package mdedit

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxFront is how many bytes front matter may have that is edited.
const MaxFront = 16 << 10

// Why a text isn't edited.
var (
	ErrEncoding  = errors.New("the text is not UTF-8")
	ErrConflict  = errors.New("the text holds conflict markers")
	ErrFront     = errors.New("the front matter can't be edited as it is written")
	ErrNoSuch    = errors.New("the text has no such part")
	ErrNotInText = errors.New("the span is outside of the text")
)

// Span is a part of a text: from a byte to before another.
type Span struct{ Start, End int }

// Of is the part of a text.
func (s Span) Of(text []byte) string { return string(text[s.Start:s.End]) }

const bom = "\xef\xbb\xbf"

// Check reports whether a text may be edited at all: [ErrEncoding], [ErrConflict] or nil.
func Check(text []byte) error {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return ErrEncoding
	}
	ours, theirs := false, false
	for _, l := range Lines(text) {
		line := l.Text(text)
		ours = ours || strings.HasPrefix(line, "<<<<<<< ")
		theirs = theirs || ours && strings.HasPrefix(line, ">>>>>>> ")
	}
	if theirs {
		return ErrConflict
	}
	return nil
}

// Line is a line of a text with its end: "\n", "\r\n", or "" for the last one.
type Line struct{ Span }

// Text is the line without its end.
func (l Line) Text(text []byte) string {
	return strings.TrimRight(l.Of(text), "\r\n")
}

// Lines are the lines of a text behind its byte order mark. Nothing of it is in none of them.
func Lines(text []byte) (all []Line) {
	at := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		at = len(bom)
	}
	for at < len(text) {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		all = append(all, Line{Span{at, end}})
		at = end
	}
	return all
}

// LineEnd is how the lines of a text end: as most of them do, "\n" where none does.
func LineEnd(text []byte) string {
	if crlf := bytes.Count(text, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(text, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// Splice is a text with a span replaced.
func Splice(text []byte, at Span, with string) ([]byte, error) {
	if at.Start < 0 || at.End < at.Start || at.End > len(text) {
		return nil, ErrNotInText
	}
	out := make([]byte, 0, len(text)+len(with))
	return append(append(append(out, text[:at.Start]...), with...), text[at.End:]...), nil
}

// Edit replaces a span by a text.
type Edit struct {
	At   Span
	With string
}

// Apply is a text with edits, whose spans don't overlap and are in the order of the text.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	var out []byte
	at := 0
	for _, e := range edits {
		if e.At.Start < at || e.At.End < e.At.Start || e.At.End > len(text) {
			return nil, ErrNotInText
		}
		out = append(append(out, text[at:e.At.Start]...), e.With...)
		at = e.At.End
	}
	return append(out, text[at:]...), nil
}

// fence reports whether a line begins a fenced block of code, or ends one that open began.
func fence(line, open string) (mark string, ok bool) {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 || t == "" || t[0] != '`' && t[0] != '~' {
		return "", false
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	rest := t[n:]
	if open != "" {
		return "", t[0] == open[0] && n >= len(open) && strings.TrimSpace(rest) == ""
	}
	if n < 3 || t[0] == '`' && strings.Contains(rest, "`") {
		return "", false
	}
	return t[:n], true
}

// Plain are the lines of a text below its front matter that are not in a fenced block of code.
func Plain(text []byte) (all []Line) {
	body, open := BodyAt(text), ""
	for _, l := range Lines(text) {
		if l.Start < body {
			continue
		}
		line := l.Text(text)
		mark, ok := fence(line, open)
		switch {
		case open != "" && ok:
			open = ""
		case open != "":
		case ok:
			open = mark
		default:
			all = append(all, l)
		}
	}
	return all
}

// Heading is a heading of a text: "## Title".
type Heading struct {
	Level int
	Title string
	Line  Line
}

// Headings are the headings of a text, in its order.
func Headings(text []byte) (all []Heading) {
	for _, l := range Plain(text) {
		line := l.Text(text)
		rest := strings.TrimLeft(line, "#")
		if level := len(line) - len(rest); level > 0 && level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			all = append(all, Heading{level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#")), l})
		}
	}
	return all
}

// Section is the span of a heading and what is below it, up to the next heading of its level or a higher one.
func Section(text []byte, h Heading) Span {
	end := len(text)
	for _, next := range Headings(text) {
		if next.Line.Start > h.Line.Start && next.Level <= h.Level {
			end = next.Line.Start
			break
		}
	}
	return Span{h.Line.Start, end}
}

// Item is a list item: its line, and the lines below it that are indented.
type Item struct {
	Span
	Line   Line
	Marker string // "-", "*", "+" or "1."
	Text   Span   // behind the marker, on the first line
}

// Items are the list items of a text, in its order. An item inside another one is in its span, and no item of its own.
func Items(text []byte) (all []Item) {
	lines := Plain(text)
	for i := 0; i < len(lines); i++ {
		item, ok := itemOf(text, lines[i])
		if !ok {
			continue
		}
		for i+1 < len(lines) && lines[i+1].Start == item.End {
			next := lines[i+1].Text(text)
			if t := strings.TrimLeft(next, " \t"); t == "" || len(t) == len(next) {
				break
			}
			i++
			item.End = lines[i].End
		}
		all = append(all, item)
	}
	return all
}

func itemOf(text []byte, l Line) (item Item, ok bool) {
	line := l.Text(text)
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	switch {
	case n == 0 && line != "" && strings.IndexByte("-*+", line[0]) >= 0:
		n = 1
	case n > 0 && n < 10 && n < len(line) && (line[n] == '.' || line[n] == ')'):
		n++
	default:
		return item, false
	}
	if n >= len(line) || line[n] != ' ' && line[n] != '\t' {
		return item, false
	}
	rest := strings.TrimLeft(line[n:], " \t")
	start := l.Start + len(line) - len(rest)
	return Item{l.Span, l, line[:n], Span{start, start + len(strings.TrimRight(rest, " \t"))}}, rest != ""
}

// Entries are the spans between lines that hold "§" alone, as Hermes writes memories. Blank ones are left out.
func Entries(text []byte) (all []Span) {
	at := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		at = len(bom)
	}
	add := func(end int) {
		if len(bytes.TrimSpace(text[at:end])) > 0 {
			all = append(all, Span{at, end})
		}
	}
	for _, l := range Lines(text) {
		if strings.TrimSpace(l.Text(text)) == "§" {
			add(l.Start)
			at = l.End
		}
	}
	add(len(text))
	return all
}
