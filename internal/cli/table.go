package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// facts is a table of names and values.
func (c *call) facts() *term.Table {
	return &term.Table{Paint: func(_, column int, text string) string {
		if column == 0 {
			return c.style.Dim(text)
		}
		return text
	}}
}

// onTerminal reports whether the standard error is watched by a person.
func (c *call) onTerminal() bool {
	f, ok := c.Stderr.(*os.File)
	if !ok {
		return false
	}
	_, terminal := term.Width(f)
	return terminal
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

func actionHead(a *oplog.Action) string {
	return term.ShortWords(term.Printable(app.DescribeAction(a)))
}

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
		fmt.Fprintf(term.Tolerant{Writer: c.Stderr}, "%s\n", doc)
		return
	}
	fmt.Fprintf(term.Tolerant{Writer: c.Stderr}, "note: %s\n", term.ShortWords(term.Printable(text)))
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
