package cli

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
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
		cells[i] = oneLine.Replace(printable(cells[i]))
	}
	t.rows = append(t.rows, cells)
}

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
	if columns(text) <= limit {
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
