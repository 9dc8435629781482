package cli

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
	"github.com/memoryd/memoryd/pkg/oplog"
)

// printer is how a command writes: what was asked for to the standard output, notes to the standard error. It is apart
// from [call], so that what prints a result needs nothing else of the command.
type printer struct {
	out    *bufio.Writer // the standard output
	stderr io.Writer
	style  term.Style

	json, quiet, verbose bool
	text                 bool // the command is there to print a text, which --quiet leaves as it is

	zone *time.Location // in which times are written, once a workspace is open
	line *progress      // once something may last
}

// facts is a table of names and values.
func (p *printer) facts() *term.Table {
	return &term.Table{Paint: func(_, column int, text string) string {
		if column == 0 {
			return p.style.Dim(text)
		}
		return text
	}}
}

// onTerminal reports whether the standard error is watched by a person.
func (p *printer) onTerminal() bool {
	f, ok := p.stderr.(*os.File)
	if !ok {
		return false
	}
	_, terminal := term.Width(f)
	return terminal
}

// when writes a time for people, in the time zone of the workspace; "-" when it isn't known.
func (p *printer) when(t time.Time) string { return p.written(t, app.Minute) }

// day writes the day of a time, likewise.
func (p *printer) day(t time.Time) string { return p.written(t, time.DateOnly) }

func (p *printer) written(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(cmp.Or(p.zone, time.Local)).Format(layout)
}

// Words that stand in package app, which other surfaces use too.

func quantity(n int, what string) string { return app.Quantity(n, what) }

func thousands(n int) string { return app.Thousands(n) }

func reasonWords(reason string) string { return app.Reason(reason) }

func totals(s oplog.Stats) string { return app.Totals(s) }

func some(words []string, n int) string { return app.First(words, n) }

func closest(word string, options []string) string { return app.Closest(word, options) }

func actionHead(a *oplog.Action) string {
	return term.ShortWords(term.Printable(app.DescribeAction(a)))
}

// printf writes to the standard output: with --quiet only the text of a command that is there to print one.
func (p *printer) printf(format string, args ...any) {
	if !p.quiet || p.text {
		fmt.Fprintf(p.out, format, args...)
	}
}

// ids prints all that a command prints with --quiet: the ids of what it lists or saves, each once, one per line. Without --quiet it
// prints nothing and returns false.
func (p *printer) ids(ids ...string) bool {
	if !p.quiet || p.json {
		return false
	}
	seen := map[string]bool{"": true}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			fmt.Fprintf(p.out, "%s\n", term.Printable(id))
		}
	}
	return true
}

// say writes what is good to know and was not asked for: not with --quiet, not
// with --json.
func (p *printer) say(format string, args ...any) {
	if !p.quiet && !p.json {
		p.printf(format, args...)
	}
}

// note writes to the standard error what must not mix with the output.
func (p *printer) note(format string, args ...any) {
	if p.quiet {
		return
	}
	text := fmt.Sprintf(format, args...)
	if p.json {
		doc, _ := json.Marshal(map[string]string{"note": text}) // a string always marshals
		fmt.Fprintf(term.Tolerant{Writer: p.stderr}, "%s\n", doc)
		return
	}
	fmt.Fprintf(term.Tolerant{Writer: p.stderr}, "note: %s\n", term.ShortWords(term.Printable(text)))
}

// noteText is [printer.note] for operations.
func (p *printer) noteText(text string) { p.note("%s", text) }

// printJSON writes the document of --json.
func (p *printer) printJSON(v any) error {
	text, err := document.MarshalIndent(v)
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err = p.out.Write(append(text, '\n'))
	return err
}
