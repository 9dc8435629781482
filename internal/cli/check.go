package cli

import (
	"cmp"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/autostart"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func checkCommand() *command {
	return &command{
		args:    "[--fix] | --code [DIR] | --host HOST",
		purpose: "look for problems in all files",
		detail: `Reads everything and changes nothing. Finds unreadable files, duplicate ids,
indexes that disagree with the files, broken links, a broken log and wrong
settings. The exit code is 3 if one of them is an error. A run that was
interrupted is named alone, because it may be the cause of the rest; --verbose
shows the rest too. --fix first repairs what can be rebuilt: it finishes an
interrupted run, takes over the edges of copies of _edges.json, moves such
copies, those of indexes and damaged derived files aside and rebuilds the
indexes. It deletes nothing and changes no memory.

--code also looks for paths, symbols and commits that live memories name and the
repository in DIR, or around the workspace, no longer has. If a file was moved,
git says where it is. These are warnings, and nothing is changed; context and
recall mark such memories until they or the code change.

--host HOST checks only the hooks and the server of a host: whether they are set
up here, whether the host trusts them, and whether they have worked.`,
		page:    "troubleshooting.md",
		example: "memory check --fix",
		flags: []urfave.Flag{&urfave.BoolFlag{Name: "fix", Usage: "repair what can be rebuilt, then check"},
			&urfave.StringFlag{Name: "host", Usage: "check the set-up of `HOST`: " + strings.Join(hook.Names(), ", ")},
			&urfave.BoolFlag{Name: "code", Usage: "look for what memories name and the code no longer has"}, waitFlag()},
		least: 0, most: 1, run: runCheck,
	}
}

func runCheck(c *call) error {
	if c.flags.IsSet("host") {
		return checkHost(c, c.flags.String("host"))
	}
	if len(c.args) > 0 && !c.flags.Bool("code") {
		hint := `"memory check --code ` + c.args[0] + `" checks memories against the code in a directory`
		if hook.Named(c.args[0]) != nil {
			hint = `did you mean "memory check --host ` + c.args[0] + `"?`
		}
		return fail.WithHint(fail.Usagef("unexpected argument %q", c.args[0]), hint)
	}
	var fixed []workspace.Fixed
	if c.flags.Bool("fix") {
		store, err := c.open()
		if err != nil {
			return err
		}
		line := c.progress("reading")
		fixed, err = repair.Fix(c.ctx, store, repair.FixOptions{At: c.at, Started: c.started(), Note: c.noteText})
		line.end()
		if !c.json {
			for _, f := range fixed {
				c.say("fixed %s: %s\n", term.Printable(f.File), term.Printable(f.What))
			}
		}
		if err != nil {
			return err
		}
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	line := c.progress("reading")
	defer line.end()
	snap, err := store.Load(c.at)
	if err != nil {
		return err
	}
	o := repair.CheckOptions{Later: c.verbose, Code: c.flags.Bool("code"), Comparing: func() { line.now("comparing with the code") }}
	if conf, err := c.settings(); err == nil { // else the check reports it
		o.Settings = &conf.Settings
	}
	o.Program, _ = autostart.Program() // without it git isn't looked at
	if len(c.args) > 0 {
		o.CodeDir = c.path(c.args[0])
	}
	doc, err := repair.Check(c.ctx, store, snap, o)
	line.end()
	if err != nil {
		return err
	}
	doc.Fixed = fixed
	if doc.Code != nil && doc.Code.Unasked > 0 {
		c.note("%s could not be looked for in the history of git", quantity(doc.Code.Unasked, "symbol"))
	}
	return printCheck(&c.printer, snap, doc)
}

// printCheck prints what a check has found. That there are errors is its [fail.Outcome].
func printCheck(p *printer, snap *memory.Snapshot, doc *document.Check) error {
	if p.json {
		if err := p.printJSON(doc); err != nil {
			return err
		}
	} else {
		printFindings(p, snap, doc)
	}
	if doc.Errors > 0 {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

func printFindings(p *printer, snap *memory.Snapshot, doc *document.Check) {
	printProblems(p, snap, doc.Problems)
	if doc.Later > 0 {
		p.say("%s may come of it: --verbose shows them\n", quantity(doc.Later, "other problem"))
	}
	for _, name := range doc.Behind {
		p.say("%s is behind the newest saves: the next command that writes brings it up to date\n", term.Printable(name))
	}
	if doc.Swap != "" {
		p.say("atomic file replacement: %s\n", cmp.Or(swapLimit[doc.Swap], "supported"))
	}
}

// swapLimit says what a lesser way of replacing files costs.
var swapLimit = map[string]string{
	"link":   "by hard links: this file system has no atomic exchange, so a file that an editor renames into place in the same instant can be lost",
	"rename": "by renaming: this file system has neither atomic exchange nor hard links, so what an editor writes in the same instant can be lost",
}

// printProblems prints what check found, grouped by file.
func printProblems(p *printer, snap *memory.Snapshot, problems []memory.Problem) {
	files := map[string]bool{}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			files[m.File] = true
		}
	}
	held := quantity(len(snap.Memories())+len(snap.Archived()), "memory") + " in " + quantity(len(files), "file")
	if len(problems) == 0 {
		p.say("clean: %s\n", held)
		return
	}
	last := ""
	for i, found := range problems {
		if found.File != last || i == 0 {
			if i > 0 {
				p.printf("\n")
			}
			p.printf("%s\n", p.style.Bold(term.Printable(cmp.Or(found.File, "workspace"))))
			last = found.File
		}
		p.printf("  %s %s%s\n", severity(p, found.Severity), term.Printable(where(found)), term.Printable(found.Message))
		again := i+1 < len(problems) && problems[i+1].File == found.File && problems[i+1].Hint == found.Hint
		if found.Hint != "" && !again {
			p.printf("          %s\n", p.style.Dim(term.Printable(found.Hint)))
		}
	}
	errors, warnings := document.CountProblems(problems)
	p.say("\n%s, %s; %s\n", quantity(errors, "error"), quantity(warnings, "warning"), held)
}

// where returns the prefix of a problem's message: its id and place, unless the message
// names them itself.
func where(p memory.Problem) (text string) {
	if p.ID != "" && !strings.Contains(p.Message, p.ID) {
		text = p.ID + ": "
	}
	for _, part := range strings.Fields(p.Place) {
		if !strings.Contains(p.Message, part) {
			text += part + ": "
		}
	}
	return text
}

func severity(p *printer, word string) string {
	padded := pad(word, len(memory.Warning))
	if word == memory.Error {
		return p.style.Red(padded)
	}
	return p.style.Yellow(padded)
}
