package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// Parse reads the text of a memory.toml; name is used in messages and origins. An
// empty text gives the defaults.
//
// The error joins one error for every problem, in the order of the lines; there
// is no Config then. A syntax error is the only one, since what follows it can't be
// read.
func Parse(name string, text []byte) (*Config, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := checkSize(name, text); err != nil {
		return nil, err
	}
	top, err := readTree(text)
	if err != nil {
		return nil, syntaxError(name, text, err)
	}
	f := file{name: name, set: assignments{}, lines: map[string]int{}, agents: map[string]string{}}
	for _, key := range top.keys() {
		f.entry(key, top[key])
	}
	settings := f.set.resolve()
	if problem := settings.Retention.unbalanced(); problem != "" {
		line := 0
		for _, key := range weights {
			line = max(line, f.lines["retention."+key])
		}
		f.problem(line, "%s", problem)
	}
	if len(f.problems) > 0 {
		return nil, errors.Join(f.problems...)
	}
	return &Config{Settings: settings, set: f.set}, nil
}

// checkSize refuses what no file of settings looks like. The decoder's time grows
// with the cube of the nesting: minutes for 64 KiB of dots or braces.
func checkSize(name string, text []byte) error {
	const size, width, braces = 32 << 10, 2000, 100
	if len(text) > size {
		return fmt.Errorf("%s: larger than %d KiB: shorten it, the teams with patterns such as \"DEV-*\"", name, size>>10)
	}
	if bytes.Count(text, []byte("{")) > braces {
		return fmt.Errorf("%s: more than %d inline tables: write sections instead", name, braces)
	}
	number := 0
	for line := range bytes.Lines(text) {
		if number++; len(line) > width {
			return fmt.Errorf("%s:%d: line of more than %d bytes: break it where a list has a comma", name, number, width)
		}
	}
	return nil
}

// A file is one memory.toml while it is read.
type file struct {
	name     string
	set      assignments
	lines    map[string]int    // where each key was set
	agents   map[string]string // the key in set of each entry of [teams], by its lower case
	problems []error
}

func (f *file) problem(line int, format string, args ...any) {
	f.problems = append(f.problems, fmt.Errorf("%s:%d: %s", f.name, line, fmt.Sprintf(format, args...)))
}

// entry reads one key of the top level.
func (f *file) entry(name string, n node) {
	section := canonical(name)
	names := sectionNames(section)
	switch {
	case names == nil && n.table == nil:
		f.assign(name, n)
	case names == nil:
		f.problem(n.line, "%s", unknownSection(name))
	case n.table == nil:
		f.problem(n.line, "%s is %s: write it as a section, [%s]", plain(name), show(n.value), plain(name))
	default:
		for _, key := range n.table.keys() {
			switch section {
			case "schedules":
				f.schedule(key, n.table[key])
			case "teams":
				f.team(key, n.table[key])
			default:
				if isModelTable(section + "." + key) {
					f.modelTable(key, n.table[key])
					continue
				}
				f.assign(section+"."+key, n.table[key])
			}
		}
	}
}

// assign reads one setting. A value that can't be accepted is a problem and
// leaves the setting as it was.
func (f *file) assign(key string, n node) {
	key = canonicalKey(key)
	scratch := Default()
	row, ok := scratch.find(key)
	if !ok {
		f.problem(n.line, "%s", unknownKey(key))
		return
	}
	if advice := row.set(n.value); advice != "" {
		f.problem(n.line, "%s is %s: %s", key, show(n.value), advice)
		return
	}
	f.record(key, n.value, n.line)
}

// checked records the value of an entry that is a table of its own, or what is wrong with it, at the line of the field.
func (f *file) checked(key string, n node, value any, field, problem string) {
	if problem == "" {
		f.record(key, value, n.line)
		return
	}
	line := n.line
	if at, ok := n.table[field]; ok {
		line = at.line
	}
	f.problem(line, "%s", problem)
}

func (f *file) record(key string, v any, line int) {
	if first, ok := f.lines[key]; ok {
		f.problem(line, "%s is set twice, first in line %d: remove one", plain(key), first)
		return
	}
	f.lines[key] = line
	f.set[key] = assignment{v, fmt.Sprintf("%s:%d", f.name, line)}
}

// unquoted is a setting whose value lacks its quotes, the commonest slip.
var unquoted = lazyregexp.New(`^\s*([\w.-]+)\s*=\s*([0-9]+[a-zA-Z][0-9a-zA-Z]*|P[0-9A-Z]+|[a-z]+(?:-[a-z]+)*)\s*(?:#.*)?$`)

// syntaxError puts the place before the message of the TOML decoder, and the
// quotes that are probably missing behind it.
func syntaxError(name string, text []byte, err error) error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("%s: not valid TOML: %w", name, err)
	}
	line, column := position(text, parse.Position)
	message := strings.ReplaceAll(strings.TrimSuffix(parse.Message, "."), "\n", `\n`)
	if m := unquoted.FindStringSubmatch(lineAt(text, line)); m != nil && m[2] != "true" && m[2] != "false" {
		message = fmt.Sprintf("text needs quotes: write %s = %q", m[1], m[2])
	}
	if twice, first := repeated(text, line); twice != "" {
		message = fmt.Sprintf("[%s] is in line %d already: put these settings there, and leave this line out", twice, first)
	}
	return fmt.Errorf("%s:%d:%d: not valid TOML: %s", name, line, column, message)
}

// sectionHead matches a line that begins a section.
var sectionHead = lazyregexp.New(`^\s*\[\s*"?([^\[\]"]+?)"?\s*\]\s*(#.*)?$`)

// repeated is the section that a line begins for the second time, and the line that began it first; "" where it does no such thing.
func repeated(text []byte, line int) (section string, first int) {
	second := sectionHead.FindStringSubmatch(lineAt(text, line))
	if second == nil {
		return "", 0
	}
	for n := range line - 1 {
		if m := sectionHead.FindStringSubmatch(lineAt(text, n+1)); m != nil && m[1] == second[1] {
			return second[1], n + 1
		}
	}
	return "", 0
}

func lineAt(text []byte, line int) string {
	for range line - 1 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimSuffix(first, []byte("\r")))
}

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
