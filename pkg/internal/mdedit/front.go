package mdedit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Front is the front matter of a text: what is between a line "---" at its start and the next one.
type Front struct {
	Span        // of the lines between
	Body  int   // where the text below begins
	Keys  []Key // in their order, those of mappings too
	Wrong error // why it can't be edited; nil: it can
}

// Key is a key of front matter.
type Key struct {
	Name   string
	Within string // the key of the mapping that it is in; "" at the top
	Indent string
	Line   Line
	Val    Span     // the value on the line of the key, as it is written; empty for none
	Text   string   // the value as a text; "" for what isn't one
	List   []string // the texts of a list
	Scalar bool     // the value is a text on the line, and may be edited
}

// BodyAt is where the text below the front matter begins, behind a byte order mark.
func BodyAt(text []byte) int {
	if f := frontSpan(text); f != nil {
		return f.Body
	}
	if bytes.HasPrefix(text, []byte(bom)) {
		return len(bom)
	}
	return 0
}

// frontSpan is where the front matter is; nil where there is none.
func frontSpan(text []byte) *Front {
	lines := Lines(text)
	if len(lines) < 2 || strings.TrimRight(lines[0].Text(text), " \t") != "---" {
		return nil
	}
	named := false
	for _, l := range lines[1:] {
		t := strings.TrimRight(l.Text(text), " \t")
		if t == "---" || t == "..." {
			if !named && strings.TrimSpace(string(text[lines[0].End:l.Start])) != "" {
				return nil // a rule, and text
			}
			return &Front{Span: Span{lines[0].End, l.Start}, Body: l.End}
		}
		if name, _, ok := strings.Cut(t, ":"); ok && keyName(strings.TrimSpace(name)) {
			named = true
		}
	}
	return nil
}

func keyName(name string) bool {
	if name == "" {
		return false
	}
	for _, r := range name {
		if !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127) {
			return false
		}
	}
	return true
}

// FrontOf reads the front matter of a text; nil where there is none.
func FrontOf(text []byte) *Front {
	f := frontSpan(text)
	if f == nil {
		return nil
	}
	if f.End-f.Start > MaxFront {
		f.Wrong = fmt.Errorf("%w: it has more than %d bytes", ErrFront, MaxFront)
		return f
	}
	within, list := "", -1 // the mapping, and the key whose list is on the lines below it
	block := ""            // the indent of the key whose block scalar is skipped; with a blank in front
	seen := map[string]bool{}
	wrong := func(what string) {
		if f.Wrong == nil {
			f.Wrong = fmt.Errorf("%w: %s", ErrFront, what)
		}
	}
	for _, l := range Lines(text) {
		if l.Start < f.Start || l.End > f.End {
			continue
		}
		line := strings.TrimRight(l.Text(text), " \t")
		t := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(t)]
		switch {
		case t == "" || t[0] == '#':
			continue
		case block != "" && len(indent) >= len(block):
			continue
		}
		block = ""
		if (t == "-" || strings.HasPrefix(t, "- ")) && list >= 0 {
			if v, ok := scalar(strings.TrimSpace(t[1:])); ok && v != "" {
				f.Keys[list].List = append(f.Keys[list].List, v)
			}
			continue
		}
		name, rest, ok := strings.Cut(t, ":")
		name = strings.TrimSpace(name)
		if !ok || !keyName(name) || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			wrong("a line without a key")
			continue
		}
		if indent == "" {
			within = ""
		} else if within == "" {
			wrong("a line is indented below no key")
			continue
		}
		k := Key{Name: name, Within: within, Indent: indent, Line: l}
		if within != "" && indent == "" {
			k.Within = ""
		}
		value := strings.TrimLeft(rest, " \t")
		at := l.Start + len(line) - len(value)
		k.Val = Span{at, at + len(value)}
		if seen[k.Within+"\x00"+name] {
			wrong("the key " + name + " is there twice")
		}
		seen[k.Within+"\x00"+name] = true
		list = -1
		switch {
		case value == "":
			if indent == "" {
				within = name
			}
			list = len(f.Keys)
		case value[0] == '|' || value[0] == '>':
			block = indent + " "
		case value[0] == '[' && strings.HasSuffix(value, "]"):
			for _, part := range splitFlow(value[1 : len(value)-1]) {
				if v, ok := scalar(part); ok && v != "" {
					k.List = append(k.List, v)
				}
			}
		default:
			k.Text, k.Scalar = scalar(value)
		}
		f.Keys = append(f.Keys, k)
	}
	return f
}

// splitFlow splits a flow list at its commas, but for those in quotes.
func splitFlow(list string) (parts []string) {
	quote, from := byte(0), 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ',':
			parts, from = append(parts, strings.TrimSpace(list[from:i])), i+1
		}
	}
	return append(parts, strings.TrimSpace(list[from:]))
}

