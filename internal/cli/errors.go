package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
)

// report prints an error, on the standard error.
func (c *call) report(err error) {
	var o fail.Outcome
	if errors.As(err, &o) {
		return
	}
	text, hint := err.Error(), fail.Hint(err)
	if c.cmd != nil {
		text = c.cmd.name + ": " + text
	}
	w := term.Tolerant{Writer: c.Stderr}
	if c.JSON {
		doc, _ := document.Marshal(document.Error{Code: fail.Word(fail.Code(err)), Error: text, Hint: hint}) // strings always marshal
		fmt.Fprintf(w, "%s\n", doc)
		return
	}
	fmt.Fprintf(w, "%s: %s\n", c.program.name, strings.ReplaceAll(term.ShortWords(term.Printable(text)), "\n", "\n  "))
	if hint != "" {
		fmt.Fprintf(w, "hint: %s\n", term.ShortWords(term.Printable(hint)))
	}
}

// flagError is a value that a flag doesn't take, in our words.
func flagError(err error) error {
	// As the flag library writes flags in its messages.
	oneDash := regexp.MustCompile(`^invalid (boolean )?value "(.*)" for (?:flag )?-+([\w-]+): .*$`)
	if m := oneDash.FindStringSubmatch(err.Error()); m != nil {
		write := "a whole number" // the others take any text, which the commands read
		switch {
		case m[1] != "":
			write = "true or false"
		case strings.Contains(err.Error(), strconv.ErrRange.Error()):
			write = "one closer to zero"
		}
		return fail.Usagef("--%s: %q is not a valid value: write %s", m[3], m[2], write)
	}
	return fail.Usagef("%w", err)
}
