package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/adopting"
	"github.com/memoryd/memoryd/internal/op/creating"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/rules"
)

func initCommand() *command {
	return &command{
		args:    "[DIR] [options]",
		purpose: "make a folder for memories, and connect the agents found",
		detail: `DIR is ./memory if it isn't given, or ./.memory if ./memory is something else,
such as a package of a program. Nothing is overwritten. A folder that has settings
is left as it is. A folder that has memories only gets settings: they count as
arrived now, so that none is stale for 90 days ("archive.arrived"). Then init says
what "check" finds, what the first run would do, and what the rules leave
unchanged. Hosts of agents that are found in the project or on the PATH can be
set up in the same step, as "memory install" does it: on a terminal you are asked
once.`,
		example: "memory init --preset careful",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "yes", Usage: "set up the hosts that are found, without asking"},
			&urfave.BoolFlag{Name: "no-hosts", Usage: "set up no host, and don't look for any"},
			&urfave.StringFlag{Name: "preset", Usage: "settings to begin with, `PRESET`: seed (the rules as written), careful (archive nothing used in the last 90 days) or subcog (scores and tiers as subcog has them)", Value: "seed"},
			dryRunFlag(),
		},
		most: 1, run: runInit,
	}
}

func runInit(c *call) (err error) {
	dir := initDir(c)
	in := dir
	if c.dryRun() && !discover.HasSettings(dir) {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file: name a directory", c.brief(dir))
		}
		var remove func() error
		if in, remove, err = scratch(c, dir, true); err != nil {
			return err
		}
		defer func() {
			if c.store != nil {
				err = errors.Join(err, c.store.Close())
				c.store = nil
			}
			err = errors.Join(err, remove())
		}()
	}
	made, err := creating.Make(in, c.flags.String("preset"), c.at)
	if made != nil {
		c.store = made.Store // which is closed at the end
	}
	if err != nil {
		return err
	}
	what := "is a workspace now"
	switch {
	case made.Store == nil:
		what = "is a workspace already: left as it is"
	case made.Held > 0 && c.dryRun():
		what = fmt.Sprintf("holds %s: would get settings, and nothing else would be changed", app.Quantity(made.Held, "memory"))
	case made.Held > 0:
		what = fmt.Sprintf("holds %s: added settings, changed nothing else", app.Quantity(made.Held, "memory"))
	case c.dryRun():
		what = "would be a workspace"
	}
	var found *document.InitCheck
	if made.Held > 0 || made.Broken {
		_, snap, err := c.load()
		if err != nil {
			return err
		}
		secret, err := secretRules(c)
		if err != nil {
			return err
		}
		if found, err = creating.Look(c.store, snap, rules.Request{Settings: c.conf.Settings, Secrets: secret, Progress: c.comparing}, clock); err != nil {
			return err
		}
	}
	return initialised(c, dir, made.Created, what, found)
}

// initDir is the directory to make: the argument, --workspace, or what [creating.Dir] chooses.
func initDir(c *call) string {
	switch {
	case len(c.args) > 0:
		return c.path(c.args[0])
	case c.flags.String("workspace") != "":
		return c.path(c.flags.String("workspace"))
	}
	dir, other := creating.Dir(paths.Dir(c.Dir))
	if other != "" {
		c.Note("%s is not a folder of memories, it holds %s: the workspace is %s", c.brief(c.path("memory")), other, discover.HiddenName)
	}
	return dir
}

func initialised(c *call, dir string, made []string, what string, found *document.InitCheck) error {
	c.Say("%s %s\n", term.Printable(c.brief(dir)), what)
	if c.dryRun() {
		for _, name := range made {
			c.Say("  would make %s\n", name)
		}
	}
	switch {
	case found == nil:
	case c.dryRun():
		c.Say("problems: %d, warnings: %d\n%s\n", found.Errors, found.Warnings, firstrun.Text(found.First))
	default:
		c.Say("%s\n", creating.Text(found))
		printer.FirstRun(&c.Printer, found.First)
	}
	hosts, err := offerHosts(c, dir)
	if c.JSON {
		doc := document.Init{Workspace: dir, Files: made, Message: what, Hosts: []document.FoundHost{}, Found: found, DryRun: c.dryRun()}
		for _, h := range hosts {
			doc.Hosts = append(doc.Hosts, h.FoundHost)
		}
		return errors.Join(c.PrintJSON(doc), err)
	}
	if c.dryRun() {
		c.Say("nothing was written\n")
		return err
	}
	if len(made) > 0 {
		connect := "memory install --host HOST    connect an agent: " + strings.Join(hook.Names(), ", ")
		for _, h := range hosts {
			if h.Installed {
				connect = fmt.Sprintf("memory check --host %-8s   after a session: see whether it works", h.Host)
				break
			}
		}
		c.Say(`
What now:
  memory add "…"                write a memory
  %s
  memory plan                   see what consolidation would do
`, connect)
		c.Say("%s", adopting.Pointer(c.search().Home(), c.path("."), c.brief))
	}
	return err
}
