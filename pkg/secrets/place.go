package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

var (
	closer = lazyregexp.New(`^(?:\\?["'\x60]|[*\]_]){0,4}`)
	aside  = lazyregexp.New(`^[ \t]{0,2}\([^()\n]{1,60}\)(?:[*_\x60]{0,3})`)
	// typed is a type between a name and its value.
	typed = lazyregexp.New(`^[ \t]?:[ \t]?(?:[&*](?:'static )?)?[A-Za-z][\w.\[\]?|& ]{0,40}(?:[ \t]=[ \t]?|=["'\x60])`)
	mark  = lazyregexp.New(`^(?:(?: #?\d{1,2})?[ \t]{0,40}(?:[=:]=?>?|->|→|：|:=|\||\t)[ \t*]{0,40}|</key>\s{0,40}<string>|>|:-| <\(echo )(?:\r?\n[ \t]{2,40})?`)
	// instead is how code has a value where a variable has none.
	instead = lazyregexp.New(`^(?:[ \t]{0,4}(?:\|\|=?|\?\?=?|or)[ \t]{1,4}(?:["'\x60]|$)|:-)`)
	// beside is how a command is given the value of what it names.
	beside = lazyregexp.New(`^(?:\s{1,4}\\?\s{0,8}--?[A-Za-z][\w-]{1,30}(?:[ =][\w/.:-]{1,60})?){0,3}?\s{1,4}\\?\s{0,8}--(?:body|value|data|secret-string|string-value|string|secret|text|content|plaintext)[ =]`)
	// passed is how a call takes a value, alone or behind its name in quotes.
	passed = lazyregexp.New(`^(?:\( ?|, ?(?:default ?= ?)?)(?:["']|b["']|$)`)
	// typing is how a test fills in a form.
	typing = lazyregexp.New(`^\)\.(?:[a-z]{3,12}\(\)\.)?(?:type|fill|send_?[kK]eys|setValue|set|input|pressSequentially)\(`)
	// says is how a sentence gives something: "password is …", "password for the staging database was set to …".
	says = lazyregexp.New(`^(?: (?:for|of|to|on|at|in) [\w@./ '’-]{1,50}?)?(?: (?:is|was|be|are)(?: now| still| set to| changed to| currently)?|(?: set| changed)? to|:)(?: the string| simply| just)?[: ]{1,2}`)
	// apart is how a list of settings has a name and its value beside it.
	apart = lazyregexp.New(`^(?:,?[ \t]*\r?\n?[ \t]{0,40}["']?value["']?|[ \t]*\{[^{}=]{0,40}(?:=[^{}=\n]{0,80}\n[^{}=]{0,40}){0,3}\bdefault)[ \t]*[=:][ \t]*`)
	// below is how a form has a value on a line of its own.
	below  = lazyregexp.New(`^\r?\n(?:[^\s]{6,128}(?:\r?\n|$))`)
	space  = lazyregexp.New(`^ `)
	opener = lazyregexp.New(`^[*]{0,2}(?:[fbruN@]?(?:\\?"{1,3}|\\?'{1,3})|\x60{1,3})?`)
	scheme = lazyregexp.New(`^(?i:bearer|basic|token|ssws|apikey|bot|digest) +`)
	login  = lazyregexp.New(`^(?i:basic) +`)
	// anyScheme stands before what a header of HTTP lets somebody in with.
	anyScheme = lazyregexp.New(`^[A-Za-z][\w-]{1,24} +(?:token=["']?)?`)
	callee    = lazyregexp.New(`\( ?["'\x60][^"'\x60()\n]{0,40}$`)
)

// place is what follows a name.
type place struct {
	text       string
	start, end int    // of the name
	rest       string // of the text, behind the name
	closed     int    // bytes of rest that close the name: a quote, a bracket
}

