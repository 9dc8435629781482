package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// table is text in columns.
type table struct {
	head []string // nil: no line of headings
	rows [][]string
	// cut says that the last column may lose its end where the line would be wider
	// than the terminal.
	cut bool
	// spare lists the columns that may be left out for it, the first to go first.
	spare []int
	// right lists the columns that are aligned to the right.
	right map[int]bool
	// paint colours a cell, given its column and the padded text.
	paint func(row, column int, text string) string
}

// facts is a table of names and values.
func (c *call) facts() *table {
	return &table{paint: func(_, column int, text string) string {
		if column == 0 {
			return c.style.dim(text)
		}
		return text
	}}
}

// row adds a line of cells, made safe for a terminal.
func (t *table) row(cells ...string) {
	for i := range cells {
		most := longestCell
		if i == len(cells)-1 { // often a text
			most = longestText
		}
		cells[i] = cut(shortWords(oneLine.Replace(printable(cells[i]))), most)
	}
	t.rows = append(t.rows, cells)
}

// How many columns a cell of a table takes at most. Ids, tags and types of files may be of any length; --json prints them whole.
const (
	longestCell = 120
	longestText = 20_000
	longestWord = 400 // a path may be as long
)

// shortWords shortens words that nobody writes: ids, tags and types of a file that hold pages.
func shortWords(text string) string {
	if len(text) <= longestWord {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = cut(w, longestWord)
	}
	return strings.Join(words, " ")
}

// legible is text for people: safe for a terminal, and with no word longer than a path.
func legible(text string) string { return shortWords(printable(text)) }

// fact adds a name and a value, unless that is empty.
func (t *table) fact(name, value string) {
	if value != "" {
		t.row(name, value)
	}
}

const gap = "  "

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// leastCut is how many columns of the terminal a last column keeps that is cut.
const leastCut = 32

// format lays the table out, each line behind indent.
func (t *table) format(indent string, s style) string {
	rows := t.rows
	if t.head != nil {
		rows = append([][]string{t.head}, rows...)
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
			if last && t.cut && s.width > 0 {
				cell = cut(cell, max(s.width-used, 10))
			}
			fill := strings.Repeat(" ", max(widths[i]-columns(cell), 0))
			text := cell
			switch {
			case t.head != nil && n == 0:
				text = s.dim(text)
			case t.paint != nil:
				text = t.paint(n-min(len(t.head), 1), i, text)
			}
			switch {
			case t.right[i]:
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
func (t *table) widths(rows [][]string, indent int, s style) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	if !t.cut || s.width == 0 || len(widths) == 0 {
		return widths
	}
	for _, i := range t.spare {
		used := indent
		for _, w := range widths[:len(widths)-1] {
			if w > 0 {
				used += w + len(gap)
			}
		}
		if s.width-used >= leastCut {
			break
		}
		widths[i] = 0
	}
	return widths
}

// columns is how many columns of a terminal a text takes: wide characters take
// two (UAX #11), combining and invisible ones none.
func columns(text string) (n int) {
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

// cut shortens a text to at most limit columns.
func cut(text string, limit int) string {
	if len(text) <= limit || columns(text) <= limit {
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

// quoteAll writes words of the user's as they would be typed.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// when writes a time for people, in the time zone of the workspace; "-" when it isn't known.
func (c *call) when(t time.Time) string { return c.written(t, app.Minute) }

// day writes the day of a time, likewise.
func (c *call) day(t time.Time) string { return c.written(t, time.DateOnly) }

func (c *call) written(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(cmp.Or(c.zone, time.Local)).Format(layout)
}

// Words that stand in package app, which other surfaces use too.

func quantity(n int, what string) string { return app.Quantity(n, what) }

func thousands(n int) string { return app.Thousands(n) }

func reasonWords(reason string) string { return app.Reason(reason) }

func totals(s oplog.Stats) string { return app.Totals(s) }

func some(words []string, n int) string { return app.First(words, n) }

func closest(word string, options []string) string { return app.Closest(word, options) }

func actionHead(a *oplog.Action) string { return shortWords(printable(app.DescribeAction(a))) }

// printf writes to the standard output.
func (c *call) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// say writes what is good to know and was not asked for: not with --quiet, not
// with --json.
func (c *call) say(format string, args ...any) {
	if !c.quiet && !c.json {
		c.printf(format, args...)
	}
}

// note writes to the standard error what must not mix with the output.
func (c *call) note(format string, args ...any) {
	if c.quiet {
		return
	}
	text := fmt.Sprintf(format, args...)
	if c.json {
		doc, _ := json.Marshal(map[string]string{"note": text}) // a string always marshals
		fmt.Fprintf(tolerant{c.Stderr}, "%s\n", doc)
		return
	}
	fmt.Fprintf(tolerant{c.Stderr}, "note: %s\n", shortWords(printable(text)))
}

// printJSON writes the document of --json.
func (c *call) printJSON(v any) error {
	text, err := marshalIndent(v)
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err = c.out.Write(text)
	return err
}

// marshalIndent writes JSON as a document for programs and people.
func marshalIndent(v any) ([]byte, error) {
	text, err := app.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// tolerant is a stream whose reader may go away: that is no error of ours.
type tolerant struct{ w io.Writer }

func (t tolerant) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return len(p), nil
	}
	return n, err
}
