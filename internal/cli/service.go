package cli

import (
	"cmp"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/autostart"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/host"
)

func serviceCommand() *command {
	return &command{
		args:    "install|uninstall|status [options]",
		purpose: `run "memory watch" whenever you are logged in`,
		detail: `install writes a systemd user unit, a launchd agent or a scheduled task of
Windows for this workspace. It shows the change first, then activates it and
starts the watcher. Installing it twice changes nothing. A file of that name from
elsewhere is never touched. uninstall stops the watcher and removes the file. If
the system's commands for this are missing, the output says what to run.`,
		example: "memory service install --dry-run",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "print", Usage: "with install: print the unit and do nothing else"},
			&urfave.StringFlag{Name: "for", Usage: "with --print: the unit for `KIND`: systemd, launchd or windows"},
			dryRunFlag(),
		},
		least: 1, most: 1, text: true, run: runService,
		words: func(*call) []string { return []string{"install", "status", "uninstall"} },
	}
}

func runService(c *call) error {
	verb := c.args[0]
	switch verb {
	case "install", "uninstall", "status":
	default:
		return unknownVerb(verb, "install", "uninstall", "status")
	}
	kind, print := c.flags.String("for"), c.flags.Bool("print")
	switch {
	case verb != "install" && print:
		return fail.Usagef("--print belongs to install")
	case verb == "status" && c.flags.Bool("dry-run"):
		return fail.Usagef("status changes nothing: leave out --dry-run")
	case kind != "" && !print:
		return fail.Usagef("--for belongs to --print: another machine's unit can't be installed here")
	}
	dir, err := serviceWorkspace(c, verb == "uninstall")
	if err != nil {
		return err
	}
	s, err := autostart.Find(autostart.Options{Workspace: dir, Format: host.Format(kind), Env: c.Env, Getenv: c.env})
	if err != nil {
		return err
	}
	switch {
	case print:
		c.Printf("%s", s.Text)
		return nil
	case verb == "status":
		return serviceStatus(c, s)
	}
	change, do := serviceChange(c, s), s.Install
	if verb == "uninstall" {
		do = s.Uninstall
	} else if holder, err := c.store.Ops().Watched(); err == nil {
		change.Holder = holder
	}
	doc, err := do(c.ctx, change)
	if c.JSON && err == nil {
		return c.PrintJSON(doc)
	}
	return err
}

// serviceWorkspace is the directory of the workspace; one that is gone will do for taking its unit away.
func serviceWorkspace(c *call, gone bool) (string, error) {
	store, err := c.open()
	switch named := c.flags.String("workspace"); {
	case err == nil:
		return store.Dir(), nil
	case gone && named != "" && fail.Code(err) == fail.ExitNotFound:
		return filepath.Clean(c.path(named)), nil
	}
	return "", err
}

// serviceChange says how the command line wants a unit to be changed, and prints each step.
func serviceChange(c *call, s *autostart.Service) autostart.Change {
	file := term.Printable(c.brief(s.File))
	return autostart.Change{
		DryRun: c.flags.Bool("dry-run"), Stamp: c.at.UTC().Format("20060102T150405Z"),
		Show: func(diff string) error {
			c.Say("%s", term.Printable(diff))
			return c.Out.Flush()
		},
		Tell: func(step autostart.Step) {
			command := term.CommandLine(step.Command)
			switch step.Did {
			case autostart.Wrote:
				if step.Backup == "" {
					c.Say("%s: written\n", file)
				} else {
					c.Say("%s: written; as it was: %s\n", file, term.Printable(filepath.Base(step.Backup)))
				}
			case autostart.Removed:
				c.Say("%s: removed\n", file)
			case autostart.Unchanged:
				c.Say("%s: nothing to change\n", file)
			case autostart.Absent:
				c.Say("%s: there is none\n", file)
			case autostart.WouldChange:
				c.Say("%s: would be changed\n", file)
			case autostart.WouldRun:
				c.Say("would run: %s\n", command)
			case autostart.Ran:
				c.Say("%s: done\n", command)
			case autostart.Missing:
				c.Note("%s is not there; to bring it into force, run:", step.Command[0])
			case autostart.ToRun:
				c.Note("  %s", command)
			case autostart.Watched:
				c.Note("a process watches the workspace already (%s): the unit takes over when that one has ended", step.Holder)
			}
		},
	}
}

// serviceStatus says whether the unit is there, in force, and running.
func serviceStatus(c *call, s *autostart.Service) error {
	holder, err := c.store.Ops().Watched()
	if err != nil {
		return err
	}
	doc := s.Status(c.ctx, holder)
	if c.JSON {
		return c.PrintJSON(doc)
	}
	t := c.Facts()
	t.Fact("workspace", doc.Workspace)
	t.Fact("unit", doc.File)
	state := doc.State
	switch {
	case !doc.Installed:
		t.Fact("installed", `no: "memory service install" would write it`)
		state = "not installed"
	case !doc.Ours:
		t.Fact("installed", "a file of that name is there, and not ours")
	case !doc.Current:
		t.Fact("installed", `yes, not as this version writes it: "memory service install" would renew it`)
	default:
		t.Fact("installed", "yes")
	}
	t.Fact("state", strings.TrimSpace(state))
	t.Fact("watched", cmp.Or(doc.Watched, "by no process"))
	c.Printf("%s", t.Format("", c.Style))
	return nil
}
