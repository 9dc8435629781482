// Package term lays text out for a terminal: tables of columns, colours, and text from files made safe to print.
package term

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/text/width"
)

// Table is text in columns.
type Table struct {
	Head []string // nil: no line of headings
	Rows [][]string
	// Cut says that the last column may lose its end where the line would be wider
	// than the terminal.
	Cut bool
	// Spare lists the columns that may be left out for it, the first to go first.
	Spare []int
	// Right lists the columns that are aligned to the right.
	Right map[int]bool
	// Paint colours a cell, given its column and the padded text.
	Paint func(row, column int, text string) string
}

// Row adds a line of cells, made safe for a terminal.
func (t *Table) Row(cells ...string) {
	for i := range cells {
		most := LongestCell
		if i == len(cells)-1 { // often a text
			most = LongestText
		}
		cells[i] = Cut(ShortWords(OneLine(Printable(cells[i]))), most)
	}
	t.Rows = append(t.Rows, cells)
}

// How many columns a cell of a table takes at most. Ids, tags and types of files may be of any length; --json prints them whole.
const (
	LongestCell = 120
	LongestText = 20_000
	longestWord = 400 // a path may be as long
)

// ShortWords shortens words that nobody writes: ids, tags and types of a file that hold pages.
func ShortWords(text string) string {
	if len(text) <= longestWord {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = Cut(w, longestWord)
	}
	return strings.Join(words, " ")
}

// Legible is text for people: safe for a terminal, and with no word longer than a path.
func Legible(text string) string { return ShortWords(Printable(text)) }

// Fact adds a name and a value, unless that is empty.
func (t *Table) Fact(name, value string) {
	if value != "" {
		t.Row(name, value)
	}
}

const gap = "  "

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// OneLine is text on one line: line breaks and tabs become spaces.
func OneLine(text string) string { return lineBreaks.Replace(text) }

// leastCut is how many columns of the terminal a last column keeps that is cut.
const leastCut = 32

// Format lays the table out, each line behind indent.
func (t *Table) Format(indent string, s Style) string {
	rows := t.Rows
	if t.Head != nil {
		rows = append([][]string{t.Head}, rows...)
	}
	widths := t.widths(rows, len(indent), s)
	var b strings.Builder
	for n, row := range rows {
		b.WriteString(indent)
		used := len(indent)
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			last := i == len(row)-1
			if last && t.Cut && s.Width > 0 {
				cell = Cut(cell, max(s.Width-used, 10))
			}
			fill := strings.Repeat(" ", max(widths[i]-Columns(cell), 0))
			text := cell
			switch {
			case t.Head != nil && n == 0:
				text = s.Dim(text)
			case t.Paint != nil:
				text = t.Paint(n-min(len(t.Head), 1), i, text)
			}
			switch {
			case t.Right[i]:
				text = fill + text
			case !last:
				text += fill
			}
			b.WriteString(text)
			if !last {
				b.WriteString(gap)
			}
			used += widths[i] + len(gap)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// widths is how wide each column is; 0 for one that is left out so that the last
// has room.
func (t *Table) widths(rows [][]string, indent int, s Style) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	if !t.Cut || s.Width == 0 || len(widths) == 0 {
		return widths
	}
	for _, i := range t.Spare {
		used := indent
		for _, w := range widths[:len(widths)-1] {
			if w > 0 {
				used += w + len(gap)
			}
		}
		if s.Width-used >= leastCut {
			break
		}
		widths[i] = 0
	}
	return widths
}

// Columns is how many columns of a terminal a text takes: wide characters take
// two (UAX #11), combining and invisible ones none.
func Columns(text string) (n int) {
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut shortens a text to at most limit columns.
func Cut(text string, limit int) string {
	if len(text) <= limit || Columns(text) <= limit {
		return text
	}
	used := 0
	for i, r := range text {
		if used += runeColumns(r); used > limit-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// Style says how text may look: in colour on a terminal, cut to its width.
type Style struct {
	Colour bool
	Width  int // columns; 0 = unknown, nothing is cut
}

// StyleFor is the style of a stream in an environment: in colour and as wide as the terminal if it is one. NO_COLOR and TERM=dumb
// turn colours off; COLUMNS sets the width.
func StyleFor(out io.Writer, env func(string) string) Style {
	s := Style{}
	if f, ok := out.(*os.File); ok {
		width, terminal := Width(f)
		s = Style{terminal && env("NO_COLOR") == "" && env("TERM") != "dumb", width}
	}
	if n, err := strconv.Atoi(env("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	return s
}

func (s Style) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Style) Bold(text string) string   { return s.paint("1", text) }
func (s Style) Dim(text string) string    { return s.paint("2", text) }
func (s Style) Red(text string) string    { return s.paint("31", text) }
func (s Style) Green(text string) string  { return s.paint("32", text) }
func (s Style) Yellow(text string) string { return s.paint("33", text) }

// Printable makes text from files safe for a terminal: control characters, which
// could move its cursor, appear as escapes; line ends and tabs stay.
func Printable(text string) string {
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

// QuoteAll writes words of the user's as they would be typed.
func QuoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// CommandLine writes a command as a person would type it in a shell.
func CommandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\"'\\$`&|;<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return Printable(strings.Join(words, " "))
}

// Tolerant is a stream whose reader may go away: that is not an error of ours.
type Tolerant struct{ io.Writer }

func (t Tolerant) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return len(p), nil
	}
	return n, err
}
