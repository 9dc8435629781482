package cli

import (
	"os"
	"strconv"
	"strings"
)

// style says how text may look: in colour on a terminal, cut to its width.
type style struct {
	colour bool
	width  int // columns; 0 = unknown, nothing is cut
}

// styleFor looks at where the standard output goes.
func styleFor(p Process) style {
	s := style{}
	if f, ok := p.Stdout.(*os.File); ok {
		width, terminal := terminalWidth(f)
		s = style{terminal && p.env("NO_COLOR") == "" && p.env("TERM") != "dumb", width}
	}
	if n, err := strconv.Atoi(p.env("COLUMNS")); err == nil && n > 0 {
		s.width = n
	}
	return s
}

// onTerminal reports whether the standard error is watched by a person.
func (c *call) onTerminal() bool {
	f, ok := c.Stderr.(*os.File)
	if !ok {
		return false
	}
	_, terminal := terminalWidth(f)
	return terminal
}

func (s style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string   { return s.paint("1", text) }
func (s style) dim(text string) string    { return s.paint("2", text) }
func (s style) red(text string) string    { return s.paint("31", text) }
func (s style) green(text string) string  { return s.paint("32", text) }
func (s style) yellow(text string) string { return s.paint("33", text) }

// printable makes text from files safe for a terminal: control characters, which
// could move its cursor, appear as escapes; line ends and tabs stay.
func printable(text string) string {
	safe := func(r rune) bool {
		return r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) && !isBidi(r)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !safe(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if safe(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// isBidi reports characters that reorder the text around them.
func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }
