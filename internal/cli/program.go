package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Program is a program with a command line: what it is called, its commands, and the options that each of them takes.
type Program struct {
	name     string
	moreHelp string // what lists the options of every command
	commands commandTable
	flags    func() []urfave.Flag // of every command
	overview func(*call)          // prints the first page of help
}

// memoryProgram is "memory".
func memoryProgram() *Program {
	return &Program{name: "memory", moreHelp: "memory help --all", commands: commands(), flags: globalFlags, overview: overview}
}

// NewProgram is another program: its command line is read, completed, explained and reported as that of "memory" is.
func NewProgram(name, purpose string, commands []Command) *Program {
	p := &Program{name: name, moreHelp: name + " help", flags: otherFlags}
	for _, cmd := range commands {
		p.commands = append(p.commands, entry{cmd.Name, groupFirst, cmd.build})
	}
	p.commands = append(p.commands, entry{"version", groupFirst, func() *command {
		cmd := versionCommand()
		cmd.example = name + " version"
		return cmd
	}}, entry{"help", groupFirst, func() *command {
		cmd := helpCommand()
		cmd.args, cmd.purpose, cmd.detail, cmd.flags = "[COMMAND]", "explain a command", "", nil
		cmd.example = name + " help " + commands[0].Name
		return cmd
	}})
	p.overview = func(c *call) {
		c.Printf("%s: %s\n\nUsage:\n  %s COMMAND [options]\n\n%s", c.Style.Bold(name), purpose, name, p.commands.inGroup(groupFirst).Format("  ", c.Style))
		c.Printf("\n\"%s help COMMAND\" says what a command does.\n\nOptions of every command:\n%s", name, flagTable(p.flags()).Format("  ", c.Style))
	}
	return p
}

// otherFlags are the options of every command of a program that works on no folder.
func otherFlags() []urfave.Flag {
	var flags []urfave.Flag
	for _, f := range globalFlags() {
		if f.Names()[0] != "workspace" {
			flags = append(flags, f)
		}
	}
	return flags
}

// everyCommand says which options a command takes besides its own.
func (p *Program) everyCommand(cmd *command) string {
	var names []string
	for _, f := range p.flags() {
		if name := f.Names()[0]; name != "json" || !cmd.textOnly {
			names = append(names, "--"+name)
		}
	}
	last := len(names) - 1
	list := strings.Join(names[:last], ", ") + " and " + names[last]
	see := fmt.Sprintf("%q", p.moreHelp)
	if cmd.textOnly {
		return "It prints text and takes no --json. For " + list + " see " + see + "."
	}
	return "Every command takes " + list + ": see " + see + "."
}

// Command is a command of a program other than "memory".
type Command struct {
	Name    string
	Args    string // what follows the name in the usage line
	Purpose string // one line
	Detail  string // more about it, wrapped by hand
	Page    string // of the documentation
	Example string
	Flags   []urfave.Flag
	// Least and Most are how many arguments it takes; Most < 0: any number.
	Least, Most int
	Stays       bool // it goes on for hours
	TextOnly    bool // it has no form for --json
	Run         func(*Context) error
	Words       []string // what the first argument may be, for completion
}

func (c Command) build() *command {
	return &command{
		args: c.Args, purpose: c.Purpose, detail: c.Detail, page: c.Page, example: c.Example, flags: c.Flags, least: c.Least, most: c.Most,
		stays: c.Stays, textOnly: c.TextOnly, unasked: true, text: true, words: firstWord(c.Words...),
		run: func(call *call) error { return c.Run(&Context{call}) },
	}
}

// Context is a command at work: what its line says, and where its output goes.
type Context struct{ call *call }

// Ctx ends when the program is interrupted.
func (c *Context) Ctx() context.Context { return c.call.ctx }

// Flags are the values of the options.
func (c *Context) Flags() *urfave.Context { return c.call.flags }

// Args are the arguments.
func (c *Context) Args() []string { return c.call.args }

// JSON reports whether the output is to be one JSON document.
func (c *Context) JSON() bool { return c.call.JSON }

// Path resolves a path of the command line.
func (c *Context) Path(name string) string { return c.call.path(name) }

// Getenv is the value of an environment variable, "" when it isn't set.
func (c *Context) Getenv(name string) string { return c.call.env(name) }

// Duration reads an option that holds one, usually in a unit.
func (c *Context) Duration(flag string, usual config.Unit) (time.Duration, error) {
	return c.call.duration(flag, usual)
}

// Printf writes to the standard output; Flush makes it visible.
func (c *Context) Printf(format string, args ...any) { c.call.Printf(format, args...) }

// Say writes what is good to know and was not asked for: not with --quiet or --json.
func (c *Context) Say(format string, args ...any) { c.call.Say(format, args...) }

// PrintJSON writes the document of --json.
func (c *Context) PrintJSON(v any) error { return c.call.PrintJSON(v) }

// PrintTable writes a table.
func (c *Context) PrintTable(t *term.Table) { c.call.Printf("%s", t.Format("", c.call.Style)) }

// PrintCheck writes what a check of a workspace found; its error has the exit code.
func (c *Context) PrintCheck(snap *memory.Snapshot, problems []memory.Problem) error {
	return printer.Check(&c.call.Printer, snap, repair.NewCheck(snap, problems))
}

// Flush writes out what was printed.
func (c *Context) Flush() error { return c.call.Out.Flush() }

// When writes a time for people.
func (c *Context) When(t time.Time) string { return c.call.When(t) }

// Clock is the time of the machine.
func (c *Context) Clock() time.Time { return clock() }

// Now is the time as of which the command works: that of --at, else of the machine.
func (c *Context) Now() time.Time {
	if c.call.fixed {
		return c.call.at
	}
	return clock()
}

// Logger logs as the options say: --quiet, --verbose, --log-json.
func (c *Context) Logger() *slog.Logger { return logger(c.call) }

// Build is the version and the commit of the program.
func (c *Context) Build() (version, commit string) {
	b := thisBuild()
	return b.Version, b.Commit
}

// UnknownWord is the error about a word that is none of those a command takes there.
func UnknownWord(word string, known ...string) error { return unknownVerb(word, known...) }

// ChangeSetting is the text of a memory.toml with a setting of another value. A schedule without a value is taken out.
func ChangeSetting(before []byte, key, value string) ([]byte, error) {
	return scheduleSetting(before, key, value)
}