// link is one way in which a value is tied to its name.
type link struct {
	pattern *lazyregexp.Regexp                // what stands behind the name
	behind  *lazyregexp.Regexp                // and what has to stand behind that; nil for nothing
	when    func(p *place, match string) bool // what else has to hold; nil for nothing
	cut     string                            // bytes at the end of the match that belong to the value
	line    bool                              // the value begins after the first line break of the match
	ties    value                             // what that says of the value
	literal func(p *place, match string) bool // reports whether it is written as a value; nil: as ties says
}

const quotes = "\"'`"

// links are tried in this order.
var links = []link{
	{pattern: instead, cut: quotes, ties: value{sure: true, literal: true}, when: func(p *place, match string) bool {
		return match != ":-" || !strings.HasSuffix(p.text[:p.start], "-")
	}},
	{pattern: typed, cut: quotes, ties: value{sure: true}, literal: assigns},
	{pattern: mark, cut: quotes, ties: value{sure: true}, literal: assigns},
	{pattern: aside, behind: mark, ties: value{sure: true}},
	{pattern: aside, behind: says},
	{pattern: apart, ties: value{sure: true}},
	{pattern: beside, ties: value{sure: true}},
	{pattern: passed, cut: "b\"'", ties: value{sure: true, literal: true}, when: func(p *place, match string) bool {
		return len(match) > 1 && (match[0] == '(' || p.closed > 0 && called(p.text, p.start))
	}},
	{pattern: typing, ties: value{sure: true, literal: true}, when: func(p *place, _ string) bool { return p.closed > 0 }},
	{pattern: space, ties: value{sure: true, flag: true}, when: func(p *place, _ string) bool {
		return p.closed == 0 && (flagged(p.text, p.start) || setting(p.text, p.start))
	}},
	{pattern: says},
	{pattern: below, line: true, ties: value{bare: true, alone: true}, when: func(p *place, _ string) bool {
		return p.start == 0 || p.text[p.start-1] == '\n'
	}},
	{pattern: space, ties: value{bare: true}, when: func(p *place, _ string) bool { return p.closed == 0 }, literal: func(p *place, _ string) bool {
		name := p.text[p.start:p.end]
		return upperCase(name) || len(nameWords(name)) > 1 // PASSWORD '…', storePassword '…'
	}},
}

// assigns reports whether a mark gives a value to a variable and does not compare it.
func assigns(_ *place, match string) bool {
	return strings.Contains(match, "=") && !strings.Contains(match, "==")
}

// ties returns how many bytes of the text behind a name tie the value to it, and what they say of it.
func (p *place) ties() (n int, v value, ok bool) {
	rest := p.rest[p.closed:]
	for i := range links {
		l := &links[i]
		match := l.pattern.FindString(rest)
		if match == "" || l.when != nil && !l.when(p, match) {
			continue
		}
		n := p.closed + len(strings.TrimRight(match, l.cut))
		if l.behind != nil {
			more := l.behind.FindString(p.rest[n:])
			if more == "" {
				continue
			}
			n += len(more)
		}
		if l.line {
			n = p.closed + 1 + strings.IndexByte(match, '\n')
		}
		v := l.ties
		if l.literal != nil {
			v.literal = l.literal(p, match)
		}
		return n, v, true
	}
	return 0, value{}, false
}

// valueBehind finds the value that is given to the name that ends at end; an empty one if there is none.
func valueBehind(text string, start, end int) value {
	p := &place{text: text, start: start, end: end, rest: text[end:min(len(text), end+200)]}
	p.closed = len(closer.FindString(p.rest))
	n, v, ok := p.ties()
	if !ok {
		return value{}
	}
	open := opener.FindString(p.rest[min(n, len(p.rest)):])
	v.start = end + n + len(open)
	if v.start >= len(text) {
		return value{}
	}
	v.tight = v.flag || text[v.start-1] != ' '
	v.skip(text, start, end)
	if open != "" && strings.IndexByte(quotes, open[len(open)-1]) >= 0 {
		v.quote(text, open[len(open)-1])
		return v
	}
	if v.code = v.sure && !upperCase(text[start:end]); v.code {
		v.literal = false
	}
	v.shout = text[start] >= 'A' && text[start] <= 'Z'
	v.end = v.start
	for v.end < len(text) && v.end-v.start < longestValue && !v.ends(text) {
		v.end++
	}
	emphasised := start > 0 && text[start-1] == '*'
	for v.end > v.start && v.trails(text, emphasised) {
		v.end--
	}
	v.last = v.end == len(text) || strings.IndexByte(".,;)\r\n", text[v.end]) >= 0
	v.tight = v.tight || v.end == len(text) || text[v.end] == '\n'
	return v
}

