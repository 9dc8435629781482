package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/importing"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/foreign"
)

func importCommand() *command {
	return &command{
		args:    "PATH [--format FORMAT] [--scope SCOPE] [--dry-run]",
		purpose: "import the memories of another tool",
		detail: `PATH is a file or a directory of one of these formats:

  mcp                 memory.jsonl of the MCP reference server
  jsonl, json         JSON Lines; JSON
  markdown            Markdown with or without front matter
  claude              the auto memory of Claude Code, with MEMORY.md
  memory-tool         the folder of Anthropic's memory tool
  mcp-memory-service  its JSON export
  claude-mem          its JSON export
  engram              its JSON export
  basic-memory        a folder of its notes
  beads               the folder .beads, or a JSON Lines export

The format is detected; --format overrides it. Nothing in PATH is changed.
Importing the same again changes nothing. What was edited there since then is
updated here, unless it was edited here too. Records with a secret are refused. A
record that says what a memory says is not imported; if it says more, the memory
gets its text. One that is similar, or says that it corrects a memory, is
imported and flagged for "memory review". Members without a place in a memory are
kept in its metadata or its content, or reported. The exit code is 3 if something
could not be imported.

The author is whom a record names, else the tool or agent of the format. What is
imported has not been neglected here: for "archive" its clocks start now, and it
is not stale for 90 days. The end says what the first run would do, and what the
rules leave unchanged. The workspace's own files in PATH are left out. So are, in
a directory without --format, what git ignores, node_modules, vendor, dist, and
JSON without an id or a text.
"memory undo" takes the import back. "memory export" writes the same bytes back
if nothing was edited; what was imported from the last five comes back
with --format json, markdown or jsonl.`,
		page:    "import-export.md",
		example: "memory import ~/.claude/projects/shop/memory --scope project:shop --dry-run",
		flags: []urfave.Flag{
			formatFlag("format", "read it as `FORMAT`", foreign.Formats()),
			scopeFlag("for whom they are, `SCOPE`: global, team:NAME, agent:NAME, project:NAME or session:NAME [the project that a record names, else global]"),
			&urfave.StringFlag{Name: "by", Usage: "who wrote them, `WHO` [whom the record names, else the tool or agent that has the format, else \"import\"]"},
			&urfave.StringFlag{Name: "store", Usage: "know the store as `NAME`, wherever it lies [its directory]"},
			redactFlag(), allowSecretFlag(),
		},
		least: 1, most: 1, writes: true, run: runImport,
	}
}

func runImport(c *call) error {
	read := importing.ReadOptions{
		Path: c.args[0], Dir: paths.Dir(c.Dir), Format: foreign.Format(c.flags.String("format")), Store: c.flags.String("store"), At: c.at, Note: c.NoteText,
	}
	o := importing.RunOptions{DryRun: c.flags.Bool("dry-run"), Started: c.started(), Clock: clock, Comparing: c.comparing, Note: c.NoteText}
	o.By, o.Redact, o.AllowSecret = c.flags.String("by"), c.flags.Bool("redact"), c.flags.Bool("allow-secret")
	if scope, err := c.oneScope(); err != nil {
		return err
	} else if scope != nil {
		o.Scope = *scope
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	read.Home = store.Dir()
	source, err := importing.Read(c.ctx, read)
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if o.Secrets, err = secretRules(c); err != nil {
		return err
	}
	o.Settings = c.conf.Settings
	line := c.Progress("importing")
	defer line.End()
	o.Progress = func(how string, done int) error {
		line.At(fmt.Sprintf("%s of %s %s", app.Thousands(done), app.Quantity(len(source.Records), "record"), how))
		return c.ctx.Err()
	}
	result, err := importing.Run(c.ctx, store, snap, source, o)
	if err != nil {
		return err
	}
	if result.Commit != nil {
		printer.Warnings(&c.Printer, result.Commit)
	}
	if c.JSON {
		if err := c.PrintJSON(result); err != nil {
			return err
		}
	} else {
		printer.Imported(&c.Printer, result)
	}
	if err := commit.Conflict(result.Commit); err != nil {
		return err
	}
	if !result.Complete() {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}
