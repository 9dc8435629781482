package jsonedit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says where a document is broken and how. Offset counts bytes from 0;
// Line and Column count from 1, columns in runes, a byte order mark not
// counted. Lines end with \n.
type Error struct {
	Offset, Line, Column int
	Msg                  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// diagnose names the accident behind a fault at offset pos.
func diagnose(doc []byte, pos int, f fault) *Error {
	pos, msg := accident(doc, pos, f)
	lineStart := bytes.LastIndexByte(doc[:pos], '\n') + 1
	if lineStart == 0 {
		lineStart = min(bomLen(doc), pos)
	}
	return &Error{
		Offset: pos,
		Line:   1 + bytes.Count(doc[:pos], []byte("\n")),
		Column: 1 + utf8.RuneCount(doc[lineStart:pos]),
		Msg:    msg,
	}
}

// accident returns the offset to point at, which may be before pos, and the
// message. It first looks for damage that can strike anywhere, then asks what
// the scanner wanted.
func accident(doc []byte, pos int, f fault) (int, string) {
	rest := doc[pos:]
	switch {
	case bytes.HasPrefix(doc, []byte("\xff\xfe")), bytes.HasPrefix(doc, []byte("\xfe\xff")):
		return 0, "UTF-16 text; save the file as UTF-8"
	case len(doc) == bomLen(doc):
		return pos, "empty document"
	case skipSpace(doc, bomLen(doc)) == len(doc):
		return bomLen(doc), "only white space, no value"
	case cutOff(rest, f):
		return len(doc), "document is cut off: " + unfinished(f)
	case rest[0] == 0:
		return pos, "NUL byte; the file is damaged, not written completely, or UTF-16"
	case !utf8.FullRune(rest), rest[0] >= utf8.RuneSelf && !utf8.ValidString(firstRune(rest)):
		return pos, fmt.Sprintf("invalid UTF-8 byte 0x%02x", rest[0])
	}
	switch f {
	case inString:
		return pos, controlMessage(rest[0])
	case badEscape:
		if rest[1] == 'u' {
			return pos, `bad escape: \u needs four hexadecimal digits`
		}
		return pos, fmt.Sprintf(`bad escape: \ before %s; write \\ for a backslash`, shown(rest[1:]))
	case badNumber:
		return pos, numberMessage(doc, pos)
	case tooDeep:
		return pos, fmt.Sprintf("nested more than %d deep", MaxDepth)
	}
	if msg := foreign(doc, pos); msg != "" {
		return pos, msg
	}
	return misplaced(doc, pos, f)
}

// cutOff reports whether nothing but the end of the document is wrong.
func cutOff(rest []byte, f fault) bool {
	switch f {
	case inString:
		return !utf8.FullRune(rest)
	case badEscape:
		hex := strings.TrimPrefix(string(rest[:min(len(rest), 6)]), `\u`)
		return len(rest) == 1 || len(rest) < 6 && rest[1] == 'u' && strings.Trim(hex, "0123456789abcdefABCDEF") == ""
	case wantValue:
		for _, word := range []string{"true", "false", "null"} {
			if len(rest) < len(word) && strings.HasPrefix(word, string(rest)) {
				return true
			}
		}
	}
	return len(rest) == 0
}

func unfinished(f fault) string {
	switch f {
	case inString, badEscape:
		return "it ends inside a string"
	case badNumber:
		return "it ends inside a number"
	case wantKey, wantColon, wantMemberEnd:
		return "it ends inside an object"
	case wantElementEnd:
		return "it ends inside an array"
	}
	return "it ends where a value should be"
}

func controlMessage(c byte) string {
	if c == '\n' || c == '\r' {
		return `line break inside a string; close the string or write \n`
	}
	return fmt.Sprintf(`control character U+%04X inside a string; write it as \u%04x`, c, c)
}

func numberMessage(doc []byte, pos int) string {
	if doc[pos] == '0' {
		return "number with a leading zero"
	}
	switch prev := doc[pos-1]; {
	case prev == '.':
		return "number without a digit after its decimal point"
	case prev == '-' && (pos == 1 || doc[pos-2]|0x20 != 'e'):
		if w := word(doc[pos:]); w != "" {
			return fmt.Sprintf("-%s is not JSON; use null", w)
		}
		return "minus sign without a digit"
	}
	return "number without a digit in its exponent"
}

// foreign names text of another format that begins at pos, outside a string.
func foreign(doc []byte, pos int) string {
	rest := doc[pos:]
	if pos == bomLen(doc) || doc[pos-1] == '\n' {
		for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(rest, []byte(mark)) {
				return "git conflict marker " + mark + "; resolve the merge first"
			}
		}
	}
	for _, mark := range []string{"//", "/*", "#"} {
		if bytes.HasPrefix(rest, []byte(mark)) {
			return "comment; JSON has none"
		}
	}
	switch firstRune(rest) {
	case "'", "`":
		return "wrong quote; JSON strings need double quotes"
	case "\u2018", "\u2019", "\u201c", "\u201d", "\u201e":
		return "curly quote; JSON strings need straight double quotes"
	}
	return ""
}

