package cli

import (
	"cmp"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/auditing"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/audit"
)

// checkFiles checks the files that agents read in a repository, with or without a workspace.
func checkFiles(c *call) error {
	format := cmp.Or(c.flags.String("format"), "text")
	if c.JSON && c.flags.IsSet("format") && format != "json" {
		return fail.Usagef("--json and --format %s: choose one", format)
	}
	doc, err := auditing.Run(c.ctx, auditing.Options{
		Paths: c.args, Dir: paths.Dir(c.Dir), Since: c.flags.String("changed-since"), Baseline: c.flags.String("baseline"), Note: c.NoteText,
	})
	if err != nil {
		return err
	}
	switch {
	case c.JSON || format == "json":
		err = c.PrintJSON(doc)
	case format == "sarif":
		var report []byte
		if report, err = audit.SARIF(doc.Findings, thisBuild().Version); err == nil {
			_, err = c.Out.Write(append(report, '\n'))
		}
	default:
		printer.Findings(&c.Printer, doc)
	}
	if err == nil && doc.Errors+doc.Warnings > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return err
}