// scalar is the text that a value on one line says; not ok for a mapping, an anchor, an alias, a tag or an open quote.
func scalar(value string) (text string, ok bool) {
	if value == "" {
		return "", true
	}
	switch value[0] {
	case '"':
		end := closing(value)
		if end < 0 || !onlyComment(value[end:]) {
			return "", false
		}
		if s, err := strconv.Unquote(value[:end]); err == nil {
			return s, true
		}
		return value[1 : end-1], !strings.Contains(value[:end], `\`)
	case '\'':
		for i := 1; i < len(value); i++ {
			if value[i] != '\'' {
				continue
			}
			if i+1 < len(value) && value[i+1] == '\'' {
				i++
				continue
			}
			return strings.ReplaceAll(value[1:i], "''", "'"), onlyComment(value[i+1:])
		}
		return "", false
	case '{', '[', '&', '*', '!', '|', '>', '%', '@', '`':
		return "", false
	}
	if i := strings.Index(value, " #"); i >= 0 {
		value = strings.TrimRight(value[:i], " \t")
	}
	return value, true
}

// closing is the end of a text in double quotes; -1 where it isn't closed.
func closing(value string) int {
	for i := 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func onlyComment(rest string) bool {
	rest = strings.TrimLeft(rest, " \t")
	return rest == "" || rest[0] == '#'
}

// Key finds a key: at the top, or in the mapping within. Nil where there is none.
func (f *Front) Key(within, name string) *Key {
	if f == nil {
		return nil
	}
	for i := range f.Keys {
		if k := &f.Keys[i]; k.Within == within && k.Name == name {
			return k
		}
	}
	return nil
}

// Value is the text of the first of some keys that has one, at the top or one mapping below.
func (f *Front) Value(names ...string) string {
	for _, name := range names {
		for _, within := range []string{"", "metadata"} {
			if k := f.Key(within, name); k != nil && k.Text != "" {
				return k.Text
			}
		}
	}
	return ""
}

// SetValue is a text whose front matter has a value for a key: in place of the one that is there, quoted as that is, or on a line
// of its own before the end. A key of a mapping is indented as its neighbours are.
func SetValue(text []byte, within, name, value string) ([]byte, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	if strings.ContainsAny(value, "\r\n") || !keyName(name) {
		return nil, fmt.Errorf("%w: a value has one line", ErrFront)
	}
	f := FrontOf(text)
	if f == nil {
		return nil, fmt.Errorf("%w: front matter", ErrNoSuch)
	}
	if f.Wrong != nil {
		return nil, f.Wrong
	}
	var out []byte
	var err error
	if k := f.Key(within, name); k != nil {
		if !k.Scalar {
			return nil, fmt.Errorf("%w: the value of %s is not a text on one line", ErrFront, name)
		}
		at := k.Val
		as := k.Val.Of(text)
		if n := commentAt(as); n >= 0 {
			at.End = at.Start + n
			as = as[:n]
		}
		out, err = Splice(text, at, quoteAs(as, value))
	} else {
		indent, at := "", f.End
		for i := range f.Keys {
			if k := &f.Keys[i]; k.Within == within && within != "" {
				indent, at = k.Indent, k.Line.End
			}
		}
		if within != "" && indent == "" {
			return nil, fmt.Errorf("%w: the mapping %s", ErrNoSuch, within)
		}
		out, err = Splice(text, Span{at, at}, indent+name+": "+quoteAs("", value)+LineEnd(text))
	}
	if err != nil {
		return nil, err
	}
	if k := FrontOf(out).Key(within, name); k == nil || k.Text != value {
		return nil, fmt.Errorf("%w: %s would not be read back", ErrFront, name)
	}
	return out, nil
}

// commentAt is where the blanks before a comment behind a value begin; -1 for none.
func commentAt(value string) int {
	end := 0
	switch {
	case value == "":
		return -1
	case value[0] == '"':
		end = closing(value)
	case value[0] == '\'':
		end = strings.LastIndexByte(value, '\'') + 1
	default:
		end = strings.Index(value, " #")
		if end < 0 {
			return -1
		}
		return len(strings.TrimRight(value[:end], " \t"))
	}
	if end <= 0 || end >= len(value) {
		return -1
	}
	return end
}

// quoteAs writes a value as another one is quoted, or as it has to be.
func quoteAs(as, value string) string {
	switch {
	case strings.HasPrefix(as, "'") && !strings.ContainsAny(value, "\t"):
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case strings.HasPrefix(as, `"`), mustQuote(value):
		return strconv.Quote(value)
	}
	return value
}

func mustQuote(value string) bool {
	text, ok := scalar(value)
	return value == "" || !ok || text != value || strings.TrimSpace(value) != value || strings.HasPrefix(value, "- ") || strings.HasPrefix(value, "#") ||
		strings.Contains(value, ": ") || strings.HasSuffix(value, ":") || strings.ContainsAny(value[:1], "?,]}~-")
}

// RemoveKey is a text without the line of a key of its front matter.
func RemoveKey(text []byte, within, name string) ([]byte, error) {
	f := FrontOf(text)
	if f == nil {
		return nil, fmt.Errorf("%w: front matter", ErrNoSuch)
	}
	k := f.Key(within, name)
	switch {
	case f.Wrong != nil:
		return nil, f.Wrong
	case k == nil:
		return nil, fmt.Errorf("%w: the key %s", ErrNoSuch, name)
	case !k.Scalar:
		return nil, fmt.Errorf("%w: the value of %s is not a text on one line", ErrFront, name)
	}
	return Splice(text, k.Line.Span, "")
}

// Quoted is a value as front matter has it: in double quotes where it must.
func Quoted(value string) string { return quoteAs("", value) }
