package tomledit

import (
	"bytes"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A Node is a value with the line of its key. The line of a table without a header
// is that of its first key.
type Node struct {
	Value any // string, int64, float64, bool, time.Time, []any or map[string]any
	Line  int
	Table map[string]*Node // of a table; nil otherwise

	kind   kind
	inline bool // stands in an inline table
	key    span // with all its dots, of what "key = value" sets
	last   int  // where the last part of the key begins
	value  span
	end    int // of a section: where its header, or the last of its settings, ends
}

type span struct{ start, end int }

// A kind says how a node came to be.
type kind int

const (
	implied kind = iota // by the header of a table below it, or by a dotted key
	keyed               // by "key = value"
	section             // by [header]
	list                // by [[header]]
)

// A Document is a text that was read.
type Document struct {
	Root *Node

	text   []byte
	body   int   // where the text begins, behind a byte order mark
	starts []int // of the lines
}

// Parse reads a text. The error is a *[SyntaxError].
func Parse(text []byte) (*Document, error) {
	d := &Document{text: slices.Clip(text), body: len(text) - len(bytes.TrimPrefix(text, []byte(bom)))}
	d.Root = &Node{Line: 1, Table: map[string]*Node{}, kind: section, end: d.body}
	d.starts = []int{d.body}
	for i, b := range text {
		if b == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
	var values map[string]any
	if err := d.scan(); err != nil {
		return nil, err
	}
	if err := Decode(text, &values); err != nil {
		return nil, err
	}
	d.Root.fill(values)
	return d, nil
}

// position returns the line and column of a place, both from 1.
func (d *Document) position(offset int) (line, column int) {
	line, found := slices.BinarySearch(d.starts, offset)
	if found {
		line++
	}
	return line, 1 + offset - d.starts[line-1]
}

// scan notes where everything stands. It ends at what isn't TOML; the decoder says what that is. The error
// is about a key that is set twice.
func (d *Document) scan() error {
	if len(d.text) > 1<<30 { // the parser's places have 32 bits
		return &SyntaxError{Message: "larger than 1 GiB"}
	}
	var p unstable.Parser
	p.Reset(d.text[d.body:])
	current := d.Root
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			if err := d.setting(&p, current, e, false); err != nil {
				return err
			}
			current.end = d.body + int(e.Raw.Offset+e.Raw.Length)
			continue
		}
		current = d.Root
		var header int
		for keys := e.Key(); keys.Next(); {
			k := keys.Node()
			header = d.body + int(k.Raw.Offset+k.Raw.Length)
			current = current.child(string(k.Data), d.line(k))
			if current.kind == list && !keys.IsLast() {
				current = &Node{} // one of several tables: nothing is looked up there
			}
		}
		current.end, current.kind = header, section
		current.Line, _ = d.position(header)
		if e.Kind == unstable.ArrayTable {
			current.kind = list
			current = &Node{}
		}
	}
	return nil
}

func (d *Document) line(n *unstable.Node) int {
	line, _ := d.position(d.body + int(n.Raw.Offset))
	return line
}

// child is the node of a key in a table; a new one if there is none.
func (n *Node) child(key string, line int) *Node {
	if n.Table == nil {
		n.Table = map[string]*Node{}
	}
	c := n.Table[key]
	if c == nil {
		c = &Node{Line: line}
		n.Table[key] = c
	}
	return c
}

// setting notes a "key = value" of a table, and those of an inline table in it.
func (d *Document) setting(p *unstable.Parser, in *Node, e *unstable.Node, inline bool) error {
	n := in
	var last *unstable.Node
	for keys := e.Key(); keys.Next(); {
		last = keys.Node()
		n = n.child(string(last.Data), d.line(last))
	}
	start, lastEnd, end := d.body+int(e.Raw.Offset), d.body+int(last.Raw.Offset+last.Raw.Length), d.body+int(e.Raw.Offset+e.Raw.Length)
	if n.kind == keyed {
		line, column := d.position(start)
		return &SyntaxError{Line: line, Column: column, First: n.Line, Message: "key " + string(last.Data) + " is already defined"}
	}
	// Behind the key are blanks, the sign and blanks.
	value := lastEnd + bytes.IndexByte(d.text[lastEnd:], '=') + 1
	value = end - len(bytes.TrimLeft(d.text[value:end], " \t"))
	n.kind, n.inline, n.key, n.last, n.value = keyed, inline, span{start, lastEnd}, d.body+int(last.Raw.Offset), span{value, end}
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for items := v.Children(); items.Next(); {
			if item := items.Node(); item.Kind == unstable.KeyValue {
				if err := d.setting(p, n, item, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fill puts the values of a table into its nodes.
func (n *Node) fill(values map[string]any) {
	if n.Table == nil {
		n.Table = map[string]*Node{}
	}
	n.Value = values
	for key, v := range values {
		c := n.child(key, n.Line)
		if table, ok := v.(map[string]any); ok {
			c.fill(table)
			continue
		}
		v = plain(v)
		values[key] = v
		c.Value, c.Table = v, nil
	}
}

// plain is a value of the decoder with times of one type. Without a zone they are this machine's.
func plain(v any) any {
	switch v := v.(type) {
	case toml.LocalDate:
		return v.AsTime(time.Local)
	case toml.LocalDateTime:
		return v.AsTime(time.Local)
	case toml.LocalTime:
		return time.Date(0, 1, 1, v.Hour, v.Minute, v.Second, v.Nanosecond, time.Local)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return v
}
