package config

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/BurntSushi/toml"
)

// A node is a value of a TOML document with the line of its key.
type node struct {
	value any
	line  int
	table table // of a table; nil otherwise
}

type table map[string]node

// keys returns the keys in the order of their lines.
func (t table) keys() []string {
	return slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(t[a].line, t[b].line), cmp.Compare(a, b))
	})
}

// readTree decodes a TOML document. The error is the decoder's.
func readTree(text []byte) (table, error) {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(string(text), &top)
	if err != nil {
		return nil, err
	}
	return readTable(text, &meta, top, 1, 1)
}

// readTable reads a table whose header is in line. No setting is deeper than in a
// table of the second level; what is below the third is left unread.
func readTable(text []byte, meta *toml.MetaData, entries map[string]toml.Primitive, line, level int) (table, error) {
	t := table{}
	for key, p := range entries {
		n := node{line: lineOf(text, meta, p)}
		if err := meta.PrimitiveDecode(p, &n.value); err != nil {
			return nil, err
		}
		if _, ok := n.value.(map[string]any); ok {
			var sub map[string]toml.Primitive
			if err := meta.PrimitiveDecode(p, &sub); err != nil {
				return nil, err
			}
			if level == 3 {
				sub = nil
			}
			var err error
			if n.table, err = readTable(text, meta, sub, max(n.line, line), level+1); err != nil {
				return nil, err
			}
			if keys := n.table.keys(); n.line == 0 && len(keys) > 0 {
				n.line = n.table[keys[0]].line // a table that only dotted keys made
			}
		}
		if n.line == 0 {
			n.line = line
		}
		t[key] = n
	}
	return t, nil
}

// nowhere refuses every value. The decoder's only public way to tell where a
// value is located is the error for one that refuses to be decoded.
type nowhere struct{}

var errNowhere = errors.New("not decoded")

func (*nowhere) UnmarshalTOML(any) error { return errNowhere }

// lineOf returns the line of a value, 0 if the decoder doesn't know it: it keeps
// no place for a table without a header and for an empty key.
func lineOf(text []byte, meta *toml.MetaData, p toml.Primitive) int {
	var parse toml.ParseError
	if err := meta.PrimitiveDecode(p, &nowhere{}); !errors.As(err, &parse) || parse.Position.Line == 0 {
		return 0
	}
	line, _ := position(text, parse.Position)
	return line
}

// position returns the line and column where p starts, both from 1. (Of a string
// over several lines p.Line is the last one.)
func position(text []byte, p toml.Position) (line, column int) {
	before := text[:min(max(p.Start, 0), len(text))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}
