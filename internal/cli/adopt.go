package cli

import (
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/adopting"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/layout"
)

func adoptCommand() *command {
	return &command{
		args:    "DIR [options]",
		purpose: "tend a host's folder of Markdown notes in place",
		detail: `It says what the folder is, what its host can't see today, and what the first run
would do. With --apply the folder gets a hidden directory .memory, and is a
workspace: "plan", "consolidate" and "undo" work there. That changes no note.
A run merges copies, gives every note an entry in the host's index and stays below
what the host loads. A note that nobody was seen to read is not archived for that.`,
		example: "memory adopt ~/.claude/projects/app/memory --apply",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "apply", Usage: "do it; without this nothing is written"},
			&urfave.StringFlag{Name: "as", Usage: "the folder is of this `LAYOUT`"},
		},
		least: 1, most: 1, run: runAdopt,
	}
}

func runAdopt(c *call) error {
	found, err := adopting.Adopt(c.ctx, c.path(c.args[0]), c.flags.String("as"), c.flags.Bool("apply"), c.at, clock)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(found)
	}
	c.say("%s: %s (%s), %s\n", term.Printable(c.brief(found.Dir)), found.Host, found.Why, levelText(found.Level))
	c.say("  %s", quantity(found.Notes, "note"))
	if found.Copies > 0 {
		c.say(", %s", quantity(found.Copies, "exact copy"))
	}
	c.say("\n")
	if found.Index != "" {
		c.say("  %s: %s, %s characters, %d %% of what the host loads\n", found.Index, quantity(found.Lines, "line"), thousands(found.Units), found.Share)
		c.say("  %s in it that the host doesn't load, %s without an entry, %s\n", quantity(len(found.Hidden), "note"), quantity(len(found.Orphans), "note"), quantity(len(found.Dead), "dead link"))
	}
	if len(found.Unseen) > 0 {
		c.say("  %s without a type, which the host doesn't list\n", quantity(len(found.Unseen), "note"))
	}
	for _, r := range found.Refused {
		c.say("  left alone: %s\n", term.Printable(r))
	}
	switch {
	case found.Applied:
		c.say("It is a workspace now; no note was changed. In that folder:\n  memory plan           see what consolidation would do\n  memory consolidate    do it\n  memory unadopt .      give the folder back as it was\n")
	case found.Adopted:
		c.say("It is adopted already.\n")
	case found.Level != layout.Tend:
		c.say("The host keeps it, so memoryd doesn't change it. To search it: memory import\n")
	default:
		printFirstRun(&c.printer, found.First)
		c.say("Nothing was written. To do it: memory adopt %s --apply\n", term.Printable(c.args[0]))
	}
	return nil
}

func levelText(l layout.Level) string {
	switch l {
	case layout.Tend:
		return "notes and index are tended"
	case layout.Entries:
		return "one file of several memories"
	}
	return "only read"
}

func unadoptCommand() *command {
	return &command{
		args:    "DIR [options]",
		purpose: "give an adopted folder back as it was",
		detail: `Every file that memoryd changed or archived, and that nobody changed since, has
its bytes, mode and time of before again. Files that somebody else changed are
listed and left. The hidden directory is moved to $XDG_STATE_HOME/memoryd/left.`,
		example: "memory unadopt ~/.claude/projects/app/memory --apply",
		flags:   []urfave.Flag{&urfave.BoolFlag{Name: "apply", Usage: "do it; without this nothing is written"}},
		least:   1, most: 1, run: runUnadopt,
	}
}

func runUnadopt(c *call) error {
	apply := c.flags.Bool("apply")
	state := c.env("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(c.env("HOME"), ".local", "state")
	}
	left, err := adopting.Unadopt(c.path(c.args[0]), state, apply, c.at)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(left)
	}
	would := ""
	if !apply {
		would = "would be "
	}
	c.say("%s %srestored, %s of memoryd %sremoved, %s left that somebody else changed\n", quantity(len(left.Restored), "file"), would, quantity(len(left.Removed), "file"), would, quantity(len(left.Left), "file"))
	for _, name := range left.Left {
		c.say("  left: %s\n", term.Printable(name))
	}
	if !apply {
		c.say("Nothing was written. To do it: memory unadopt %s --apply\n", term.Printable(c.args[0]))
	}
	return nil
}