// misplaced describes a token that may be right elsewhere but not here.
func misplaced(doc []byte, pos int, f fault) (int, string) {
	rest := doc[pos:]
	found := shown(rest)
	before := bytes.TrimRight(doc[:pos], " \t\r\n")
	if (f == wantValue || f == wantKey) && bytes.HasSuffix(before, []byte(",")) && (found == "]" || found == "}") {
		return len(before) - 1, "trailing comma before " + found
	}
	name := word(rest)
	startsValue := name != "" || strings.IndexByte(`"{[-0123456789`, rest[0]) >= 0
	switch f {
	case wantValue:
		return pos, valueMessage(name, found)
	case wantKey:
		if name != "" {
			return pos, fmt.Sprintf("key %s needs double quotes", name)
		}
		return pos, fmt.Sprintf("found %s where a key in double quotes should be", found)
	case wantColon:
		return pos, fmt.Sprintf("found %s where the : after a key should be", found)
	case wantEnd:
		if startsValue {
			return pos, "a second document after the first; a file must hold exactly one"
		}
		return pos, fmt.Sprintf("found %s after the end of the document", found)
	}
	closer := "}"
	if f == wantElementEnd {
		closer = "]"
	}
	switch {
	case (rest[0] == 'x' || rest[0] == 'X') && bytes.HasSuffix(doc[:pos], []byte("0")):
		return pos, "hexadecimal number; JSON has only decimal ones"
	case startsValue:
		return pos, fmt.Sprintf("missing comma before %s", found)
	}
	return pos, fmt.Sprintf("found %s where , or %s should be", found, closer)
}

func valueMessage(name, found string) string {
	switch strings.ToLower(name) {
	case "nan", "inf", "infinity", "undefined", "none", "nil":
		return name + " is not JSON; use null"
	case "true", "false", "null":
		return name + " must be written " + strings.ToLower(name)
	case "":
		switch found {
		case "+":
			return "number with a leading +"
		case ".":
			return "number without a digit before its decimal point"
		}
		return fmt.Sprintf("found %s where a value should be", found)
	}
	return fmt.Sprintf("unknown word %s; a string needs double quotes", name)
}

// word returns the unquoted word b begins with, at most 30 bytes of it.
func word(b []byte) string {
	n := 0
	for n < len(b) && n < 30 && (b[n] == '_' || b[n] == '$' || 'a' <= b[n]|0x20 && b[n]|0x20 <= 'z' || n > 0 && '0' <= b[n] && b[n] <= '9') {
		n++
	}
	return string(b[:n])
}

func firstRune(b []byte) string {
	_, n := utf8.DecodeRune(b)
	return string(b[:n])
}

// shown returns the first token of b in a form that is safe to print.
func shown(b []byte) string {
	if w := word(b); w != "" {
		return w
	}
	if len(b) > 0 && b[0] == '"' {
		return "a string"
	}
	r, _ := utf8.DecodeRune(b)
	if r < utf8.RuneSelf && unicode.IsGraphic(r) && r != ' ' {
		return string(r)
	}
	if unicode.IsGraphic(r) && !unicode.IsSpace(r) {
		return fmt.Sprintf("%s (U+%04X)", strconv.QuoteRune(r), r)
	}
	return fmt.Sprintf("U+%04X", r)
}
