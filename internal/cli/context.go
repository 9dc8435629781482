package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/host"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func contextCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "print the memories that an agent should know at the start of a session",
		detail: `Hot memories come first, then warm ones, by relevance to --query or else by
score. The block never exceeds the token budget. With --into it is written to a
file such as CLAUDE.md, AGENTS.md or GEMINI.md, as one marked block. All other
bytes of the file stay, and a backup is kept next to it. The memories count as
given, not as read: that keeps them from the archive as long as it goes on, and
nothing else. "memory receipts" shows what was given to whom.`,
		example: "memory context --query \"deploy the shop\" --budget 2000",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "agent", Usage: "for `AGENT`: what is everybody's, its team's and its own [MEMORY_AGENT]"},
			&urfave.StringFlag{Name: "project", Usage: "for `PROJECT`, a name or a directory"},
			&urfave.StringFlag{Name: "session", Usage: "for the session `ID`: its own notes too, and a receipt"},
			&urfave.StringFlag{Name: "query", Usage: "what the work is about: `TEXT`"},
			&urfave.IntFlag{Name: "budget", Usage: "take at most `N` tokens", DefaultText: "context.token_budget, 4000"},
			&urfave.StringFlag{Name: "format", Usage: "`FORMAT`: xml, markdown or json", DefaultText: "xml; markdown with --into"},
			&urfave.StringFlag{Name: "into", Usage: "write it to `FILE`, in place of the block there"},
			&urfave.BoolFlag{Name: "clear", Usage: "with --into: remove the block from the file"},
			&urfave.BoolFlag{Name: "no-count", Usage: "don't note the memories as given"},
			dryRunFlag(),
		},
		text: true, run: runContext,
	}
}

