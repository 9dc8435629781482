package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// Parse reads the text of a memory.toml; name is used in messages and origins. An
// empty text gives the defaults.
//
// The error joins one error for every problem, in the order of the lines; there
// is not a Config then. A syntax error is the only one, since what follows it can't be
// read.
func Parse(name string, text []byte) (*Config, error) {
	c, _, err := parse(name, text)
	return c, err
}

// parse is Parse, and tells where everything stands.
func parse(name string, text []byte) (*Config, *tomledit.Document, error) {
	if err := checkSize(name, text); err != nil {
		return nil, nil, err
	}
	doc, err := tomledit.Parse(text)
	if err != nil {
		return nil, nil, syntaxError(name, text, err)
	}
	f := file{name: name, set: assignments{}, lines: map[string]int{}, agents: map[string]string{}}
	for _, key := range keysOf(doc.Root) {
		f.entry(key, doc.Root.Table[key])
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
		return nil, nil, errors.Join(f.problems...)
	}
	return &Config{Settings: settings, set: f.set}, doc, nil
}

// keysOf returns the keys of a table in the order of their lines.
func keysOf(n *tomledit.Node) []string {
	return slices.SortedFunc(maps.Keys(n.Table), func(a, b string) int {
		return cmp.Or(cmp.Compare(n.Table[a].Line, n.Table[b].Line), cmp.Compare(a, b))
	})
}

// checkSize refuses what no file of settings looks like.
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
func (f *file) entry(name string, n *tomledit.Node) {
	section := canonical(name)
	names := sectionNames(section)
	switch {
	case names == nil && n.Table == nil:
		f.assign(name, n)
	case names == nil:
		f.problem(n.Line, "%s", unknownSection(name))
	case n.Table == nil:
		f.problem(n.Line, "%s is %s: write it as a section, [%s]", plain(name), show(n.Value), plain(name))
	default:
		for _, key := range keysOf(n) {
			switch section {
			case "schedules":
				f.schedule(key, n.Table[key])
			case "teams":
				f.team(key, n.Table[key])
			default:
				if isModelTable(section + "." + key) {
					f.modelTable(key, n.Table[key])
					continue
				}
				f.assign(section+"."+key, n.Table[key])
			}
		}
	}
}

// assign reads one setting. A value that can't be accepted is a problem and
// leaves the setting as it was.
func (f *file) assign(key string, n *tomledit.Node) {
	key = canonicalKey(key)
	scratch := Default()
	row, ok := scratch.find(key)
	if !ok {
		f.problem(n.Line, "%s", unknownKey(key))
		return
	}
	if advice := row.set(n.Value); advice != "" {
		f.problem(n.Line, "%s is %s: %s", key, show(n.Value), advice)
		return
	}
	f.record(key, n.Value, n.Line)
}

// checked records the value of an entry that is a table of its own, or what is wrong with it, at the line of the field.
func (f *file) checked(key string, n *tomledit.Node, value any, field, problem string) {
	if problem == "" {
		f.record(key, value, n.Line)
		return
	}
	line := n.Line
	if at, ok := n.Table[field]; ok {
		line = at.Line
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
