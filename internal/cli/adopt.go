package cli

import (
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/adopting"
	"github.com/memoryd/memoryd/internal/printer"
)

func adoptCommand() *command {
	return &command{
		args:    "[DIR] [options]",
		purpose: "tend a host's folder of Markdown notes in place",
		detail: `It says what the folder is, what its host can't see today, and what the first run
would do. With --apply the folder gets a hidden directory .memory, and is a
workspace: "plan", "consolidate" and "undo" work there. That changes no note.
A run merges copies, gives every note an entry in the host's index and stays below
what the host loads. A note that nobody was seen to read is not archived for that.
With --find it lists the folders of hosts in your home and in this project.`,
		example: "memory adopt ~/.claude/projects/app/memory --apply",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "apply", Usage: "do it; without this nothing is written"},
			&urfave.BoolFlag{Name: "find", Usage: "list the folders that hosts keep, and write nothing"},
			&urfave.StringFlag{Name: "as", Usage: "the folder is of this `LAYOUT`"},
		},
		most: 1, run: runAdopt,
	}
}

func runAdopt(c *call) error {
	if find := c.flags.Bool("find"); find && len(c.args) > 0 || !find && len(c.args) == 0 {
		return fail.Errorf(fail.ExitUsage, "name one folder, or list those that there are: memory adopt --find")
	} else if find {
		return printFolders(c, "No host keeps a folder of notes in this project or in your home, as far as their names tell.", adopting.Find(c.search().Home(), c.path("."), c.at))
	}
	found, err := adopting.Adopt(c.ctx, c.path(c.args[0]), c.flags.String("as"), c.flags.Bool("apply"), c.at, clock)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.PrintJSON(found)
	}
	printer.Adopted(&c.Printer, found, c.args[0], c.brief)
	return nil
}

// printFolders lists folders of hosts; none is what it says where there are none.
func printFolders(c *call, none string, all []adopting.Folder) error {
	if c.JSON {
		return c.PrintJSON(append([]adopting.Folder{}, all...))
	}
	if len(all) == 0 {
		c.Say("%s\n", none)
	}
	printer.Folders(&c.Printer, all, c.brief)
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
	printer.Unadopted(&c.Printer, left, c.args[0], apply)
	return nil
}
