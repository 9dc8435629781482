package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
)

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
	fmt.Fprintf(tolerant{c.Stderr}, "note: %s\n", printable(text))
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
