package cli

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/installing"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/term"
)

func installCommand() *command {
	return &command{
		args:    "HOST [options]",
		purpose: "add our hooks and MCP server to a coding agent's settings",
		detail: `Changes the settings of the project in the current directory, or your own with
--user. The change is shown first. Other entries stay as they are; a server of
the same name that isn't ours stays, too, and then only hooks are added, unless
--server-name gives ours another name. Files are kept as they were, in
.memory-install, for "memory uninstall". Installing twice changes nothing.`,
		page:    "hosts.md",
		example: "memory install --host claude --dry-run",
		flags: append(hostFlags(),
			&urfave.BoolFlag{Name: "claude-command", Usage: "with claude: also add the command /memory consolidate, which may hide the built-in /memory"},
		),
		most: 1, run: func(c *call) error { return runInstall(c, true) }, words: func(*call) []string { return hook.Names() },
	}
}

func uninstallCommand() *command {
	return &command{
		args:    "HOST [options]",
		purpose: "remove our hooks and MCP server from a coding agent's settings",
		detail: `A file that nobody has changed since "memory install" becomes what it was, byte
for byte. From others only what is ours is removed. Files and directories that
were made by "memory install" go. The change is shown first.`,
		example: "memory uninstall --host claude",
		flags:   hostFlags(),
		most:    1, run: func(c *call) error { return runInstall(c, false) }, words: func(*call) []string { return hook.Names() },
	}
}

func hostFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "host", Usage: "the `HOST`: " + strings.Join(hook.Names(), ", ")},
		&urfave.BoolFlag{Name: "user", Usage: "for all your projects, in your own settings"},
		&urfave.StringFlag{Name: "server-name", Usage: "the `NAME` of the MCP server (memory)"},
		dryRunFlag(),
	}
}

func runInstall(c *call, adding bool) error {
	name, err := hostName(c)
	if err != nil {
		return err
	}
	if adding && c.flags.Bool("claude-command") && name != "claude" {
		return fail.Usagef("--claude-command is for the host claude")
	}
	if err := knownHost(name); err != nil {
		return err
	}
	options := hostOptions(c, name)
	options.User, options.ServerName = c.flags.Bool("user"), c.flags.String("server-name")
	decide := installing.Uninstall
	if adding {
		options.ClaudeCommand, decide = c.flags.Bool("claude-command"), installing.Install
	}
	i, err := decide(options)
	if err != nil {
		return err
	}
	changes := i.Changes()
	if err := showChanges(c, changes); err != nil {
		return err
	}
	if !c.flags.Bool("dry-run") {
		if err := i.Apply(); err != nil {
			return err
		}
	}
	if err := reportChanges(c, changes, name); err != nil {
		return err
	}
	if adding {
		c.Say("\n%s\nTo see whether it works: memory check --host %s\n", i.Trust(), name)
	}
	return nil
}

// hostName is the host that --host or the argument names.
func hostName(c *call) (string, error) {
	name := c.flags.String("host")
	hosts := choice{"host", hook.Names()}
	switch {
	case name == "" && len(c.args) == 0:
		return "", hosts.missing("--host")
	case name == "":
		if meant := hosts.meant(c.args[0]); meant != "" {
			return meant, nil
		}
		return c.args[0], nil
	case len(c.args) > 0 && c.args[0] != name:
		return "", fail.Usagef("--host %s and %q: name one host", name, c.args[0])
	}
	return name, nil
}

// knownHost refuses a name that no host has.
func knownHost(name string) error {
	if !slices.Contains(hook.Names(), name) {
		return choice{"host", hook.Names()}.unknown("--host", name)
	}
	return nil
}

// hostPlace is where hosts are set up and checked.
func hostPlace(c *call) installing.Place {
	return installing.Place{Dir: paths.Dir(c.Dir), Getenv: c.env}
}

// hostOptions set up a host for the project.
func hostOptions(c *call, host string) installing.Options {
	return installing.Options{Place: hostPlace(c), Host: host, Workspace: discover.ForAgents(c.search()), Note: func(text string) { c.Note("%s", text) }}
}

// makeChanges shows what is to be changed, then changes it; stamp goes into the names of backups.
func makeChanges(c *call, changes []*filechange.Change, stamp string) error {
	for _, f := range changes {
		f.Compare()
	}
	if err := showChanges(c, changes); err != nil {
		return err
	}
	for _, f := range changes {
		if f.Changed && !c.flags.Bool("dry-run") {
			if err := f.Write(stamp); err != nil {
				return fmt.Errorf("%s: %w", f.File, err)
			}
		}
	}
	return reportChanges(c, changes, "")
}

// showChanges shows what is to be changed.
func showChanges(c *call, changes []*filechange.Change) error {
	for _, f := range changes {
		c.Say("%s", term.Printable(f.Diff))
	}
	return c.Out.Flush()
}

// reportChanges says what was changed, or would be.
func reportChanges(c *call, changes []*filechange.Change, host string) error {
	dry := c.flags.Bool("dry-run")
	if c.JSON {
		return c.PrintJSON(document.Install{Host: host, Applied: !dry, Files: changes})
	}
	for _, f := range changes {
		what := "written"
		switch {
		case !f.Changed:
			what = "nothing to change"
		case dry:
			what = "would be changed"
		case f.Removed:
			what = "removed"
		case f.Backup != "":
			what = "changed; as it was: " + term.Printable(c.brief(f.Backup))
		case f.Before != nil:
			what = "changed"
		}
		c.Say("%s: %s\n", term.Printable(c.brief(f.File)), what)
	}
	return nil
}
