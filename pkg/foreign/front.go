package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// frontMatter is the text between two lines --- at the start of a text, read as YAML: its texts and lists of texts, whatever
// mapping they stand in. Everything stays in the file's bytes, read or not.
type frontMatter struct {
	values  map[string][]string
	length  int // of the text, with both lines; 0: there is none
	faults  []fault
	members []frontMember
	used    map[string]bool // the names of values that were asked for
}

// frontMember is a member of front matter, or of the mapping metadata in it, as JSON.
type frontMember struct {
	key    string
	value  json.RawMessage
	within bool // metadata
}

// fault is what of front matter is not YAML.
type fault struct {
	line, column int
	what         string
}

// Bounds of front matter that is read. The parser takes a time that grows with the square of the size, and of open brackets more.
const (
	mostFront = 16 << 10 // bytes
	mostOpen  = 32       // brackets in brackets
)

// readFront reads the front matter of a text. What is not valid YAML as a whole is read entry by entry, and an entry of one line that
// isn't is taken as it is written: "title: Fix: the queue" is what people write. A text that begins with a rule has no front matter if
// nothing up to the next one has a name.
func readFront(text string) (front frontMatter) {
	front.used = map[string]bool{}
	inner, length := between(text)
	if length == 0 {
		return front
	}
	all := entries(inner)
	if strings.TrimSpace(inner) != "" && len(all) == 0 {
		return front
	}
	front = frontMatter{values: map[string][]string{}, used: map[string]bool{}, length: length}
	if len(inner) > mostFront || open(inner) > mostOpen {
		front.faults = []fault{{1, 1, fmt.Sprintf("more than %d bytes, or than %d brackets in brackets, are not read", mostFront, mostOpen)}}
		return front
	}
	inner = strings.ReplaceAll(inner, "\r\n", "\n")
	if root, bad := parseYAML(inner); bad == nil {
		front.collect(root, 1)
		return front
	}
	for _, e := range entries(inner) {
		front.entry(e)
	}
	return front
}

// open is how many brackets are open at most.
func open(text string) (most int) {
	n := 0
	for _, c := range []byte(text) {
		switch c {
		case '[', '{':
			n++
			most = max(most, n)
		case ']', '}':
			n--
		}
	}
	return most
}

// between is the text between the line --- at the start of a text and the next one, and how long all that is; 0 where there is no
// next one.
func between(text string) (inner string, length int) {
	first := 0
	for line := range strings.Lines(text) {
		rule := strings.TrimRight(line, " \t\r\n") == "---"
		switch {
		case length == 0 && !rule:
			return "", 0
		case length == 0:
			first = len(line)
		case rule:
			return text[first:length], length + len(line)
		}
		length += len(line)
	}
	return "", 0
}

// frontEntry is the value of one name in front matter.
type frontEntry struct {
	text string
	line int // in the file
}

// entries takes front matter apart where a line begins with a name.
func entries(inner string) (all []frontEntry) {
	n, at, begins := 1, 0, 0
	for line := range strings.Lines(inner) {
		n++
		name, _, ok := strings.Cut(line, ":")
		if ok && name != "" && !strings.ContainsRune(" \t-#[]{}", rune(name[0])) {
			begins, all = at, append(all, frontEntry{line: n})
		}
		if at += len(line); len(all) > 0 {
			all[len(all)-1].text = inner[begins:at]
		}
	}
	return all
}

// entry reads one entry by itself.
func (front *frontMatter) entry(e frontEntry) {
	root, bad := parseYAML(e.text)
	if bad == nil {
		front.collect(root, e.line-1)
		return
	}
	bad.line += e.line - 2
	key, value, _ := strings.Cut(strings.TrimRight(e.text, " \t\r\n"), ":")
	if value = strings.TrimSpace(value); !strings.Contains(value, "\n") && value != "" {
		bad.what += "; read as plain text"
		front.set(strings.TrimSpace(key), []string{value})
		front.members = append(front.members, frontMember{key: strings.TrimSpace(key), value: json.RawMessage(jsonedit.Quote(value))})
	} else {
		bad.what += "; " + key + " is not read"
	}
	front.faults = append(front.faults, *bad)
}

// parseYAML reads a mapping. Line and column of a fault are those in a file that has one line before it.
func parseYAML(text string) (root ast.Node, bad *fault) {
	defer func() {
		if why := recover(); why != nil { // the parser's mistake, and no reason to lose the file
			root, bad = nil, &fault{2, 1, "can't be read as YAML"}
		}
	}()
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		bad = &fault{2, 1, "not valid YAML"}
		if at, ok := err.(interface {
			GetToken() *token.Token
			GetMessage() string
		}); ok && at.GetToken() != nil {
			bad = &fault{at.GetToken().Position.Line + 1, at.GetToken().Position.Column, "not valid YAML: " + at.GetMessage()}
		}
		return nil, bad
	}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			return doc.Body, nil
		}
	}
	return nil, nil
}

// collect takes the values out of a mapping, those of the mappings within it behind its own. Of a name that stands several times the
// first counts.
func (front *frontMatter) collect(root ast.Node, line int) {
	anchors := map[string]ast.Node{}
	for level := []ast.Node{root}; len(level) > 0; {
		var next []ast.Node
		for _, node := range level {
			next = append(next, front.mapping(node, anchors)...)
		}
		level = next
	}
	front.list(root, anchors, line, false)
}

