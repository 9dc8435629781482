package cli

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/auditing"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/audit"
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
	report, err := auditing.Run(c.ctx, auditing.Options{Paths: c.args, Dir: paths.Dir(c.Dir), At: c.at, Note: c.noteText})
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(report); err != nil {
			return err
		}
	} else {
		printAudit(&c.printer, report)
	}
	if !report.Clean() {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

func printAudit(p *printer, r *audit.Report) {
	head := func(what string, n int) bool {
		if n > 0 {
			p.printf("%s\n", p.style.Bold(fmt.Sprintf("%s (%d)", what, n)))
		}
		return n > 0
	}
	if head("Secrets", len(r.Secrets)) {
		for _, s := range r.Secrets {
			p.printf("  %s  %s\n", term.Printable(s.Place), term.Printable(s.String()))
		}
	}
	for _, list := range []struct {
		what  string
		pairs []audit.Pair
	}{{"Contradictions", r.Contradictions}, {"Duplicates", r.Duplicates}} {
		if head(list.what, len(list.pairs)) {
			for _, pair := range list.pairs {
				p.printf("  %s  %.2f like %s\n", term.Printable(pair.Place), pair.ContentSimilarity, term.Printable(pair.Earlier))
				for _, d := range pair.Differences {
					p.printf("    differs  %s\n", term.Printable(d))
				}
			}
		}
	}
	if head("Stale", len(r.Stale)) {
		for _, s := range r.Stale {
			p.printf("  %s  %s ago\n", term.Printable(s.Place), quantity(s.Days, "day"))
		}
	}
	if head("Too large", len(r.Sizes)) {
		for _, s := range r.Sizes {
			p.printf("  %s  %s, %s: %s\n", term.Printable(s.File), quantity(s.Lines, "line"), quantity(s.Bytes, "byte"), s.Limit)
		}
	}
	printLinks(p, r, head)
	if head("Unreadable", len(r.Unread)) {
		for _, u := range r.Unread {
			p.printf("  %s\n", term.Printable(u))
		}
	}
	p.say("%s in %s\n", quantity(r.Notes, "note"), quantity(r.Files, "file"))
}

// printLinks prints the findings about links, the index and invisible characters.
func printLinks(p *printer, r *audit.Report, head func(what string, n int) bool) {
	for _, list := range []struct {
		what  string
		links []audit.Link
	}{{"Dead links", r.DeadLinks}, {"Orphans", r.Orphans}} {
		if head(list.what, len(list.links)) {
			for _, l := range list.links {
				p.printf("  %s  %s\n", term.Printable(l.Place), term.Printable(strings.TrimPrefix(l.Target+": "+l.What, ": ")))
			}
		}
	}
	if head("Repeated lines", len(r.Repeats)) {
		for _, x := range r.Repeats {
			p.printf("  %s  %s as %s\n", term.Printable(x.Place), x.What, term.Printable(x.Earlier))
		}
	}
	if head("Invisible characters", len(r.Invisible)) {
		for _, x := range r.Invisible {
			p.printf("  %s  %s\n", term.Printable(x.Place), term.Printable(x.What))
		}
	}
}
