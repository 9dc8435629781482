package tomledit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Set returns the text with a value at a path; literal is what [IsValue] accepts. A value that is
// there is replaced. A new one comes to the end of its section, of its inline table, or
// behind its neighbour with a dotted key; else into a section of its own at the end of the text.
// The path of something that isn't written as "key = value" is an error.
func (d *Document) Set(path []string, literal string) ([]byte, error) {
	at, key := len(path)-1, QuoteKey(path[len(path)-1])
	if n := d.Root.find(path); n != nil {
		if n.kind != keyed {
			return nil, fmt.Errorf("%s is a section", strings.Join(path, "."))
		}
		return d.splice(n.value, literal), nil
	}
	line := key + " = " + literal
	table := d.Root.find(path[:at])
	switch neighbour := table.neighbour(); {
	case table == d.Root && table.end == d.body:
		return d.splice(span{d.body, d.body}, line+d.lineEnd()), nil
	case table != nil && table.kind == section:
		return d.after(table.end, line), nil
	case table != nil && table.kind == keyed:
		return d.intoBraces(table, neighbour, line), nil
	case neighbour != nil:
		return d.after(neighbour.value.end, string(d.text[neighbour.key.start:neighbour.last])+line), nil
	}
	var header []string
	for _, part := range path[:at] {
		header = append(header, QuoteKey(part))
	}
	end := d.lineEnd()
	text := string(d.text)
	if len(text) > d.body {
		if !strings.HasSuffix(text, "\n") {
			text += end
		}
		text += end
	}
	return []byte(text + "[" + strings.Join(header, ".") + "]" + end + line + end), nil
}

// Unset returns the text without the value at a path, and without its line where it has one of its own;
// the same text where there is no such value.
func (d *Document) Unset(path []string) ([]byte, error) {
	n := d.Root.find(path)
	switch {
	case n == nil:
		return d.text, nil
	case n.kind != keyed:
		return nil, fmt.Errorf("%s is a section", strings.Join(path, "."))
	case !n.inline:
		start := bytes.LastIndexByte(d.text[:n.key.start], '\n') + 1
		return d.splice(span{max(start, d.body), d.lineAfter(n.value.end)}, ""), nil
	}
	before := bytes.TrimRight(d.text[:n.key.start], " \t")
	after := bytes.TrimLeft(d.text[n.value.end:], " \t")
	if rest, ok := bytes.CutPrefix(after, []byte(",")); ok { // not the last: what follows takes its place
		return slices.Concat(d.text[:n.key.start], bytes.TrimLeft(rest, " \t")), nil
	}
	if rest, ok := bytes.CutSuffix(before, []byte(",")); ok {
		return slices.Concat(rest, d.text[n.value.end:]), nil
	}
	return slices.Concat(before, after), nil // the only one
}

// find is the node at a path; nil if there is none.
func (n *Node) find(path []string) *Node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.Table[key]
	}
	return n
}

// neighbour is the last of a table's values that is written as "key = value"; nil if there is none.
func (n *Node) neighbour() (last *Node) {
	if n == nil {
		return nil
	}
	for _, c := range n.Table {
		if c.kind == keyed && (last == nil || c.key.start > last.key.start) {
			last = c
		}
	}
	return last
}

// intoBraces adds a setting to an inline table, behind the last of those that it has.
func (d *Document) intoBraces(table, last *Node, setting string) []byte {
	if last != nil {
		return d.splice(span{last.value.end, last.value.end}, ", "+setting)
	}
	return d.splice(table.value, "{ "+setting+" }")
}

// after puts a line behind the line of a place.
func (d *Document) after(place int, line string) []byte {
	at, end := d.lineAfter(place), d.lineEnd()
	if d.text[at-1] != '\n' {
		line = end + line
	}
	return d.splice(span{at, at}, line+end)
}

// lineAfter is where the line behind that of a place begins.
func (d *Document) lineAfter(place int) int {
	if i := bytes.IndexByte(d.text[place:], '\n'); i >= 0 {
		return place + i + 1
	}
	return len(d.text)
}

func (d *Document) lineEnd() string {
	if bytes.Contains(d.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func (d *Document) splice(at span, with string) []byte {
	return slices.Concat(d.text[:at.start], []byte(with), d.text[at.end:])
}

// IsValue reports whether a text is one value of TOML and nothing else, not even a comment.
func IsValue(literal string) bool {
	const before = "v = "
	d, err := Parse([]byte(before + literal + "\n"))
	return err == nil && len(d.Root.Table) == 1 && d.Root.Table["v"].value == span{len(before), len(before) + len(literal)}
}

// QuoteKey writes a key: as it is where TOML allows that, else in quotes.
func QuoteKey(key string) string {
	if IsBareKey(key) {
		return key
	}
	return Quote(key)
}

// IsBareKey reports whether a key stands in TOML without quotes.
func IsBareKey(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// Quote writes a string. JSON's escapes are TOML's, but for DEL, which JSON leaves as
// it is and TOML doesn't allow.
func Quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return strconv.Quote(s)
	}
	return strings.ReplaceAll(string(text), "\x7f", `\u007f`)
}