// ends reports whether a value without quotes ends before text[v.end].
func (v *value) ends(text string) bool {
	rest := text[v.end:]
	switch c := rest[0]; {
	case strings.IndexByte(" \t\r\n\"'`;<>|", c) >= 0:
		return true
	case c == ',': // it may be a part of the value, unless another field follows
		return !v.sure || len(rest) == 1 || strings.IndexByte(" \r\n\t\"'`", rest[1]) >= 0 || nextField.MatchString(rest[:min(len(rest), 44)])
	case c == '&':
		return param.MatchString(rest[:min(len(rest), 40)])
	case c == '\\':
		return strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\"`)
	}
	return false
}

// trails reports whether the last byte of a value belongs to the sentence or the code around it.
func (v *value) trails(text string, emphasised bool) bool {
	c := text[v.end-1]
	switch {
	case c == ':' && v.flagLike():
		return false
	case c == '*':
		return emphasised || strings.HasSuffix(text[v.start:v.end], "**")
	}
	return strings.IndexByte(".:)]}\\", c) >= 0
}

// skip passes over what says how a value lets somebody in.
func (v *value) skip(text string, start, end int) {
	p, most := scheme, 16
	if m := login.FindString(text[v.start:min(len(text), v.start+16)]); m != "" && v.sure {
		v.decided = true
	}
	if strings.EqualFold(text[max(start, end-len("authorization")):end], "authorization") && v.sure {
		p, most = anyScheme, 40
	}
	v.start += len(p.FindString(text[v.start:min(len(text), v.start+most)]))
}

// quote makes a value end with its quote, or its line.
func (v *value) quote(text string, quote byte) {
	v.quoted = true
	window := text[v.start:min(len(text), v.start+longestValue)]
	i := strings.IndexByte(window, quote)
	if nl := strings.IndexByte(window, '\n'); nl >= 0 && (i < 0 || nl < i) {
		i = nl
	}
	if i < 0 {
		i = len(window)
	}
	for i > 0 && (window[i-1] == '\\' || window[i-1] == ' ') {
		i--
	}
	v.end = v.start + i
}

// flagLike reports whether a value is written as those of the environment are, without a space.
func (v value) flagLike() bool { return v.tight && v.literal }

var nextField = lazyregexp.New(`^,[ \t]{0,4}["'{]?[\w.-]{1,40}["']?[=:]`)

var param = lazyregexp.New(`^&[\w-]+=`)

// called reports whether the name at start, in quotes, is in the first that a call takes.
func called(text string, start int) bool { return callee.MatchString(text[max(0, start-44):start]) }

// upperCase reports whether a name is written as those of the environment are.
func upperCase(name string) bool { return shapeOf(name).lower == 0 }

// flagged reports whether the name at start is a flag of a command line.
func flagged(text string, start int) bool {
	return start >= 2 && text[start-1] == '-' && (text[start-2] == '-' || text[start-2] == ' ')
}

// setting reports whether the name at start is what a command sets to the word behind it.
func setting(text string, start int) bool {
	line := text[max(0, start-40):start]
	if strings.HasPrefix(text[start:], "requirepass ") || strings.HasPrefix(text[start:], "masterauth ") {
		return true
	}
	for _, command := range [...]string{"ENV ", "setx ", "configure set ", "config set ", "config add-", "set -gx ", "set -x ", "set -Ux ", "setenv ", "SetEnv "} {
		if strings.HasSuffix(line, command) {
			return true
		}
	}
	return false
}
