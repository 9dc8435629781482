package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// syntaxError says what is wrong with a text that isn't TOML, where, and what to do.
func syntaxError(name string, text []byte, err error) error {
	at, ok := errors.AsType[*tomledit.SyntaxError](err)
	if !ok {
		return fmt.Errorf("%s: not valid TOML: %w", name, err)
	}
	if at.Line > 0 {
		at.Message = explain(text, at)
	}
	return at.Of(name)
}

var (
	// sectionHead matches a line that begins a section.
	sectionHead = lazyregexp.New(`^\s*\[\s*"?([^\[\]"]+?)"?\s*\]\s*(#.*)?$`)
	// assigned matches a line that sets a key, or means to: the key, the sign, the value without a comment.
	assigned = lazyregexp.New(`^\s*([^=#]*?)\s*(=(?:\s*=)*)\s*([^#]*?)\s*(?:#.*)?$`)
	// colon matches a line that does so as YAML does.
	colon = lazyregexp.New(`^\s*([\w.-]+)(\s*):\s*([^=#]*?)\s*(?:#.*)?$`)
	// bare is a text that lacks its quotes.
	bare = lazyregexp.New(`^[^"'\[\]{}=,;\x60“”„‘’\\]*[\pL*:@/ -][^"'\[\]{}=,;\x60“”„‘’\\]*$`)
	// otherQuotes is a text in quotes that TOML doesn't know.
	otherQuotes = lazyregexp.New(`^[\x60“”„‘’]([^"\\\x60“”„‘’]*)[\x60“”„‘’]$`)
	// otherNumber is a number that TOML writes in another way.
	otherNumber = lazyregexp.New(`^([+-]?)0*([0-9]*)(?:[.,]([0-9]*))?$`)
	// noValue matches a line that means to set nothing.
	noValue = lazyregexp.New(`^[\w.-]+\s*=\s*(?i:null|nil|none)\s*(?:#.*)?$`)
	// codePoint is how the decoder names a character: U+002C ','.
	codePoint = lazyregexp.New(`U\+[0-9A-F]+(?: '[^']*')?`)
)

// advice says what to do about a message of the decoder that has one of these parts. The first that fits counts.
var advice = []struct{ part, todo string }{
	{"expected newline", "write each setting in a line of its own, and # before a comment"},
	{"already", "set it once"},
	{"should be", "write it once, as a section or as a setting"},
	{"expected '='", "write = between a key and its value"},
	{"array", "put a comma between the items of a list, and ] behind the last"},
	{"inline table", "put a comma between the settings of a table, and } behind the last"},
	{"expected value but got ','", "put one comma between two items"},
	{"new lines", "write the closing quote"},
	{"terminated", "write the closing quote"},
	{"escape", `write \\ for a backslash, or put the text in single quotes`},
	{"UTF-8", "save the file as UTF-8"},
	{"date", `write a time such as "2026-03-01T09:00:00Z"`},
	{"hour", `write a time such as "2026-03-01T09:00:00Z"`},
	{"minute", `write a time such as "2026-03-01T09:00:00Z"`},
	{"second", `write a time such as "2026-03-01T09:00:00Z"`},
	{"time", `write a time such as "2026-03-01T09:00:00Z"`},
	{"digit", "write a number such as 20 or 0.8, or a text in quotes"},
	{"zero", "write a number such as 20 or 0.8, or a text in quotes"},
	{"number", "write a number such as 20 or 0.8, or a text in quotes"},
	{"float", "write a number such as 20 or 0.8, or a text in quotes"},
	{"start of key", "write key = value, [section] or # comment"},
	{"table name", "write a section as [name], in a line of its own"},
}

