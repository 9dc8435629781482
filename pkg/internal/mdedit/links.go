package mdedit

import (
	"net/url"
	"strings"
)

// LinkKind is how a link is written.
type LinkKind int

// The kinds of links.
const (
	Inline    LinkKind = iota // [text](target)
	Reference                 // [text]: target
	Wiki                      // [[target]] or [[target|text]]
	Code                      // `target.md`
)

// Link is a link of a text.
type Link struct {
	Span   // with its brackets
	Kind   LinkKind
	Target Span   // the name of the file alone, without what follows a "#"
	Name   string // the same, unescaped
	Text   string
}

// Links are the links of a text below its front matter, outside of code, in its order.
func Links(text []byte) (all []Link) {
	for _, l := range Plain(text) {
		all = append(all, linksIn(text, l)...)
	}
	return all
}

func linksIn(text []byte, l Line) (all []Link) {
	line := l.Text(text)
	var open []int // places of "["
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			end := codeEnd(line, i+n, n)
			if end < 0 {
				i += n - 1
				continue
			}
			if inner := line[i+n : end-n]; strings.HasSuffix(inner, ".md") && !strings.ContainsAny(inner, " \t*") {
				at := Span{l.Start + i + n, l.Start + end - n}
				all = append(all, Link{Span{l.Start + i, l.Start + end}, Code, at, inner, inner})
			}
			i = end - 1
		case '[':
			if strings.HasPrefix(line[i:], "[[") {
				if end := strings.Index(line[i:], "]]"); end > 0 {
					inner := line[i+2 : i+end]
					name, shown, piped := strings.Cut(inner, "|")
					if !piped {
						shown = name
					}
					name, _, _ = strings.Cut(name, "#")
					if strings.TrimSpace(name) != "" && !strings.ContainsAny(inner, "[") {
						from := l.Start + i + 2
						all = append(all, Link{Span{l.Start + i, l.Start + i + end + 2}, Wiki, Span{from, from + len(name)}, strings.TrimSpace(name), shown})
						i += end + 1
						continue
					}
				}
			}
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			rest := line[i+1:]
			switch {
			case strings.HasPrefix(rest, "("):
				if target, end, ok := destination(rest[1:]); ok {
					at := l.Start + i + 2
					all = append(all, newLink(text, Span{l.Start + from, at + end}, Inline, Span{at + target.Start, at + target.End}, line[from+1:i]))
					i += end + 1
				}
			case strings.HasPrefix(rest, ":") && from == 0 && strings.TrimSpace(rest[1:]) != "":
				blanks := len(rest[1:]) - len(strings.TrimLeft(rest[1:], " \t"))
				at := l.Start + i + 2 + blanks
				word := strings.Fields(rest[1:])[0]
				all = append(all, newLink(text, Span{l.Start, at + len(word)}, Reference, Span{at, at + len(word)}, line[1:i]))
			}
		}
	}
	return all
}

// codeEnd is the end of a span of code that a run of n backticks begins; -1 where it isn't closed.
func codeEnd(line string, from, n int) int {
	for i := from; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if run == n {
			return i + run
		}
		i += run
	}
	return -1
}

// destination reads "target)" or `<target> "title")`: where the target is, and where the link ends.
func destination(rest string) (target Span, end int, ok bool) {
	i := len(rest) - len(strings.TrimLeft(rest, " "))
	if strings.HasPrefix(rest[i:], "<") {
		n := strings.IndexByte(rest[i:], '>')
		if n < 0 {
			return target, 0, false
		}
		target = Span{i + 1, i + n}
		i += n + 1
	} else {
		depth, from := 0, i
		for ; i < len(rest); i++ {
			c := rest[i]
			if c == '(' {
				depth++
			} else if c == ')' && depth == 0 || c == ' ' {
				break
			} else if c == ')' {
				depth--
			}
		}
		target = Span{from, i}
	}
	n := strings.IndexByte(rest[i:], ')')
	if n < 0 || target.Start == target.End {
		return target, 0, false
	}
	return target, i + n + 1, true
}

func newLink(text []byte, whole Span, kind LinkKind, target Span, shown string) Link {
	name := target.Of(text)
	if i := strings.IndexAny(name, "#?"); i >= 0 {
		target.End = target.Start + i
		name = name[:i]
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return Link{whole, kind, target, name, shown}
}

// Retarget is a text in which links lead elsewhere: to gives the new target of one, not ok for those that stay. Nothing else of the
// text changes.
func Retarget(text []byte, to func(Link) (target string, ok bool)) ([]byte, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	var edits []Edit
	for _, l := range Links(text) {
		if target, ok := to(l); ok && target != l.Target.Of(text) {
			edits = append(edits, Edit{l.Target, target})
		}
	}
	if len(edits) == 0 {
		return text, nil
	}
	return Apply(text, edits)
}
