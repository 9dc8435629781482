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
	opener = lazyregexp.New(`^[*]{0,2}(?:[fbruN@]?(?:\\?"{1,3}|\\?'{1,3})|\x60{1,3})?`)
	scheme = lazyregexp.New(`^(?i:bearer|basic|token|ssws|apikey|bot|digest) +`)
	login  = lazyregexp.New(`^(?i:basic) +`)
	// anyScheme stands before what a header of HTTP lets somebody in with.
	anyScheme = lazyregexp.New(`^[A-Za-z][\w-]{1,24} +(?:token=["']?)?`)
	callee    = lazyregexp.New(`\( ?["'\x60][^"'\x60()\n]{0,40}$`)
)

// valueBehind finds the value that is given to the name that ends at end; an empty one if there is none.
func valueBehind(text string, start, end int) (v value) {
	rest := text[end:min(len(text), end+200)]
	n := len(closer.FindString(rest))
	m := ""
	next := func(p *lazyregexp.Regexp) bool { m = p.FindString(rest[n:]); return m != "" }
	switch {
	case next(instead) && !(m == ":-" && strings.HasSuffix(text[:start], "-")):
		n, v.sure, v.literal = n+len(strings.TrimRight(m, "\"'`")), true, true
	case next(typed), next(mark):
		n, v.sure = n+len(strings.TrimRight(m, "\"'`")), true
		v.literal = strings.Contains(m, "=") && !strings.Contains(m, "==")
	case next(aside) && mark.MatchString(rest[n+len(m):]):
		n += len(m)
		n, v.sure = n+len(mark.FindString(rest[n:])), true
	case next(aside) && says.MatchString(rest[n+len(m):]):
		n += len(m)
		n += len(says.FindString(rest[n:]))
	case next(apart), next(beside):
		n, v.sure = n+len(m), true
	case next(passed) && len(m) > 1 && (m[0] == '(' || n > 0 && called(text, start)):
		n, v.sure, v.literal = n+len(strings.TrimRight(m, "b\"'")), true, true
	case n > 0 && next(typing):
		n, v.sure, v.literal = n+len(m), true, true
	case (flagged(text, start) || setting(text, start)) && n == 0 && strings.HasPrefix(rest, " "):
		n, v.sure, v.flag = 1, true, true
	case next(says):
		n += len(m)
	case next(below) && (start == 0 || text[start-1] == '\n'):
		n, v.bare, v.alone = n+1+strings.IndexByte(m, '\n'), true, true
	case n == 0 && strings.HasPrefix(rest, " "):
		n, v.bare, v.literal = 1, true, upperCase(text[start:end]) || len(nameWords(text[start:end])) > 1 // PASSWORD '…', storePassword '…'
	default:
		return value{}
	}
	open := opener.FindString(rest[min(n, len(rest)):])
	v.start = end + n + len(open)
	if v.start >= len(text) {
		return value{}
	}
	v.tight = v.flag || text[v.start-1] != ' '
	v.skip(text, start, end)
	quote := byte(0)
	if open != "" && open != "*" && open != "**" {
		quote = open[len(open)-1]
	}
	if quote == '"' || quote == '\'' || quote == '`' {
		v.quote(text, quote)
		return v
	}
	if v.code = v.sure && !upperCase(text[start:end]); v.code {
		v.literal = false
	}
	v.shout = text[start] >= 'A' && text[start] <= 'Z'
	v.end = v.start
	for v.end < len(text) && v.end-v.start < longestValue && !strings.ContainsRune(" \t\r\n\"'`;<>|", rune(text[v.end])) {
		if text[v.end] == ',' && (!v.sure || v.end+1 == len(text) || strings.IndexByte(" \r\n\t\"'`", text[v.end+1]) >= 0 || nextField.MatchString(text[v.end:min(len(text), v.end+44)])) {
			break
		}
		if text[v.end] == '&' && param.MatchString(text[v.end:min(len(text), v.end+40)]) || strings.HasPrefix(text[v.end:], `\n`) || strings.HasPrefix(text[v.end:], `\"`) {
			break
		}
		v.end++
	}
	for v.end > v.start && !(text[v.end-1] == ':' && v.flagLike()) && (strings.IndexByte(".:)]}\\", text[v.end-1]) >= 0 || text[v.end-1] == '*' && (start > 0 && text[start-1] == '*' || strings.HasSuffix(text[v.start:v.end], "**"))) {
		v.end--
	}
	v.last = v.end == len(text) || strings.IndexByte(".,;)\r\n", text[v.end]) >= 0
	v.tight = v.tight || v.end == len(text) || text[v.end] == '\n'
	return v
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