// explain says what is wrong and what to write instead. It reads the line, since a decoder can't know what was meant.
func explain(text []byte, at *tomledit.SyntaxError) string {
	line := lineAt(text, at.Line)
	if twice, first := repeated(text, at.Line); twice != "" {
		return fmt.Sprintf("[%s] is in line %d already: put these settings there, and leave this line out", twice, first)
	}
	found, _ := utf8.DecodeRuneInString(line[min(at.Column-1, len(line)):])
	message := strings.ReplaceAll(at.Message, "\n", `\n`)
	if found == utf8.RuneError {
		found = '\n'
	}
	message = codePoint.Get().ReplaceAllLiteralString(message, fmt.Sprintf("%q", found))
	if strings.HasPrefix(strings.TrimSpace(line), "[") && (strings.HasPrefix(message, "expected newline") || strings.Contains(message, "start of key")) {
		message = "malformed table name"
	}
	if at.First > 0 {
		return fmt.Sprintf("%s in line %d: remove one", message, at.First)
	}
	todo := otherSyntax(strings.TrimSpace(line))
	if found == '/' && strings.HasPrefix(message, "expected newline") {
		todo = hashComment
	}
	if todo != "" {
		return todo
	}
	if m := assigned.FindStringSubmatchIndex(line); m != nil {
		key, value, inValue := line[m[2]:m[3]], line[m[6]:m[7]], at.Column > m[5]
		switch literal := meant(value, message); {
		case m[5]-m[4] > 1:
			return fmt.Sprintf("write one = between a key and its value: %s = %s", plain(key), shorten(value))
		case value == "" && key != "":
			return plain(key) + " has no value: write one, or remove the line"
		case inValue && literal == tomledit.Quote(value):
			return fmt.Sprintf("text needs quotes: write %s = %s", plain(key), shorten(literal))
		case inValue && literal != "" && literal != value:
			return fmt.Sprintf("%s is not a value: write %s = %s", plain(value), plain(key), shorten(literal))
		case !inValue && strings.HasPrefix(message, "expected '='") && key != "" && !strings.ContainsAny(key, `."'[]{}`):
			return fmt.Sprintf("a key that has more than letters, digits, - and _ needs quotes: write %s = %s", quoted(key), shorten(value))
		}
	}
	for _, a := range advice {
		if strings.Contains(message, a.part) {
			return message + ": " + a.todo
		}
	}
	return message + ": write a text in quotes, a number, true, false or a list such as [\"a\", \"b\"]"
}

const hashComment = "a comment begins with #: write # instead of //"

// otherSyntax says what to do about a line that belongs to another language; "" if it belongs to none.
func otherSyntax(line string) string {
	if m := colon.FindStringSubmatch(line); m != nil && m[3] != "" {
		return fmt.Sprintf("write = between a key and its value: %s = %s", m[1], shorten(m[3]))
	}
	switch {
	case strings.HasPrefix(line, "<<<<<<<"), strings.HasPrefix(line, "======="), strings.HasPrefix(line, ">>>>>>>"):
		return "these are two versions that git could not merge: keep the right lines, and remove the marks"
	case strings.HasPrefix(line, "{"):
		return "JSON is not TOML: write a section such as [run], and below it settings such as limit = 20"
	case noValue.MatchString(line):
		return "TOML has no empty value: remove the line"
	case strings.HasPrefix(line, "//"):
		return hashComment
	case colon.MatchString(line):
		return fmt.Sprintf("YAML is not TOML: write a section such as [%s], and below it settings such as limit = 20", strings.TrimSuffix(line, ":"))
	}
	return ""
}

// meant is the literal of TOML for a value that somebody wrote in another way; "" if that can't be told from it and the decoder's message.
func meant(value, message string) string {
	value = strings.TrimRight(value, ",; ")
	switch strings.ToLower(value) {
	case "yes", "on", "true":
		return "true"
	case "no", "off", "false":
		return "false"
	}
	if m := otherQuotes.FindStringSubmatch(value); m != nil {
		return tomledit.Quote(m[1])
	}
	if m := otherNumber.FindStringSubmatch(value); m != nil && m[2]+m[3] != "" {
		whole := m[1] + m[2]
		if m[2] == "" {
			whole += "0"
		}
		if strings.ContainsAny(value, ".,") {
			if m[3] == "" {
				return whole + ".0"
			}
			return whole + "." + m[3]
		}
		return whole
	}
	if inner, ok := strings.CutPrefix(value, `"`); ok && strings.HasPrefix(message, "invalid escape character") {
		if inner, ok = strings.CutSuffix(inner, `"`); ok && !strings.ContainsAny(inner, `"'`) {
			return "'" + inner + "'" // a path of Windows
		}
	}
	for _, start := range []string{"unexpected character", "expected newline", "expected keyword", "strings must be quoted"} {
		if strings.HasPrefix(message, start) && bare.MatchString(value) {
			return tomledit.Quote(value)
		}
	}
	return ""
}

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
	first, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n"))
	return string(bytes.TrimSuffix(first, []byte("\r")))
}
