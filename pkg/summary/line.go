package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// lineKind says how a line takes part in the text.
type lineKind byte

const (
	lineProse      lineKind = iota
	lineBlank               // nothing to read, or a rule of punctuation
	lineFence               // opens or closes a block of code
	lineHeading             // # Title
	lineBullet              // - item, 1. item
	lineQuote               // > quoted
	lineTable               // | a | b |
	lineLog                 // 2026-03-11T10:00:00Z ERROR ...
	lineStackFrame          // one frame of a stack trace
	lineSpeech              // Speaker: text
	lineIndent              // indented by four or more
	lineHeader              // From: ... of a mail
	lineSignature           // --, above the signature of a mail
)

// classify tells the kind of a line, and where in it the content starts. Speech
// needs the whole text and is decided by the caller.
func classify(line string) (lineKind, int) {
	body := strings.TrimLeft(line, " \t")
	indent := len(line) - len(body)
	body = strings.TrimRightFunc(body, unicode.IsSpace)
	switch {
	case strings.HasPrefix(body, "~~~"), strings.HasPrefix(body, "```") && !strings.Contains(strings.TrimLeft(body, "`"), "`"):
		return lineFence, indent
	case line == "--" || line == "-- ":
		return lineSignature, 0
	case !strings.ContainsFunc(body, isWordRune):
		return lineBlank, indent
	case body[0] == '#':
		if rest := strings.TrimLeft(body, "#"); len(body)-len(rest) <= 6 && strings.HasPrefix(rest, " ") && !tooLong(rest) {
			return lineHeading, indent + len(body) - len(strings.TrimLeft(rest, " "))
		}
	case body[0] == '|':
		return lineTable, indent
	case body[0] == '>':
		return lineQuote, indent + len(body) - len(strings.TrimLeft(body, "> "))
	}
	if isStackFrame(body) || isMarkup(body) {
		return lineStackFrame, indent
	}
	if isLog(body) {
		return lineLog, indent
	}
	if isMailHeader(body) {
		return lineHeader, indent
	}
	if n := bulletWidth(body); n > 0 {
		return lineBullet, indent + n
	}
	if indent >= 4 || strings.HasPrefix(line, "\t") {
		return lineIndent, indent
	}
	return lineProse, indent
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// bulletWidth is the length of a list marker ("- ", "2) ", "- [x] "), 0 if line
// has none.
func bulletWidth(line string) int {
	r, n := utf8.DecodeRuneInString(line)
	switch {
	case strings.ContainsRune("-*+•–▪◦·‣", r):
	case r >= '0' && r <= '9':
		for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n >= len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	rest := strings.TrimLeft(line[n:], " \t")
	if len(rest) == len(line)-n || rest == "" {
		return 0
	}
	if len(rest) > 4 && rest[0] == '[' && strings.ContainsRune(" xX", rune(rest[1])) && rest[2] == ']' && rest[3] == ' ' {
		rest = strings.TrimLeft(rest[4:], " ")
	}
	return len(line) - len(rest)
}

// isStackFrame knows the stack frames of the common languages, and the lines around
// them that carry no message of their own.
func isStackFrame(line string) bool {
	switch {
	case strings.HasPrefix(line, "at ") && strings.Contains(line, ":") && strings.HasSuffix(line, ")"),
		strings.HasPrefix(line, `File "`) && strings.Contains(line, ", line "),
		strings.HasPrefix(line, "Traceback (most recent call last)"),
		strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:"),
		strings.HasPrefix(line, "... ") && strings.HasSuffix(line, " more"):
		return true
	}
	if i := strings.Index(line, ".go:"); i > 0 && strings.HasPrefix(line, "/") {
		return true
	}
	return false
}

// isMarkup knows the lines of markup that aren't part of the text: the target of a
// link ("[name]: https://…"), a picture, a comment, a directive of reStructuredText.
func isMarkup(line string) bool {
	switch {
	case line[0] == '[':
		end := strings.Index(line, "]: ")
		return end > 0 && !strings.ContainsAny(strings.TrimSpace(line[end+3:]), " \t")
	case strings.HasPrefix(line, "!["), strings.HasPrefix(line, "[!["):
		return strings.HasSuffix(line, ")") && !strings.Contains(line, ") ")
	case strings.HasPrefix(line, "<!--"):
		return strings.HasSuffix(line, "-->")
	}
	return strings.HasPrefix(line, ".. ") && len(line) > 3
}

var mailHeaders = text.NewSet(`from, to, cc, bcc, date, sent, subject, reply-to, message-id, in-reply-to, references`)

// isMailHeader reports whether line is one of the lines above a mail: those with an address
// or a date say nothing of their own.
func isMailHeader(line string) bool {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok || !mailHeaders.Has(strings.ToLower(name)) {
		return false
	}
	switch strings.ToLower(name) {
	case "date", "sent":
		return strings.Count(rest, ":") > 0
	case "subject":
		return true
	}
	return strings.Contains(rest, "@")
}

var logLevels = []string{"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "PANIC"}

// isLog reports whether line starts as log lines do: with a date or a time and
// more, or with a level.
func isLog(line string) bool {
	if logPrefix(line) == len(line) {
		return false
	}
	head := strings.TrimLeft(line, "[(<")
	if w, _, ok := strings.Cut(head, " "); ok || strings.HasPrefix(line, "[") {
		w = strings.TrimRight(w, "]:")
		for _, level := range logLevels {
			if w == level {
				return true
			}
		}
	}
	if strings.HasPrefix(line, "time=") || strings.HasPrefix(line, "level=") || strings.HasPrefix(line, "ts=") {
		return true
	}
	return timestamp(line) > 0
}

// logPrefix is the length of the timestamp, level and brackets at the start of a
// log line: what is the same on every line and says nothing of its own.
func logPrefix(line string) int {
	n := timestamp(line)
	for {
		rest := strings.TrimLeft(line[n:], " \t")
		w, _, _ := strings.Cut(rest, " ")
		word := strings.Trim(w, "[]():<>-|")
		known := word == ""
		for _, level := range logLevels {
			known = known || strings.EqualFold(word, level)
		}
		if !known || w == "" {
			return len(line) - len(rest)
		}
		n = len(line) - len(rest) + len(w)
	}
}

// timestamp is the length of a date and time at the start of line: ISO 8601,
// 10:20:30, or syslog's "Mar 11 10:20:30".
func timestamp(line string) int {
	open := len(line) - len(strings.TrimLeft(line, "[("))
	rest := line[open:]
	n := 0
	switch {
	case matches(rest, "0000-00-00") || matches(rest, "0000/00/00"):
		n = 10
		if n+6 <= len(rest) && (rest[n] == 'T' || rest[n] == ' ') && matches(rest[n+1:], "00:00") {
			n += 6 + clockTail(rest[n+6:])
		} else if open == 0 {
			return 0 // a bare date starts a sentence as well
		}
	case matches(rest, "00:00:00"):
		n = 5 + clockTail(rest[5:])
	case len(rest) > 15 && unicode.IsUpper(rune(rest[0])) && rest[3] == ' ' && matches(rest[7:], "00:00:00"):
		n = 15
	default:
		return 0
	}
	if open > 0 {
		n += len(rest[n:]) - len(strings.TrimLeft(rest[n:], "])"))
	}
	return open + n
}

// clockTail is the length of the seconds, fraction and zone after hours and minutes.
func clockTail(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789:.,+-Z"))
}

// matches reports whether s starts like pattern, where 0 stands for any digit.
func matches(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := 0; i < len(pattern); i++ {
		if digit := s[i] >= '0' && s[i] <= '9'; pattern[i] == '0' && !digit || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}
