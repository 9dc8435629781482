package cli

import (
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/autostart"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func checkCommand() *command {
	return &command{
		args:    "[--fix] | --code [DIR] | --host HOST | --ci [PATH…]",
		purpose: "look for problems in all files",
		detail: `Reads everything and changes nothing. Finds unreadable files, duplicate ids,
indexes that disagree with the files, broken links, a broken log and wrong
settings. The exit code is 3 if one of them is an error. A run that was
interrupted is named alone, because it may be the cause of the rest; --verbose
shows the rest too. --fix first repairs what can be rebuilt: it finishes an
interrupted run, takes over the edges of copies of _edges.json, moves such
copies, those of indexes and damaged derived files aside and rebuilds the
indexes. It deletes nothing and changes no memory. With --dry-run it works on a
copy in the temporary directory, and shows what would be fixed and what is left.

--code also looks for paths, symbols and commits that live memories name and the
repository in DIR, or around the workspace, no longer has. If a file was moved,
git says where it is. These are warnings, and nothing is changed; context and
recall mark such memories until they or the code change.

--host HOST checks only the hooks and the server of a host: whether they are set
up here, whether the host trusts them, and whether they have worked.

--ci needs no workspace. It checks the files that agents read in a repository:
AGENTS.md, CLAUDE.md and their kind, skills, MEMORY.md and its notes, in PATH or
the current directory. It finds dead paths, links and commands, an index beyond
what its host loads, notes without an entry, copies, contradictions, secrets and
hidden text. The exit code is 3 if one finding is a warning or an error.`,
		page:    "troubleshooting.md",
		example: "memory check --fix",
		flags: []urfave.Flag{&urfave.BoolFlag{Name: "fix", Usage: "repair what can be rebuilt, then check"},
			&urfave.StringFlag{Name: "host", Usage: "check the set-up of `HOST`: " + strings.Join(hook.Names(), ", ")},
			&urfave.BoolFlag{Name: "code", Usage: "look for what memories name and the code no longer has"},
			&urfave.BoolFlag{Name: "ci", Usage: "check the files that agents read in a repository"},
			&urfave.StringFlag{Name: "format", Usage: "with --ci: print the findings as `FORMAT`: text, json or sarif"},
			&urfave.StringFlag{Name: "baseline", Usage: "with --ci: leave out what the report in `FILE` lists, which --json wrote"},
			&urfave.StringFlag{Name: "changed-since", Usage: "with --ci: only files that differ from `REVISION` of git"}, dryRunFlag(), waitFlag()},
		least: 0, most: -1, run: runCheck,
	}
}

func runCheck(c *call) (err error) {
	if c.dryRun() && (!c.flags.Bool("fix") || c.flags.Bool("code") || c.flags.Bool("ci") || c.flags.IsSet("host")) {
		return fail.Usagef("--dry-run goes with --fix, without --code, --ci and --host")
	}
	if c.flags.Bool("ci") {
		for _, flag := range []string{"fix", "code", "host"} {
			if c.flags.IsSet(flag) {
				return fail.Usagef("--ci and --%s: choose one", flag)
			}
		}
		return checkFiles(c)
	}
	for _, flag := range []string{"format", "baseline", "changed-since"} {
		if c.flags.IsSet(flag) {
			return fail.Usagef("--%s goes with --ci", flag)
		}
	}
	if len(c.args) > 1 {
		return fail.Usagef("unexpected argument %q", c.args[1])
	}
	if c.flags.IsSet("host") {
		return checkHost(c, c.flags.String("host"))
	}
	if len(c.args) > 0 && !c.flags.Bool("code") {
		hint := `"memory check --code ` + c.args[0] + `" checks memories against the code in a directory, "memory check --ci ` + c.args[0] + `" the files that agents read there`
		if hook.Named(c.args[0]) != nil {
			hint = `did you mean "memory check --host ` + c.args[0] + `"?`
		}
		return fail.WithHint(fail.Usagef("unexpected argument %q", c.args[0]), hint)
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	verb := "fixed"
	if c.dryRun() {
		dir, remove, err := scratch(c, store.Dir(), true)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		if store, err = workspace.Open(dir); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		store.AllowNetwork, verb = true, "would fix" // it is nobody else's
	}
	var fixed []workspace.Fixed
	if c.flags.Bool("fix") {
		line := c.Progress("reading")
		fixed, err = repair.Fix(c.ctx, store, repair.FixOptions{At: c.at, Started: c.started(), Note: c.NoteText})
		line.End()
		if !c.JSON {
			for _, f := range fixed {
				c.Say("%s %s: %s\n", verb, term.Printable(f.File), term.Printable(f.What))
			}
		}
		if err != nil {
			return err
		}
	}
	line := c.Progress("reading")
	defer line.End()
	snap, err := store.Load(c.at)
	if err != nil {
		return err
	}
	o := repair.CheckOptions{Later: c.Verbose, Code: c.flags.Bool("code"), Comparing: func() { line.Now("comparing with the code") }}
	if conf, err := c.settings(); err == nil { // else the check reports it
		o.Settings = &conf.Settings
	}
	o.Program, _ = autostart.Program() // without it git isn't looked at
	if len(c.args) > 0 {
		o.CodeDir = c.path(c.args[0])
	}
	doc, err := repair.Check(c.ctx, store, snap, o)
	line.End()
	if err != nil {
		return err
	}
	doc.Fixed, doc.DryRun = fixed, c.dryRun()
	if doc.DryRun {
		doc.Swap = "" // that of the copy
		c.Say("nothing was written; this would be left:\n")
	}
	if doc.Code != nil && doc.Code.Unasked > 0 {
		c.Note("%s could not be looked for in the history of git", app.Quantity(doc.Code.Unasked, "symbol"))
	}
	return printer.Check(&c.Printer, snap, doc)
}
