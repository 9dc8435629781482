package printer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/term"
)

// Printer is how a command writes: what was requested to the standard output, notes to the standard error. It is apart
// from the command, so that what prints a result needs nothing else of it.
type Printer struct {
	Out    *bufio.Writer // the standard output
	stderr io.Writer
	Style  term.Style

	JSON, Quiet, Verbose bool
	Text                 bool // the command is there to print a text, which --quiet leaves as it is

	Zone *time.Location // in which times are written, once a workspace is open
	Line *Progress      // once something may last
}

// New writes to two streams; who made the first flushes it.
func New(out *bufio.Writer, stderr io.Writer, style term.Style) Printer {
	return Printer{Out: out, stderr: stderr, Style: style}
}

// Facts is a table of names and values.
func (p *Printer) Facts() *term.Table {
	return &term.Table{Paint: func(_, column int, text string) string {
		if column == 0 {
			return p.Style.Dim(text)
		}
		return text
	}}
}

// onTerminal reports whether the standard error is watched by a person.
func (p *Printer) onTerminal() bool {
	f, ok := p.stderr.(*os.File)
	if !ok {
		return false
	}
	_, terminal := term.Width(f)
	return terminal
}

// When writes a time for people, in the time zone of the workspace; "-" when it isn't known.
func (p *Printer) When(t time.Time) string { return p.written(t, app.Minute) }

// Day writes the day of a time, likewise.
func (p *Printer) Day(t time.Time) string { return p.written(t, time.DateOnly) }

func (p *Printer) written(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(cmp.Or(p.Zone, time.Local)).Format(layout)
}

// Printf writes to the standard output: with --quiet only the text of a command that is there to print one.
func (p *Printer) Printf(format string, args ...any) {
	if !p.Quiet || p.Text {
		fmt.Fprintf(p.Out, format, args...)
	}
}

// IDs prints all that a command prints with --quiet: the ids of what it lists or saves, each once, one per line. Without --quiet it
// prints nothing and returns false.
func (p *Printer) IDs(ids ...string) bool {
	if !p.Quiet || p.JSON {
		return false
	}
	seen := map[string]bool{"": true}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			fmt.Fprintf(p.Out, "%s\n", term.Printable(id))
		}
	}
	return true
}

// Say writes what is good to know and was not requested: not with --quiet, not
// with --json.
func (p *Printer) Say(format string, args ...any) {
	if !p.Quiet && !p.JSON {
		p.Printf(format, args...)
	}
}

// Note writes to the standard error what must not mix with the output.
func (p *Printer) Note(format string, args ...any) {
	if p.Quiet {
		return
	}
	text := fmt.Sprintf(format, args...)
	if p.JSON {
		doc, _ := json.Marshal(map[string]string{"note": text}) // a string always marshals
		fmt.Fprintf(term.Tolerant{Writer: p.stderr}, "%s\n", doc)
		return
	}
	fmt.Fprintf(term.Tolerant{Writer: p.stderr}, "note: %s\n", term.ShortWords(term.Printable(text)))
}

// NoteText is [printer.note] for operations.
func (p *Printer) NoteText(text string) { p.Note("%s", text) }

// PrintJSON writes the document of --json.
func (p *Printer) PrintJSON(v any) error {
	text, err := document.MarshalIndent(v)
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err = p.Out.Write(append(text, '\n'))
	return err
}