func runContext(c *call) error {
	into := c.flags.String("into")
	if into == "" && (c.flags.Bool("clear") || c.flags.Bool("dry-run")) {
		return fail.Usagef("--clear and --dry-run go with --into FILE")
	}
	if into != "" && c.flags.Bool("clear") {
		return putBlock(c, into, "", briefing.Block{}, briefing.Request{})
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	if c.flags.IsSet("budget") {
		if err := conf.Override("context.token_budget", fmt.Sprint(c.flags.Int("budget")), "flag --budget"); err != nil {
			return fail.Usagef("%w", err)
		}
	}
	request := briefing.Request{Format: briefing.XML, Tokens: conf.Context.TokenBudget, Chars: conf.Context.MaxChars, Grows: true}
	switch name := c.flags.String("format"); {
	case name != "":
		request.Format = briefing.Format(name)
	case into != "":
		request.Format = briefing.Markdown
	}
	if into != "" && (c.JSON || request.Format == briefing.JSON) {
		return fail.Usagef("--into: a file for agents is text: take --format markdown or xml")
	}
	if into != "" || c.flags.IsSet("budget") {
		request.Chars = 0 // no host cuts that off
	}
	if into != "" {
		// The budget is for the block with its marks and line ends, as it will stand.
		before, err := filechange.Read(c.path(into))
		if err != nil {
			return fmt.Errorf("--into: %w", err)
		}
		request.Embed = func(text string) string { return host.BlockIn(before, marked(text, request.Format)) }
	}
	line := c.Progress("reading")
	defer line.End()
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	who := app.Asker{Agent: cmp.Or(c.flags.String("agent"), c.env("MEMORY_AGENT")), Project: cmp.Or(c.flags.String("project"), discover.ProjectDir(c.search())), Session: c.flags.String("session"), Query: c.flags.String("query")}
	request.Outdated = app.ReadMarks(store).Of
	block, request, err := app.MakeBlock(snap, wordsOf(c, store), conf.Settings, who, request, nil)
	if err != nil {
		return err
	}
	line.End()
	if into != "" {
		return putBlock(c, into, marked(block.Text, request.Format), block, request)
	}
	if block.Text == "" {
		c.Note("no memory is hot or warm, or fits into the budget")
		switch {
		case c.JSON:
			return c.PrintJSON(document.NewContext(block))
		case request.Format == briefing.JSON:
			c.Printf("%s", request.Empty())
		}
		return nil
	}
	if !c.JSON {
		c.Printf("%s", block.Text)
	} else if err := c.PrintJSON(document.NewContext(block)); err != nil {
		return err
	}
	noteGiven(c, who.Session, block)
	if who.Session == "" {
		return nil
	}
	receipt := briefing.ReceiptOf(block, request, briefing.AtShow)
	receipt.Session = who.Session
	return app.KeepReceipt(store, receipt)
}

// noteGiven notes that an agent was given the memories of a block. That it can't is no reason
// not to give them.
func noteGiven(c *call, session string, block briefing.Block) {
	if c.flags.Bool("no-count") || len(block.Given) == 0 {
		return
	}
	err := c.store.Ops().NoteGiven(ops.Use{At: c.at, Session: session, From: c.cmd.name}, block.IDs()...)
	if err != nil && c.Verbose {
		c.Note("%v", err)
	}
}

// wordsOf opens the index of words for a context block, and saves it for the next one.
func wordsOf(c *call, store *workspace.FileStore) app.OpenIndex {
	return func(snap *memory.Snapshot) (*recall.Searcher, error) {
		words, err := recall.Open(store.Cache(), snap, 0)
		if err == nil {
			saveWords(&c.Printer, store, snap, words)
		}
		return words, err
	}
}

// marked puts the lines around a block by which it is found in a file.
func marked(text string, format briefing.Format) string {
	if text == "" || format == briefing.Markdown {
		return text
	}
	_, version, _ := strings.Cut(text, ` version="`)
	version, _, _ = strings.Cut(version, `"`)
	return fmt.Sprintf("<!-- %s begin version=%s -->\n%s<!-- %s end -->\n", briefing.Tag, version, text, briefing.Tag)
}

// putBlock makes a block the one in a file; an empty one is none.
func putBlock(c *call, name, text string, block briefing.Block, request briefing.Request) error {
	file := c.path(name)
	before, err := filechange.Read(file)
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	after, err := host.PutBlock(before, text)
	if err != nil {
		return fail.WithHint(fmt.Errorf("--into %s: %w", name, err), "nothing was changed")
	}
	change := &filechange.Change{File: file, Before: before, After: after}
	switch {
	case before == nil && len(after) == 0:
		c.Note("nothing to put into %s", name)
		return nil
	case block.Text == "" && !c.flags.Bool("clear"):
		c.Note("no memory is hot or warm: the file has no block")
	}
	if before != nil && change.After == nil {
		change.After = []byte{}
	}
	changed := before == nil || string(before) != string(after)
	stamp := "context-" + c.at.UTC().Format("20060102T150405Z")
	if err := makeChanges(c, []*filechange.Change{change}, stamp); err != nil {
		return err
	}
	if c.flags.Bool("dry-run") {
		return nil
	}
	noteGiven(c, c.flags.String("session"), block)
	if !changed {
		return nil
	}
	if change.Backup != "" {
		if err := onlyBackup(change.Backup); err != nil {
			return err
		}
	}
	if len(block.Given) == 0 {
		return nil
	}
	receipt := briefing.ReceiptOf(block, request, briefing.IntoFile)
	receipt.Session, receipt.File = c.flags.String("session"), c.brief(file)
	return app.KeepReceipt(c.store, receipt)
}

// onlyBackup removes the earlier backups that putting blocks has made of a file: they
// would grow in number with every session. The one before the last change stays.
func onlyBackup(kept string) error {
	dir, base := filepath.Split(kept)
	prefix := base[:strings.LastIndex(base, filechange.BackupMark)] + filechange.BackupMark + "context-"
	for _, name := range filechange.Backups(strings.TrimSuffix(dir+prefix, filechange.BackupMark+"context-")) {
		if strings.HasPrefix(name, prefix) && name != base {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
