package cli

import (
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/auditing"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/printer"
)

func auditCommand() *command {
	return &command{
		args:    "PATH…",
		purpose: "report on notes outside a workspace: duplicates, dead links, secrets and the like",
		detail: `PATH is a file or a directory of JSON, JSON Lines, Markdown or text, such as the
memory folder of an agent. In a directory, files with the usual extensions of
these formats are read. Nothing is imported, and nothing is written. Reported
are, each with its file and line:

  secrets; duplicates, contradictions; notes that nobody has touched for long
  dead links: [text](file), [[note]], ids of records that are not there
  orphans: lines of MEMORY.md that name no file, files that none of them names
  lines of MEMORY.md that repeat
  invisible characters: of zero width, of direction, tags
  files that are larger than their host reads

The exit code is 3 if there is anything to report.`,
		example: "memory audit ~/.claude/projects/shop/memory",
		least:   1, most: -1, run: runAudit,
	}
}

func runAudit(c *call) error {
	report, err := auditing.Run(c.ctx, auditing.Options{Paths: c.args, Dir: paths.Dir(c.Dir), At: c.at, Note: c.NoteText})
	if err != nil {
		return err
	}
	if c.JSON {
		if err := c.PrintJSON(report); err != nil {
			return err
		}
	} else {
		printer.Audit(&c.Printer, report)
	}
	if !report.Clean() {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}
