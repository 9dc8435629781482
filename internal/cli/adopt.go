package cli

import (
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/adopting"
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
	if c.JSON {
		return c.PrintJSON(found)
	}
	c.Say("%s", adopting.Text(found, c.args[0], c.brief))
	return nil
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
	if c.JSON {
		return c.PrintJSON(left)
	}
	c.Say("%s", adopting.LeavingText(left, c.args[0], apply))
	return nil
}
