package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/importing"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
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
		Path: c.args[0], Dir: paths.Dir(c.Dir), Format: foreign.Format(c.flags.String("format")), Store: c.flags.String("store"), At: c.at, Note: c.noteText,
	}
	o := importing.RunOptions{DryRun: c.flags.Bool("dry-run"), Started: c.started(), Clock: clock, Comparing: c.comparing, Note: c.noteText}
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
	line := c.progress("importing")
	defer line.end()
	o.Progress = func(how string, done int) error {
		line.at(fmt.Sprintf("%s of %s %s", thousands(done), quantity(len(source.Records), "record"), how))
		return c.ctx.Err()
	}
	result, err := importing.Run(c.ctx, store, snap, source, o)
	if err != nil {
		return err
	}
	if result.Commit != nil {
		warn(&c.printer, result.Commit)
	}
	if c.json {
		if err := c.printJSON(result); err != nil {
			return err
		}
	} else {
		printImport(&c.printer, result)
	}
	if err := commit.Conflict(result.Commit); err != nil {
		return err
	}
	if !result.Complete() {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

// saysWords tells how a record stands to the memory that it was not imported beside.
func saysWords(item *document.ImportItem) string {
	switch {
	case item.Says == rules.SaysLess:
		return " (which says more)"
	case item.Says == rules.SaysMore && slices.Contains(item.Gained, memory.VariantsKey):
		return " (which said it in other words, and has its text now)"
	case item.Says == rules.SaysMore:
		return " (which said part of it, and has its text now)"
	}
	return ""
}

func printImport(p *printer, doc *importing.Result) {
	flagged := 0
	for _, item := range doc.Items {
		switch item.Status {
		case importing.Imported, importing.Updated:
			p.printf("%-9s  %s  %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place))
			for _, f := range item.Redacted {
				p.say("           redacted: %s\n", term.Printable(f.String()))
			}
			if item.PairID != "" {
				flagged++
				p.say("           flagged with %s (%s)\n", term.Printable(item.With), term.Printable(reasonWords(item.Reason)))
			} else if item.Reason != "" {
				p.say("           %s\n", term.Printable(item.Reason))
			}
		case importing.Equal, saving.Merged:
			p.printf("%-9s  %s  %s%s\n", item.Status, term.Printable(item.With), term.Printable(item.Place), saysWords(&item))
			if len(item.Gained) > 0 {
				p.say("           it gained: %s\n", term.Printable(strings.Join(item.Gained, ", ")))
			}
			if item.Reason != "" {
				p.say("           %s\n", term.Printable(item.Reason))
			}
		case importing.Kept:
			p.printf("%-9s  %s  %s: %s\n", item.Status, term.Printable(item.ID), term.Printable(item.Place), term.Printable(item.Reason))
		case importing.Refused:
			p.printf("%-9s  %s: %s\n", item.Status, term.Printable(item.Place), term.Printable(strings.ReplaceAll(item.Reason, "\n", "; ")))
		}
	}
	for _, m := range doc.LeftOut {
		how := "left out"
		if !m.LeftOut { // a part of it
			how = "in part"
		}
		p.printf("%-9s  %s: %s\n", how, term.Printable(m.Place), term.Printable(m.What))
	}
	var parts []string
	for _, status := range []string{importing.Imported, importing.Updated, importing.Unchanged, importing.Equal, saving.Merged, importing.Kept, importing.Refused} {
		if n := doc.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if flagged > 0 {
		parts = append(parts, fmt.Sprintf("%d flagged for \"memory review\"", flagged))
	}
	whole := slices.DeleteFunc(slices.Clone(doc.LeftOut), func(m foreign.Misfit) bool { return !m.LeftOut })
	if n := len(whole); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", n))
	}
	p.say("%s", cmp.Or(strings.Join(parts, ", "), "nothing to import"))
	switch {
	case doc.DryRun:
		p.say("; nothing was written")
	case doc.RunID != "":
		p.say("; to take it back: memory undo %s", doc.RunID)
	}
	p.say("\n")
	if doc.DryRun && doc.Counts[importing.Imported]+doc.Counts[importing.Updated]+doc.Counts[saving.Merged] > 0 || doc.RunID != "" {
		printFirstRun(p, doc.First)
	}
}
