package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/exporting"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/foreign"
)

func exportCommand() *command {
	return &command{
		args:    "--format FORMAT [--scope SCOPE] [--store STORE] [--force] [PATH]",
		purpose: "write the live memories in the format of another tool",
		detail: `PATH is a directory, which is made if it doesn't exist. For the formats mcp, jsonl
and json PATH is a file, unless it is a directory, ends in / or there are several
files; - is the standard output. Memories that were imported in the same format
and not edited are written back byte for byte. Other memories follow. Fields that
the format has no place for are reported. Without --force, no file is
overwritten.

git-notes is for a repository of git, that of the workspace or the one at PATH:
notes on the commits that memories name, as JSON Lines below refs/notes/mem-meta,
mem-summaries, mem-edges and mem-runs. Nothing is pushed, and what holds a secret
is left out. Notes of others are only replaced with --force.`,
		page:    "import-export.md",
		example: "memory export --format mcp memory.jsonl",
		flags: []urfave.Flag{
			formatFlag("format", "write `FORMAT`", exporting.Formats()),
			scopesFlag(),
			&urfave.StringFlag{Name: "store", Usage: "only what was imported from `STORE`: its directory, or its name"},
			&urfave.BoolFlag{Name: "force", Usage: "overwrite files"},
			dryRunFlag(),
		},
		least: 0, most: 1, run: runExport,
	}
}

func runExport(c *call) error {
	o := exporting.Options{
		Store: c.flags.String("store"), Format: foreign.Format(c.flags.String("format")), Dir: paths.Dir(c.Dir),
		Force: c.flags.Bool("force"), DryRun: c.flags.Bool("dry-run"),
	}
	if len(c.args) > 0 {
		o.To = c.args[0]
	}
	switch {
	case o.Format == "":
		return fail.Usagef("--format is missing: write one of %s", orList(formatWords(exporting.Formats())))
	case o.Format == exporting.GitNotes:
		return exportNotes(c, o)
	case o.To == "":
		return fail.WithHint(fail.Usagef("missing argument: where to write"), "usage: memory "+c.cmd.synopsis())
	case o.To == exporting.Stdout && c.JSON:
		return fail.Usagef("--json and the standard output don't go together: name a file")
	}
	var err error
	if o.Scope, err = c.scopes(); err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	result, err := exporting.Files(c.ctx, snap, store.Dir(), o)
	if err != nil {
		return err
	}
	switch {
	case o.To == exporting.Stdout:
		_, err = c.Out.Write(result.Text)
	case c.JSON:
		err = c.PrintJSON(result)
	default:
		printer.Exported(&c.Printer, result)
	}
	if err != nil {
		return err
	}
	if !c.JSON {
		printer.Misfits(&c.Printer, result.Misfits)
	}
	return leftOut(result.Misfits)
}

func leftOut(misfits []foreign.Misfit) error {
	for _, m := range misfits {
		if m.LeftOut {
			return fail.Outcome(fail.ExitProblems)
		}
	}
	return nil
}

// exportNotes writes notes on the commits that memories name, into the repository of the workspace or another one.
func exportNotes(c *call, o exporting.Options) error {
	store, err := c.open()
	if err != nil {
		return err
	}
	dir := store.Dir()
	if o.To != "" {
		dir = c.path(o.To)
	}
	repo, err := openRepository(c.ctx, dir)
	if err != nil {
		return err
	}
	if o.Scope, err = c.scopes(); err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	hidden, err := secretRules(c)
	if err != nil {
		return err
	}
	log, err := store.Log().Read()
	if err != nil {
		return err
	}
	result, err := exporting.Notes(c.ctx, repo, snap, log, conf.Settings, hidden, o)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := c.PrintJSON(result); err != nil {
			return err
		}
	} else {
		printer.GitNotes(&c.Printer, result)
	}
	return leftOut(result.Misfits)
}
