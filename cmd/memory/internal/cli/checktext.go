package cli

import (
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
)

// printProblems prints what check found, grouped by file.
func (c *call) printProblems(snap *memory.Snapshot, problems []memory.Problem) {
	files := map[string]bool{}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			files[m.File] = true
		}
	}
	held := quantity(len(snap.Memories())+len(snap.Archived()), "memory") + " in " + quantity(len(files), "file")
	if len(problems) == 0 {
		c.say("clean: %s\n", held)
		return
	}
	last := ""
	for i, p := range problems {
		if p.File != last || i == 0 {
			if i > 0 {
				c.printf("\n")
			}
			c.printf("%s\n", c.style.bold(printable(or(p.File, "workspace"))))
			last = p.File
		}
		c.printf("  %s %s%s\n", c.severity(p.Severity), printable(where(p)), printable(p.Message))
		again := i+1 < len(problems) && problems[i+1].File == p.File && problems[i+1].Hint == p.Hint
		if p.Hint != "" && !again {
			c.printf("          %s\n", c.style.dim(printable(p.Hint)))
		}
	}
	errors, warnings := app.CountProblems(problems)
	c.say("\n%s, %s; %s\n", quantity(errors, "error"), quantity(warnings, "warning"), held)
}

// where returns the prefix of a problem's message: its id and place, unless the message
// names them itself.
func where(p memory.Problem) (text string) {
	if p.ID != "" && !strings.Contains(p.Message, p.ID) {
		text = p.ID + ": "
	}
	for _, part := range strings.Fields(p.Place) {
		if !strings.Contains(p.Message, part) {
			text += part + ": "
		}
	}
	return text
}

func (c *call) severity(word string) string {
	padded := pad(word, len(memory.Warning))
	if word == memory.Error {
		return c.style.red(padded)
	}
	return c.style.yellow(padded)
}