// list lists the members of a mapping. line is where in the file the text begins that it was read of.
func (front *frontMatter) list(root ast.Node, anchors map[string]ast.Node, line int, within bool) {
	m, ok := plain(root, anchors).(ast.MapNode)
	if !ok {
		return
	}
	for at := m.MapRange(); at.Next(); {
		key := at.Key().GetToken()
		if inner, ok := plain(at.Value(), anchors).(ast.MapNode); ok && !within && key.Value == Metadata {
			front.list(inner.(ast.Node), anchors, line, true)
			continue
		}
		value := jsonOf(at.Value(), anchors, mostOpen)
		if slices.ContainsFunc(front.members, func(f frontMember) bool { return f.key == key.Value && f.within == within }) {
			front.faults = append(front.faults, fault{key.Position.Line + line, key.Position.Column, key.Value + " stands twice: the first counts, left out is " + excerpt(string(value))})
			continue
		}
		front.members = append(front.members, frontMember{key.Value, value, within})
	}
}

// jsonOf is a value of YAML as JSON: numbers and truth values as such, what else is a scalar as it is written.
func jsonOf(node ast.Node, anchors map[string]ast.Node, depth int) json.RawMessage {
	if depth == 0 {
		return json.RawMessage("null")
	}
	switch n := plain(node, anchors).(type) {
	case ast.MapNode:
		out := []byte("{")
		seen := map[string]bool{}
		for at := n.MapRange(); at.Next(); {
			key := at.Key().GetToken().Value
			if seen[key] {
				continue
			}
			seen[key] = true
			out = append(append(append(out, jsonedit.Quote(key)...), ':'), jsonOf(at.Value(), anchors, depth-1)...)
			out = append(out, ',')
		}
		return append([]byte(strings.TrimSuffix(string(out), ",")), '}')
	case *ast.SequenceNode:
		all := []json.RawMessage{}
		for _, v := range n.Values {
			all = append(all, jsonOf(v, anchors, depth-1))
		}
		return encode(all)
	case *ast.BoolNode:
		return json.RawMessage(truths[strings.ToLower(n.GetToken().Value)])
	case *ast.IntegerNode, *ast.FloatNode:
		if text := n.GetToken().Value; jsonedit.Check([]byte(text)) == nil {
			return json.RawMessage(text)
		}
		return json.RawMessage(jsonedit.Quote(n.GetToken().Value))
	case ast.Node:
		if text, ok := scalar(n); ok {
			return json.RawMessage(jsonedit.Quote(text))
		}
	}
	return json.RawMessage("null")
}

// mapping takes the texts and lists out of one mapping, and gives the mappings within it.
func (front *frontMatter) mapping(node ast.Node, anchors map[string]ast.Node) (inner []ast.Node) {
	m, ok := node.(ast.MapNode)
	if !ok {
		return nil
	}
	for at := m.MapRange(); at.Next(); {
		key := at.Key().GetToken().Value
		switch value := plain(at.Value(), anchors).(type) {
		case ast.MapNode:
			inner = append(inner, value.(ast.Node))
		case *ast.SequenceNode:
			var list []string
			for _, v := range value.Values {
				if text, ok := scalar(plain(v, anchors)); ok {
					list = append(list, text)
				}
			}
			front.set(key, list)
		default:
			if text, ok := scalar(value); ok {
				front.set(key, []string{text})
			}
		}
	}
	return inner
}

// plain is a node without its anchor, alias and tag.
func plain(node ast.Node, anchors map[string]ast.Node) ast.Node {
	for range 100 {
		switch n := node.(type) {
		case *ast.AnchorNode:
			anchors[n.Name.String()] = n.Value
			node = n.Value
		case *ast.AliasNode:
			node = anchors[n.Value.String()]
		case *ast.TagNode:
			node = n.Value
		default:
			return node
		}
	}
	return nil
}

// scalar is the text of a value as it is written: 1.10 stays 1.10, and a date a date.
func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case nil, *ast.NullNode:
		return "", false
	case *ast.LiteralNode:
		return strings.TrimRight(n.Value.Value, "\n"), true
	case *ast.StringNode:
		return n.Value, true
	case ast.ScalarNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func (front *frontMatter) set(key string, value []string) {
	if _, ok := front.values[key]; !ok && len(value) > 0 {
		front.values[key] = value
	}
}

// value is the text of the first of some names that has one.
func (front *frontMatter) value(keys ...string) string {
	for _, k := range keys {
		if v := front.values[k]; len(v) == 1 && v[0] != "" {
			front.used[k] = true
			return v[0]
		}
	}
	return ""
}

// tags are those of the front matter, a list or a text of several.
func (front *frontMatter) tags() (tags []string) {
	for _, key := range []string{"tags", "tag"} {
		for _, text := range front.values[key] {
			tags = append(tags, splitTags(text)...)
		}
		if tags != nil {
			front.used[key] = true
			return tags
		}
	}
	return nil
}

// told says what of front matter could not be read.
func (front *frontMatter) told(file string) (misfits []Misfit) {
	for _, f := range front.faults {
		misfits = append(misfits, Misfit{fmt.Sprintf("%s:%d:%d", file, f.line, f.column), "front matter: " + f.what, false})
	}
	return misfits
}
