package cli

import (
	"github.com/memoryd/memoryd/pkg/workspace"
)

// printProblems prints what check found, grouped by file.
func (c *call) printProblems(snap *workspace.Snapshot, problems []workspace.Problem) {
	files := map[string]bool{}
	for _, ms := range [][]*workspace.Memory{snap.Memories, snap.Archived} {
		for _, m := range ms {
			files[m.File] = true
		}
	}
	held := quantity(len(snap.Memories)+len(snap.Archived), "memory") + " in " + quantity(len(files), "file")
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
		where := ""
		for _, part := range []string{p.Place, p.ID} {
			if part != "" {
				where += printable(part) + ": "
			}
		}
		c.printf("  %s %s%s\n", c.severity(p.Severity), where, printable(p.Message))
		if p.Hint != "" {
			c.printf("          %s\n", c.style.dim(printable(p.Hint)))
		}
	}
	n := tally(problems)
	c.say("\n%s, %s; %s\n", quantity(n.errors, "error"), quantity(n.warnings, "warning"), held)
}

func (c *call) severity(word string) string {
	padded := pad(word, len(workspace.Warning))
	if word == workspace.Error {
		return c.style.red(padded)
	}
	return c.style.yellow(padded)
}
